// What the tests of products by remainders share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "src/exact/remainders/remainder_kernels.h"
#include "src/exact/remainders/tile_product.h"

namespace reprosum::exact::testing {

// What runs on a matrix unit, on an emulated one.
inline void multiply_by_emulated_tiles(const RemainderBlock& block, const Modulus& modulus) {
  EmulatedTiles unit;
  unit.configure(whole_tiles());
  const std::int32_t p = modulus.p;
  const auto reduce = [p](const std::int32_t* sums, bool adds, std::int8_t* to) {
    for (std::int64_t j = 0; j < 16; ++j) {
      std::int32_t r = (sums[j] + (adds ? to[j] : 0)) % p;
      if (2 * std::abs(r) > p) r -= r > 0 ? p : -p;
      to[j] = static_cast<std::int8_t>(r);
    }
  };
  multiply_by_tiles(unit, reduce, block);
}
inline const RemainderKernels* emulated_remainders() {
  static const RemainderKernels loops = [] {
    RemainderKernels made = vnni_remainders() != nullptr ? *vnni_remainders() : kPortableRemainders;
    made.calls = kPortableRemainders.calls;
    made.name = "emulated tiles";
    made.multiply = multiply_by_emulated_tiles;
    made.blocking = {48, 80, 3};
    return made;
  }();
  return &loops;
}

// The kernels of this machine, the portable ones first, and the emulated ones.
inline std::vector<const RemainderKernels*> all_remainder_kernels() {
  std::vector<const RemainderKernels*> all = {&kPortableRemainders, emulated_remainders()};
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
