// The symbols that are forwarded or, in exact mode and if there is such a routine, computed here:
// trampolines in trampoline_*.S, and what they count.
#pragma once

#include <cstdint>
#include <vector>

namespace reprosum::blas {

struct ForwardedCount {
  const char* name;
  std::uint64_t exact, forwarded, refused;
};

// Of the symbols that were called.
std::vector<ForwardedCount> forwarded_counts();

}  // namespace reprosum::blas
