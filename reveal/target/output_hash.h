// One 64-bit hash over the bits of an output in several probes.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace reprosum::reveal {

// The seed and the steps know nothing of the shape: equal hashes say equal bits across shapes.
inline constexpr std::uint64_t kHashSeed = 0x243f6a8885a308d3;

// Bits that are equal for all NaNs and differ between -0 and +0.
inline std::uint64_t canonical_bits(float value) {
  return value != value ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value);
}
inline std::uint64_t canonical_bits(double value) {
  return value != value ? 0x7ff8000000000000U : std::bit_cast<std::uint64_t>(value);
}

// One probe's bits. A bijection of either argument while the other is fixed, so that outputs that
// differ in one probe alone never collide; one multiplication, as this runs for every output of
// every probe.
inline std::uint64_t hash_step(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32);
}

// Once after the last probe: every bit of the state reaches every bit of the hash (the finalizer of
// MurmurHash3, a bijection).
inline std::uint64_t hash_end(std::uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33);
}

}  // namespace reprosum::reveal
