// Facts about the machine and the process that runs the command.
#pragma once

#include <string>
#include <vector>

namespace reprosum::report {

std::string cpu_model();                  // as the kernel names it; "unknown" where it does not
std::vector<std::string> cpu_features();  // of those that matter here: "sse2", "avx2", "fma", ...
std::string utc_now();                    // "2026-01-31T12:00:00Z"

struct FloatingPointState {
  std::string rounding;              // "to nearest", "upward", ...
  bool flush_to_zero = false;        // subnormal results become 0
  bool subnormals_are_zero = false;  // subnormal operands are read as 0
  bool default_state() const {
    return rounding == "to nearest" && !flush_to_zero && !subnormals_are_zero;
  }
};
FloatingPointState floating_point_state();

}  // namespace reprosum::report
