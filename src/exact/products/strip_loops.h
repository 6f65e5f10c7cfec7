// The loops of gemv for floats, for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else. Sums of float products in doubles,
// as in tiles.h.

namespace {

template <class V>
void wide_rows(std::int64_t depth, const float* a, std::int64_t stride, const double* x,
               double* sums, double* largest) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kRows = kStripRows;
  Type most[kRows];
  for (int r = 0; r < kRows; ++r) most[r] = V::all(0), sums[r] = 0;
  for (std::int64_t begin = 0; begin < depth; begin += kWideRowBlock) {
    const std::int64_t end = begin + kWideRowBlock < depth ? begin + kWideRowBlock : depth;
    Type h[kRows];
    for (int r = 0; r < kRows; ++r) h[r] = V::all(0);
    const auto step = [&](Type v, int r, Type factor) __attribute__((always_inline)) {
      most[r] = V::max_abs(most[r], v);
      h[r] = V::fma(v, factor, h[r]);
    };
    const std::int64_t ahead = line_elements_ahead<float>();
    std::int64_t i = begin;
    for (; i + kLanes <= end; i += kLanes) {
      const Type factor = V::load(x + i);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) {
        __builtin_prefetch(a + r * stride + i + ahead);
        step(V::load(a + r * stride + i), r, factor);
      }
    }
    if (i < end) {
      double tail[kLanes] = {};
      float rest[kRows][kLanes] = {};
      for (std::int64_t k = 0; i + k < end; ++k) {
        tail[k] = x[i + k];
        for (int r = 0; r < kRows; ++r) rest[r][k] = a[r * stride + i + k];
      }
      for (int r = 0; r < kRows; ++r) step(V::load(rest[r]), r, V::load(tail));
    }
    for (int r = 0; r < kRows; ++r) sums[r] += V::sum_of_lanes(h[r]);
  }
  Type all = most[0];
  for (int r = 1; r < kRows; ++r) all = V::max_abs(all, most[r]);
  double lanes[kLanes];
  V::store(lanes, all);
  for (const double one : lanes) *largest = one > *largest ? one : *largest;
}

template <class V>
void add_wide_columns(std::int64_t count, std::int64_t begin, std::int64_t end, const float* a,
                      std::int64_t stride, const double* x, double* sums, double* largest,
                      double* h) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kColumns = 8;
  Type most = V::all(0);
  const std::int64_t vectors = (count + kLanes - 1) / kLanes;
  for (std::int64_t v = 0; v < vectors * kLanes; ++v) h[v] = 0;
  for (std::int64_t j = begin; j < end; j += kColumns) {
    const std::int64_t columns = end - j < kColumns ? end - j : kColumns;
    for (std::int64_t v = 0; v < vectors; ++v) {
      Type sum = V::load(h + v * kLanes);
      const float* const p = a + v * kLanes;
      const auto step = [&](Type value, std::int64_t column) __attribute__((always_inline)) {
        most = V::max_abs(most, value);
        sum = V::fma(value, V::all(x[column]), sum);
      };
      if (v * kLanes + kLanes > count) {
        for (std::int64_t k = 0; k < columns; ++k) {
          float some[kLanes] = {};
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
    }
  }
  for (std::int64_t r = 0; r < count; ++r) sums[r] += h[r];
  double lanes[kLanes];
  V::store(lanes, most);
  for (const double one : lanes) *largest = one > *largest ? one : *largest;
}

template <class V>
void wide_columns(std::int64_t count, std::int64_t begin, std::int64_t end, const float* a,
                  std::int64_t stride, const double* x, double* sums, double* largest) {
  with_room<double, kStripHeight>(
      [&](double* h) { add_wide_columns<V>(count, begin, end, a, stride, x, sums, largest, h); });
}

}  // namespace
