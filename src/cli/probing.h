// What capture and verify share: the options of probing and the opening of targets.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "reveal/capture.h"

namespace reprosum::cli {

// Sizes of gemv and gemm that a capture asks for, unless it is told otherwise, and that verify
// looks at where they are covered.
inline constexpr std::int64_t kReach = std::int64_t{1} << 17;

struct ProbingOptions {
  std::string target;
  double timeout_s = 1800;
  std::uint64_t seed = 1;
  std::int64_t random_vectors = 2000;
};

void add_probing_options(CLI::App& verb, ProbingOptions& options);

// Opens the target with every thread variable set to the asked number.
reveal::TargetFactory target_factory(const ProbingOptions& options);

// The probing part of CaptureOptions, progress on the terminal included.
reveal::CaptureOptions capture_options(const ProbingOptions& options);

}  // namespace reprosum::cli
