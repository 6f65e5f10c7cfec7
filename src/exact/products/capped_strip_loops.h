// The vector loops of capped_strips.h, for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else.
#pragma once

#include "src/exact/products/capped_strips.h"

namespace {

constexpr int kLine = 64 / sizeof(float);

// kChains running sums of each lane of a row, which take turns. Two vectors of each row at a time:
// of eight floats, that is whole lines of the cache.
template <class V, int kRows, int kChains>
void sum_rows(std::int64_t depth, const float* a, std::int64_t stride, const double* x, double back,
              double* sums) {
  using Type = typename V::Type;
  const Type factor_back = V::all(back);
  Type total[kRows];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) total[r] = V::all(0);
  for (std::int64_t i = 0; i < depth;) {
    const std::int64_t end = i + kCappedBlock < depth ? i + kCappedBlock : depth;
    Type sum[kChains][kRows];
#pragma GCC unroll 2
    for (int c = 0; c < kChains; ++c) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[c][r] = V::all(0);
    }
    for (; i + 2 * V::kLanes <= end; i += 2 * V::kLanes) {
      const Type factor[] = {V::load(x + i), V::load(x + i + V::kLanes)};
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          Type& running = sum[v % kChains][r];
          running = V::fma(V::widen(a + r * stride + i + v * V::kLanes), factor[v], running);
        }
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
  V::sums_of_lanes(total, sums);
}

// Where a group of columns stands among those of one block.
enum class Group { kOnly, kFirst, kInside, kLast };

