// Bits of the C API beside the target's own, on random vectors in one context after another.
#pragma once

#include <cstdint>
#include <string>

#include "bench/replay_calls.h"
#include "bench/replay_contexts.h"
#include "bench/replay_kernels.h"
#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::bench {

struct ContextResult {
  RanKernel kernel;
  std::int64_t vectors = 0, kernel_mismatches = 0, interpreter_mismatches = 0;
  std::string first_mismatch;  // what, where and both values; empty if there is none
};

// Both sides of a comparison. The handles replay the thread count of the row.
struct Sides {
  reveal::Target& target;
  bool places = true;  // whether the target can be asked for addresses (exec: targets choose them)
  const Handle& kernel;
  const Handle& interpreter;
};

// One result per context of the row. Ten rounds with fresh data of each kind twice, then the large
// sizes, on data with many exponents and cancellation. Our vectors lie between NaN, as the target's
// do. @pre the target was opened with row.threads.
// `most_sizes`: different ones that are drawn for each context.
std::vector<ContextResult> compare(const Sides& sides, const spec::Spec& spec, const ReplayRow& row,
                                   std::uint64_t seed, std::int64_t most_sizes);

}  // namespace reprosum::bench
