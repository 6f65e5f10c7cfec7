// Where the trampolines of all symbols (trampoline_*.S) lead, and what they count: to the backing,
// in exact mode to a routine that computes the call, or to the C++ entry of what a spec may cover.
#pragma once

#include <cstdint>
#include <vector>

namespace reprosum::blas {

struct ForwardedCount {
  const char* name;
  std::uint64_t exact, forwarded, refused;
};

// The counts of those symbols without a C++ entry that were called.
std::vector<ForwardedCount> forwarded_counts();

// How often a symbol was called that has a C++ entry.
std::uint64_t calls_of(const char* name);

}  // namespace reprosum::blas