// kWidth columns by vectors of rows: four at a time, one at a time, some rows of one. The first
// group's running sums start at 0; the last one's are brought back and added to `sums`.
template <class V, int kWidth, Group kGroup, Ask kAsk>
void add_columns(std::int64_t count, const float* a, std::int64_t stride, const double* x,
                 double* running, double back, double* sums) {
  using Type = typename V::Type;
  const Type factor_back = V::all(back);
  constexpr bool kFirst = kGroup == Group::kFirst || kGroup == Group::kOnly;
  constexpr bool kLast = kGroup == Group::kLast || kGroup == Group::kOnly;
  Type factor[kWidth];
#pragma GCC unroll 8
  for (int k = 0; k < kWidth; ++k) factor[k] = V::all(x[k]);
  const std::int64_t ahead = line_elements_ahead<float>();
  const auto rows = [&](std::int64_t i, auto vectors) __attribute__((always_inline)) {
    constexpr int kVectors = decltype(vectors)::value;
    Type sum[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      sum[v] = kFirst ? V::all(0) : V::load(running + i + v * V::kLanes);
#pragma GCC unroll 8
    for (int k = 0; k < kWidth; ++k) {
      for (int f = 0; f < kVectors * V::kLanes; f += kLine) {
        const float* const here = a + k * stride + i + f;
        // To the second-level cache: the first one has no room for them.
        if (kAsk == Ask::kNextColumns) __builtin_prefetch(here + kWidth * stride, 0, 2);
        if (kAsk == Ask::kSameColumns) __builtin_prefetch(here + ahead);
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sum[v] = V::fma(V::widen(a + k * stride + i + v * V::kLanes), factor[k], sum[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t at = i + v * V::kLanes;
      if constexpr (kLast)
        V::store(sums + at, V::fma(sum[v], factor_back, V::load(sums + at)));
      else
        V::store(running + at, sum[v]);
    }
  };
  std::int64_t i = 0;
  for (; i + 4 * V::kLanes <= count; i += 4 * V::kLanes) rows(i, std::integral_constant<int, 4>());
  for (; i + V::kLanes <= count; i += V::kLanes) rows(i, std::integral_constant<int, 1>());
  if (i == count) return;
  Type sum = kFirst ? V::all(0) : V::load(running + i);
#pragma GCC unroll 8
  for (int k = 0; k < kWidth; ++k)
    sum = V::fma(V::widen_first(a + k * stride + i, count - i), factor[k], sum);
  V::store(running + i, sum);
  if constexpr (kLast) {
    for (; i < count; ++i) sums[i] = __builtin_fma(running[i], back, sums[i]);
  }
}

template <class V, int kRows, int kChains>
void sum_groups(std::int64_t groups, std::int64_t depth, const float* a, std::int64_t stride,
                const double* x, double back, double* sums) {
  for (std::int64_t g = 0; g < groups; ++g, a += kRows * stride, sums += kRows)
    sum_rows<V, kRows, kChains>(depth, a, stride, x, back, sums);
}

template <class V>
void capped_rows(std::int64_t together, std::int64_t groups, std::int64_t depth, const float* a,
                 std::int64_t stride, const double* x, double back, double* sums) {
  constexpr int kNear = static_cast<int>(V::kNearRows);
  if (together == kCappedRows)
    sum_groups<V, kCappedRows, 1>(groups, depth, a, stride, x, back, sums);
  else if (together == kNear)
    sum_groups<V, kNear, kNear == kCappedRows ? 1 : 2>(groups, depth, a, stride, x, back, sums);
  else
    sum_groups<V, kCappedFewRows, 2>(groups, depth, a, stride, x, back, sums);
}

template <class V, int kWidth>
void sweep_columns(std::int64_t count, std::int64_t begin, std::int64_t end, std::int64_t depth,
                   Ask ask, const float* a, std::int64_t stride, const double* x, double back,
                   double* sums, double* running) {
  std::int64_t j = begin;
  const auto add_group = [&](auto width, auto group, auto asked) {
    add_columns<V, decltype(width)::value, decltype(group)::value, decltype(asked)::value>(
        count, a + j * stride, stride, x + j, running, back, sums);
    j += decltype(width)::value;
  };
  const auto add = [&](auto width, auto asked) {
    const bool first = j == begin, last = j + decltype(width)::value == end;
    if (first && last)
      add_group(width, std::integral_constant<Group, Group::kOnly>(), asked);
    else if (first)
      add_group(width, std::integral_constant<Group, Group::kFirst>(), asked);
    else if (last)
      add_group(width, std::integral_constant<Group, Group::kLast>(), asked);
    else
      add_group(width, std::integral_constant<Group, Group::kInside>(), asked);
  };
  constexpr std::integral_constant<int, kWidth> wide;
  constexpr std::integral_constant<Ask, Ask::kNothing> nothing;
  constexpr std::integral_constant<Ask, Ask::kNextColumns> next;
  constexpr std::integral_constant<Ask, Ask::kSameColumns> same;
  while (ask == Ask::kSameColumns && j + kWidth <= end) add(wide, same);
  while (ask == Ask::kNextColumns && j + kWidth <= end && j + 2 * kWidth <= depth) add(wide, next);
  while (j + kWidth <= end) add(wide, nothing);
  while (j + 2 <= end) add(std::integral_constant<int, 2>(), nothing);
  if (j < end) add(std::integral_constant<int, 1>(), nothing);
}

template <class V>
void capped_columns(std::int64_t together, std::int64_t count, std::int64_t begin, std::int64_t end,
                    std::int64_t depth, Ask ask, const float* a, std::int64_t stride,
                    const double* x, double back, double* sums) {
  constexpr int kFar = static_cast<int>(V::kFarWidth);
  with_room<double, kCappedHeight + V::kLanes>([&](double* running) {
    if (together == kFar)
      sweep_columns<V, kFar>(count, begin, end, depth, ask, a, stride, x, back, sums, running);
    else
      sweep_columns<V, kCappedWidth>(count, begin, end, depth, ask, a, stride, x, back, sums,
                                     running);
  });
}

// Tiles of kVectors vectors of rows from row i on, then of half as many, ..., then some rows of
// one.
template <class V, int kVectors>
void add_tiles(std::int64_t i, std::int64_t count, std::int64_t columns, const float* a,
               std::int64_t stride, const double* x, double back, double* sums) {
  using Type = typename V::Type;
  const Type factor_back = V::all(back);
  for (; i + kVectors * V::kLanes <= count; i += kVectors * V::kLanes) {
    Type sum[kVectors];
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) sum[v] = V::all(0);
    const float* from = a + i;
    for (std::int64_t j = 0; j < columns; ++j, from += stride) {
      const Type factor = V::all(x[j]);
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v)
        sum[v] = V::fma(V::widen(from + v * V::kLanes), factor, sum[v]);
    }
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      double* const to = sums + i + v * V::kLanes;
      V::store(to, V::fma(sum[v], factor_back, V::load(to)));
    }
  }
  if constexpr (kVectors > 1) {
    add_tiles<V, kVectors / 2>(i, count, columns, a, stride, x, back, sums);
  } else if (i < count) {
    Type sum = V::all(0);
    for (std::int64_t j = 0; j < columns; ++j)
      sum = V::fma(V::widen_first(a + i + j * stride, count - i), V::all(x[j]), sum);
    double rest[V::kLanes];
    V::store(rest, sum);
    for (std::int64_t r = 0; i + r < count; ++r)
      sums[i + r] = __builtin_fma(rest[r], back, sums[i + r]);
  }
}

template <class V>
void capped_tiles(std::int64_t count, std::int64_t begin, std::int64_t end, const float* a,
                  std::int64_t stride, const double* x, double back, double* sums) {
  add_tiles<V, V::kTile>(0, count, end - begin, a + begin * stride, stride, x + begin, back, sums);
}

}  // namespace
