// Where the operands of a call lie, beyond the residues of their addresses modulo a cache line.
#pragma once

#include <cstdint>
#include <optional>

namespace reprosum::reveal {

inline constexpr int kLineBytes = 64;
// Bits 0 to 12 of an address: the offset in a page of 4 KiB, and whether pages are even or odd.
inline constexpr int kPlaceBytes = 8192;

// As it is at first, an address is chosen modulo a line, its higher bits are whatever they are, and
// each operand has memory of its own behind that of the operand before.
struct Place {
  // What Call::align_a and the others are addresses modulo of: kLineBytes or kPlaceBytes.
  int modulus = kLineBytes;
  // Later operands lie below earlier ones: y below x, C below B below A.
  bool is_reversed = false;
  // y lies in the memory of x: its summand i is summand i + shift of x, where x has that one. Such
  // calls have one increment for both, y's data that fit, and no probes; align_b says nothing. With
  // 0, x and y are one pointer. For gemm only 0 is possible: B is A's memory. gemv has no shift.
  std::optional<std::int64_t> shift;
  bool operator==(const Place&) const = default;
};

}  // namespace reprosum::reveal
