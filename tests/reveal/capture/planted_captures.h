// Captures of planted products: options, targets, and what was refused.
#pragma once

#include <memory>
#include <string>

#include "reveal/capture.h"
#include "spec/evaluate/replay.h"
#include "spec/evaluate/replay_matrix.h"
#include "tests/reveal/capture/planted_matrices.h"

namespace reprosum::reveal::testing {

inline TargetFactory factory_of(const MatrixFunction& function) {
  return [function](int) { return std::make_unique<FunctionTarget>(function); };
}

// All ways of replaying that a capture asks for.
inline CaptureOptions options_with_replay() {
  CaptureOptions options;
  return options;
}

// Options for a capture of one routine at small sizes.
inline CaptureOptions small_options(spec::Routine routine, spec::Type type) {
  CaptureOptions options = options_with_replay();
  options.routines = {{routine, type}};
  options.increments = {{1, 1}};
  options.largest = {96, 96, 200};
  options.matrix_work = 4e6;
  return options;
}

inline std::string refusals(const spec::Spec& spec) {
  std::string text;
  for (const spec::Refusal& r : spec.refusals)
    text += r.context + ": " + r.reason + ": " + r.detail + "\n";
  return text;
}

}  // namespace reprosum::reveal::testing
