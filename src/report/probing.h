// What capture and verify share: what probing is asked for, and the opening of targets.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "reveal/capture.h"

namespace reprosum::report {

// Sizes of gemv and gemm that a capture asks for, unless it is told otherwise, and that verify
// looks at where they are covered.
inline constexpr std::int64_t kReach = std::int64_t{1} << 17;

struct ProbingOptions {
  std::string target;
  // Opens what `target` names; empty: by its kind, such as blas:.
  reveal::TargetFactory open{};
  double timeout_s = std::numeric_limits<double>::infinity();  // of the whole run; none is set
  std::uint64_t seed = 1;
  std::int64_t random_vectors = 2000;
  bool is_quick = false;  // verify: a part of the data, in seconds
};

// Opens the target with every thread variable set to the asked number.
reveal::TargetFactory target_factory(const ProbingOptions& options);

// Who is told of a run, by any of its threads but one at a time, and who may end it. Either may be
// empty.
struct Watch {
  std::function<void(const reveal::Progress&)> progress;
  std::function<bool()> is_over;
};

// The probing part of CaptureOptions. The clock of the timeout starts here.
reveal::CaptureOptions capture_options(const ProbingOptions& options, const Watch& watch);

// Whether the text is such a number, which is stored then.
bool read_seconds(const std::string& text, double& seconds);   // above 0, up to 1e9
bool read_seed(const std::string& text, std::uint64_t& seed);  // 0 to 2^64 - 1

}  // namespace reprosum::report
