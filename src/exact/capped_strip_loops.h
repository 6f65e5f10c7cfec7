// The vector loops of capped_strips.h, for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else.
#pragma once

#include "src/exact/capped_strips.h"

namespace {

constexpr int kLine = 64 / sizeof(float);

// kChains running sums of each lane of a row, which take turns.
template <class V, int kRows, int kChains>
void sum_rows(std::int64_t depth, const float* a, std::int64_t stride, const double* x, double back,
              double* sums) {
  using Type = typename V::Type;
  const Type factor_back = V::all(back);
  Type total[kRows];
  for (int r = 0; r < kRows; ++r) total[r] = V::all(0);
  for (std::int64_t i = 0; i < depth;) {
    const std::int64_t end = i + kCappedBlock < depth ? i + kCappedBlock : depth;
    Type sum[kChains][kRows];
#pragma GCC unroll 2
    for (int c = 0; c < kChains; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[c][r] = V::all(0);
    }
    for (; i + kChains * V::kLanes <= end; i += kChains * V::kLanes) {
#pragma GCC unroll 2
      for (int c = 0; c < kChains; ++c) {
        const Type factor = V::load(x + i + c * V::kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r)
          sum[c][r] = V::fma(V::widen(a + r * stride + i + c * V::kLanes), factor, sum[c][r]);
      }
    }
    for (; i < end; i += V::kLanes) {
      const Type factor = V::load_first(x + i, end - i);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
        sum[0][r] = V::fma(V::widen_first(a + r * stride + i, end - i), factor, sum[0][r]);
    }
    i = end;
#pragma GCC unroll 2
    for (int c = 0; c < kChains; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) total[r] = V::fma(sum[c][r], factor_back, total[r]);
    }
  }
  for (int r = 0; r < kRows; ++r) sums[r] = V::sum_of_lanes(total[r]);
}

// kWidth columns by vectors of rows: four at a time, one at a time, some rows of one. kFirst: what
// runs starts at 0. kAhead: the columns that follow these are asked for.
template <class V, int kWidth, bool kFirst, bool kAhead>
void add_columns(std::int64_t count, const float* a, std::int64_t stride, const double* x,
                 double* running) {
  using Type = typename V::Type;
  Type factor[kWidth];
#pragma GCC unroll 6
  for (int k = 0; k < kWidth; ++k) factor[k] = V::all(x[k]);
  const auto rows = [&](std::int64_t i, auto vectors) __attribute__((always_inline)) {
    constexpr int kVectors = decltype(vectors)::value;
    Type sum[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      sum[v] = kFirst ? V::all(0) : V::load(running + i + v * V::kLanes);
#pragma GCC unroll 6
    for (int k = 0; k < kWidth; ++k) {
      // To the second-level cache: the first one has no room for them.
      if constexpr (kAhead) {
        for (int f = 0; f < kVectors * V::kLanes; f += kLine)
          __builtin_prefetch(a + (k + kWidth) * stride + i + f, 0, 2);
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sum[v] = V::fma(V::widen(a + k * stride + i + v * V::kLanes), factor[k], sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) V::store(running + i + v * V::kLanes, sum[v]);
  };
  std::int64_t i = 0;
  for (; i + 4 * V::kLanes <= count; i += 4 * V::kLanes) rows(i, std::integral_constant<int, 4>());
  for (; i + V::kLanes <= count; i += V::kLanes) rows(i, std::integral_constant<int, 1>());
  if (i == count) return;
  Type sum = kFirst ? V::all(0) : V::load(running + i);
#pragma GCC unroll 6
  for (int k = 0; k < kWidth; ++k)
    sum = V::fma(V::widen_first(a + k * stride + i, count - i), factor[k], sum);
  V::store(running + i, sum);
}

template <class V>
void capped_rows(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t stride,
                 const double* x, double back, double* sums) {
  switch (rows) {
    case kCappedRows:
      return sum_rows<V, kCappedRows, 1>(depth, a, stride, x, back, sums);
    case kCappedNearRows:
      return sum_rows<V, kCappedNearRows, 2>(depth, a, stride, x, back, sums);
    default:
      return sum_rows<V, kCappedFewRows, 2>(depth, a, stride, x, back, sums);
  }
}

template <class V>
void capped_columns(std::int64_t count, std::int64_t begin, std::int64_t end, std::int64_t depth,
                    bool ahead, const float* a, std::int64_t stride, const double* x, double back,
                    double* sums) {
  constexpr int kWidth = kCappedWidth;
  alignas(64) double running[kCappedHeight + V::kLanes];
  const typename V::Type factor_back = V::all(back);
  std::int64_t j = begin;
  const auto add = [&](auto width, auto first, auto ahead) {
    add_columns<V, decltype(width)::value, decltype(first)::value, decltype(ahead)::value>(
        count, a + j * stride, stride, x + j, running);
    j += decltype(width)::value;
  };
  constexpr std::true_type yes;
  constexpr std::false_type no;
  constexpr std::integral_constant<int, kWidth> wide;
  if (j + kWidth <= end) {
    add(wide, yes, no);
  } else {
    add(std::integral_constant<int, 1>(), yes, no);
  }
  while (ahead && j + kWidth <= end && j + 2 * kWidth <= depth) add(wide, no, yes);
  while (j + kWidth <= end) add(wide, no, no);
  while (j + 2 <= end) add(std::integral_constant<int, 2>(), no, no);
  if (j < end) add(std::integral_constant<int, 1>(), no, no);
  std::int64_t i = 0;
  for (; i + V::kLanes <= count; i += V::kLanes)
    V::store(sums + i, V::fma(V::load(running + i), factor_back, V::load(sums + i)));
  for (; i < count; ++i) sums[i] = __builtin_fma(running[i], back, sums[i]);
}

}  // namespace
