// What the tests of products by remainders share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "src/exact/remainder_kernels.h"

namespace reprosum::exact::testing {

// Of this machine, the portable ones first.
inline std::vector<const RemainderKernels*> all_remainder_kernels() {
  std::vector<const RemainderKernels*> all = {&kPortableRemainders};
  for (const RemainderKernels* loops : {vnni_remainders(), amx_remainders()})
    if (loops != nullptr) all.push_back(loops);
  return all;
}

// From the start of a cache line on.
struct AlignedBytes {
  explicit AlignedBytes(std::int64_t bytes)
      : size(bytes), memory(new std::uint8_t[static_cast<std::size_t>(bytes + 64)]) {
    void* at = memory.get();
    std::size_t space = static_cast<std::size_t>(bytes + 64);
    data = static_cast<std::uint8_t*>(std::align(64, static_cast<std::size_t>(bytes), at, space));
  }
  std::int64_t size;
  std::unique_ptr<std::uint8_t[]> memory;
  std::uint8_t* data;
};

}  // namespace reprosum::exact::testing
