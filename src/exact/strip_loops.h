// The loops of gemv in tiles.h, for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else.

namespace {

// Adds the block's sums to the running ones: high exactly, its error into low.
template <class V>
[[gnu::always_inline]] inline void add_block(double* at_high, double* at_low, typename V::Type high,
                                             typename V::Type low) {
  const typename V::Type before = V::load(at_high), sum = V::add(before, high);
  const typename V::Type part = V::sub(sum, before);
  const typename V::Type error = V::add(V::sub(before, V::sub(sum, part)), V::sub(high, part));
  V::store(at_high, sum);
  V::store(at_low, V::add(V::load(at_low), V::add(error, low)));
}

template <class V, class T>
void strip_rows(std::int64_t depth, const T* a, std::int64_t stride, const double* x_parts,
                double anchor, double* high, double* low, double* largest) {
  using Type = typename V::Type;
  constexpr bool kSplit = sizeof(T) == 8;
  constexpr std::int64_t kLanes = V::kLanes, kRows = kStripRows;
  const double *const x0 = x_parts, *const x1 = x_parts + depth, *const x = x_parts + 2 * depth;
  const Type cut = V::all(anchor);
  Type most[kRows];
  for (int r = 0; r < kRows; ++r) most[r] = V::all(0), high[r] = low[r] = 0;
  for (std::int64_t begin = 0; begin < depth; begin += kRowBlock) {
    const std::int64_t end = begin + kRowBlock < depth ? begin + kRowBlock : depth;
    Type h[kRows], l[kRows];
    for (int r = 0; r < kRows; ++r) h[r] = l[r] = V::all(0);
    const auto step = [&](Type v, int r, Type v0, Type v1, Type whole)
        __attribute__((always_inline)) {
      most[r] = V::max_abs(most[r], v);
      if constexpr (kSplit) {
        const Type a0 = V::sub(V::add(v, cut), cut), a1 = V::sub(v, a0);
        h[r] = V::fma(a0, v0, h[r]);
        l[r] = V::fma(a0, v1, l[r]);
        l[r] = V::fma(a1, whole, l[r]);
      } else {
        h[r] = V::fma(v, v0, h[r]);
      }
    };
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      const Type v0 = V::load(x0 + i), v1 = kSplit ? V::load(x1 + i) : v0,
                 whole = kSplit ? V::load(x + i) : v0;
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        __builtin_prefetch(a + r * stride + i + 512 / sizeof(T));
        step(V::load(a + r * stride + i), r, v0, v1, whole);
      }
    }
    if (i < end) {
      double tail[3][kLanes] = {};
      T rest[kRows][kLanes] = {};
      for (std::int64_t k = 0; i + k < end; ++k) {
        tail[0][k] = x0[i + k];
        if (kSplit) tail[1][k] = x1[i + k], tail[2][k] = x[i + k];
        for (int r = 0; r < kRows; ++r) rest[r][k] = a[r * stride + i + k];
      }
      for (int r = 0; r < kRows; ++r)
        step(V::load(rest[r]), r, V::load(tail[0]), V::load(tail[1]), V::load(tail[2]));
    }
    for (int r = 0; r < kRows; ++r) {
      // Of doubles exact in any order.
      const double sum = V::sum_of_lanes(h[r]), below = V::sum_of_lanes(l[r]);
      const double total = high[r] + sum, part = total - high[r];
      low[r] += ((high[r] - (total - part)) + (sum - part)) + below;
      high[r] = total;
    }
  }
  Type all = most[0];
  for (int r = 1; r < kRows; ++r) all = V::max_abs(all, most[r]);
  double lanes[kLanes];
  V::store(lanes, all);
  for (const double one : lanes) *largest = one > *largest ? one : *largest;
}

template <class V, class T>
void strip_columns(std::int64_t count, std::int64_t begin, std::int64_t end, std::int64_t depth,
                   const T* a, std::int64_t stride, const double* x_parts, double anchor,
                   double* high, double* low, double* largest) {
  using Type = typename V::Type;
  constexpr bool kSplit = sizeof(T) == 8;
  constexpr std::int64_t kLanes = V::kLanes, kColumns = 8;
  const double *const x0 = x_parts, *const x1 = x_parts + depth, *const x = x_parts + 2 * depth;
  const Type cut = V::all(anchor);
  Type most = V::all(0);
  alignas(64) double h[kStripHeight], l[kStripHeight];
  const std::int64_t vectors = (count + kLanes - 1) / kLanes;
  for (std::int64_t v = 0; v < vectors * kLanes; ++v) h[v] = l[v] = 0;
  for (std::int64_t j = begin; j < end; j += kColumns) {
    const std::int64_t columns = end - j < kColumns ? end - j : kColumns;
    for (std::int64_t v = 0; v < vectors; ++v) {
      Type sum = V::load(h + v * kLanes), below = V::load(l + v * kLanes);
      const T* const p = a + v * kLanes;
      const auto step = [&](Type value, std::int64_t column) __attribute__((always_inline)) {
        most = V::max_abs(most, value);
        if constexpr (kSplit) {
          const Type a0 = V::sub(V::add(value, cut), cut), a1 = V::sub(value, a0);
          sum = V::fma(a0, V::all(x0[column]), sum);
          below = V::fma(a0, V::all(x1[column]), below);
          below = V::fma(a1, V::all(x[column]), below);
        } else {
          sum = V::fma(value, V::all(x0[column]), sum);
        }
      };
      if (v * kLanes + kLanes > count) {
        for (std::int64_t k = 0; k < columns; ++k) {
          T some[kLanes] = {};
          for (std::int64_t r = v * kLanes; r < count; ++r)
            some[r - v * kLanes] = a[r + (j + k) * stride];
          step(V::load(some), j + k);
        }
      } else if (columns == kColumns) {
#pragma GCC unroll 8
        for (std::int64_t k = 0; k < kColumns; ++k) step(V::load(p + (j + k) * stride), j + k);
      } else {
        for (std::int64_t k = 0; k < columns; ++k) step(V::load(p + (j + k) * stride), j + k);
      }
      V::store(h + v * kLanes, sum);
      V::store(l + v * kLanes, below);
    }
  }
  for (std::int64_t v = 0; v < vectors; ++v)
    add_block<V>(high + v * kLanes, low + v * kLanes, V::load(h + v * kLanes),
                 V::load(l + v * kLanes));
  double lanes[kLanes];
  V::store(lanes, most);
  for (const double one : lanes) *largest = one > *largest ? one : *largest;
}

}  // namespace
