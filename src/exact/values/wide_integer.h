// Two's complement integers of a fixed number of 64-bit words, lowest word first. Every function is
// exact modulo 2^(64 * words); who uses them keeps values away from the ends.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace reprosum::exact {

using Uint128 = unsigned __int128;

template <std::size_t kWords>
using WideInteger = std::array<std::uint64_t, kWords>;

template <std::size_t kWords>
bool is_negative(const WideInteger<kWords>& a) {
  return (a[kWords - 1] >> 63) != 0;
}

template <std::size_t kWords>
bool is_zero(const WideInteger<kWords>& a) {
  std::uint64_t any = 0;
  for (const std::uint64_t word : a) any |= word;
  return any == 0;
}

template <std::size_t kWords>
void add(WideInteger<kWords>& a, const WideInteger<kWords>& b) {
  unsigned carry = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    const Uint128 sum = Uint128(a[i]) + b[i] + carry;
    a[i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<unsigned>(sum >> 64);
  }
}

template <std::size_t kWords>
void negate(WideInteger<kWords>& a) {
  unsigned carry = 1;
  for (std::uint64_t& word : a) {
    word = ~word + carry;
    carry = carry & (word == 0);
  }
}

// a += magnitude * 2^bit, or -= if `negative`. @pre magnitude < 2^127, bit / 64 + 2 < kWords
template <std::size_t kWords>
void add_at(WideInteger<kWords>& a, Uint128 magnitude, int bit, bool negative) {
  const auto low = static_cast<std::uint64_t>(magnitude);
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int shift = bit % 64;
  // A shift by 64 is undefined; two steps are not.
  const std::uint64_t parts[3] = {low << shift, (high << shift) | (low >> 1 >> (63 - shift)),
                                  high >> 1 >> (63 - shift)};
  std::uint64_t carry = 0;
  for (std::size_t i = static_cast<std::size_t>(bit / 64), k = 0; i < kWords; ++i, ++k) {
    const std::uint64_t part = k < 3 ? parts[k] : 0;
    const Uint128 result = negative ? Uint128(a[i]) - part - carry : Uint128(a[i]) + part + carry;
    a[i] = static_cast<std::uint64_t>(result);
    carry = static_cast<std::uint64_t>(result >> 64) & 1;
    if (k >= 2 && carry == 0) return;
  }
}

// Index of the highest set bit, -1 if there is none; a is read as unsigned.
template <std::size_t kWords>
int highest_bit(const WideInteger<kWords>& a) {
  for (std::size_t i = kWords; i-- > 0;) {
    if (a[i] != 0) return static_cast<int>(64 * i) + 63 - std::countl_zero(a[i]);
  }
  return -1;
}

// Is one of the bits 0 .. end - 1 set? @pre 0 <= end < 64 * kWords
template <std::size_t kWords>
bool any_below(const WideInteger<kWords>& a, int end) {
  const auto word = static_cast<std::size_t>(end / 64);
  for (std::size_t i = 0; i < word; ++i) {
    if (a[i] != 0) return true;
  }
  return (a[word] & ((std::uint64_t{1} << (end % 64)) - 1)) != 0;
}

// The 64 bits from `bit` on; zeros beyond the top. @pre 0 <= bit
template <std::size_t kWords>
std::uint64_t bits_from(const WideInteger<kWords>& a, int bit) {
  const auto word = static_cast<std::size_t>(bit / 64);
  const int shift = bit % 64;
  const std::uint64_t low = word < kWords ? a[word] : 0;
  const std::uint64_t high = word + 1 < kWords ? a[word + 1] : 0;
  return (low >> shift) | (high << 1 << (63 - shift));
}

}  // namespace reprosum::exact
