// The vector loops of capped_sums.h, for a class V of vector operations. Included by
// one file per instruction set, after its target pragma, and by nobody else.
#pragma once

#include <algorithm>
#include <bit>

#include "src/exact/sums/capped_sums.h"

namespace {

double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

// Long chunks are read as kStreams parts side by side: see anchored_sums.h.
constexpr std::int64_t kFewestOfStreams = 4096;
constexpr int kStreams = 4;

// add_two(sum, i): the terms from i on, two vectors of them. add(sum, i, count): a vector of them
// or the first `count` of one. ask(i) asks for the line that begins with them.
template <class V, class AddTwo, class Add, class Ask>
[[gnu::always_inline]] inline void add_capped(std::int64_t n, int scale, Bracket<float>& out,
                                              AddTwo&& add_two, Add&& add, Ask&& ask) {
  using Type = typename V::Type;
  constexpr std::int64_t kTwo = 2 * V::kLanes;
  Type sum[kCappedChains];
#pragma GCC unroll 8
  for (int k = 0; k < kCappedChains; ++k) sum[k] = V::all(0);
  std::int64_t i = 0;
  if (n >= kFewestOfStreams && reading.in_streams) {
    constexpr std::int64_t kLine = 64 / sizeof(float);
    constexpr int kEach = kCappedChains / kStreams;
    static_assert(kEach * kTwo == kLine);
    const Parts<float> parts(n, kStreams, kLine);
    const std::int64_t part = parts.size();
    for (; i < part; i += kLine) {
      const std::int64_t ahead = parts.ahead_of(i);
#pragma GCC unroll 4
      for (int s = 0; s < kStreams; ++s) {
        ask(s * part + i + ahead);
#pragma GCC unroll 2
        for (int k = 0; k < kEach; ++k) {
          Type& to = sum[s * kEach + k];
          to = add_two(to, s * part + i + k * kTwo);
        }
      }
    }
    i = kStreams * part;
  }
  for (; i + kCappedChains * kTwo <= n; i += kCappedChains * kTwo) {
#pragma GCC unroll 8
    for (int k = 0; k < kCappedChains; ++k) sum[k] = add_two(sum[k], i + k * kTwo);
  }
#pragma GCC unroll 8
  for (int k = 0; k < kCappedChains - 1; ++k) {
    if (i + kTwo > n) break;
    sum[k] = add_two(sum[k], i);
    i += kTwo;
  }
  Type& last = sum[kCappedChains - 1];
  if (i + V::kLanes <= n) {
    last = add(last, i, V::kLanes);
    i += V::kLanes;
  }
  if (i < n) last = add(last, i, n - i);
  const double back = power_of_two(-scale);
  const Type factor = V::all(back);
#pragma GCC unroll 8
  for (int k = 0; k < kCappedChains; ++k) sum[k] = V::mul(sum[k], factor);
  const Type all = V::add(V::add(V::add(sum[0], sum[1]), V::add(sum[2], sum[3])),
                          V::add(V::add(sum[4], sum[5]), V::add(sum[6], sum[7])));
  out.high = V::sum_of_lanes(all);
  out.low = 0;
  out.error = static_cast<double>(n + n / 2 + 1280) * 0x1.03p970 * back;
  out.roomy = false;
  out.holds = out.high - out.high == 0;
  out.below = static_cast<float>(out.high - out.error);
  out.above = static_cast<float>(out.high + out.error);
}

// At most 1022, so that 2^-s is a normal number as well.
int scale_of(int exponent) { return std::clamp(1024 - exponent, 0, 1022); }

template <class V>
void capped_sum_of(const float* x, std::int64_t n, int exponent, Bracket<float>& out) {
  using Type = typename V::Type;
  const int scale = scale_of(exponent);
  const Type factor = V::all(power_of_two(scale)), one = V::opaque(V::all(1));
  add_capped<V>(
      n, scale, out,
      [=](Type sum, std::int64_t i) __attribute__((always_inline)) {
        // v1 + v2: some processors multiply beside conversions, but do not add.
        const Type two = V::fma(V::load(x + i), one, V::load(x + i + V::kLanes));
        return V::fma(two, factor, sum);
      },
      [=](Type sum, std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
        const Type v = count == V::kLanes ? V::load(x + i) : V::load_first(x + i, count);
        return V::fma(v, factor, sum);
      },
      [=](std::int64_t i) __attribute__((always_inline)) { __builtin_prefetch(x + i); });
}

template <class V>
void capped_dot_of(const float* x, const float* y, std::int64_t n, int exponent,
                   Bracket<float>& out) {
  using Type = typename V::Type;
  const int scale = scale_of(exponent);
  const Type factor = V::all(power_of_two(scale));
  add_capped<V>(
      n, scale, out,
      [=](Type sum, std::int64_t i) __attribute__((always_inline)) {
        const std::int64_t j = i + V::kLanes;
        const Type one = V::mul(V::load(x + i), V::load(y + i));
        return V::fma(V::fma(V::load(x + j), V::load(y + j), one), factor, sum);
      },
      [=](Type sum, std::int64_t i, std::int64_t count) __attribute__((always_inline)) {
        const bool whole = count == V::kLanes;
        const Type v = whole ? V::load(x + i) : V::load_first(x + i, count);
        const Type w = whole ? V::load(y + i) : V::load_first(y + i, count);
        return V::fma(V::mul(v, w), factor, sum);
      },
      [=](std::int64_t i) __attribute__((always_inline)) {
        __builtin_prefetch(x + i);
        __builtin_prefetch(y + i);
      });
}

}  // namespace
