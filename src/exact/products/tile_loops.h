// The loops of tiles.h, for a class V of vector operations. Included by one file per instruction
// set, after its target pragma, and by nobody else.

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

// A tile of kVectors vectors of rows by kColumns columns, held in registers.
template <class V, int kVectors, int kColumns, bool kSplit>
void run_tile(std::int64_t depth, const double* a, const double* b, bool first, double* high,
              double* low, std::int64_t ld) {
  using Type = typename V::Type;
  constexpr std::int64_t kRows = kVectors * V::kLanes;
  Type h[kColumns][kVectors], l[kColumns][kVectors];
  for (int j = 0; j < kColumns; ++j)
    for (int v = 0; v < kVectors; ++v) h[j][v] = l[j][v] = V::all(0);
  for (std::int64_t k = 0; k < depth; ++k) {
    Type a0[kVectors];
    for (int v = 0; v < kVectors; ++v) a0[v] = V::load(a + v * V::kLanes);
    if constexpr (kSplit) {
      Type a1[kVectors];
      for (int v = 0; v < kVectors; ++v) a1[v] = V::load(a + kRows + v * V::kLanes);
      __builtin_prefetch(a + 16 * kRows);
      __builtin_prefetch(a + 17 * kRows);
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) {
        const Type b0 = V::all(b[3 * j]), b1 = V::all(b[3 * j + 1]), whole = V::all(b[3 * j + 2]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          h[j][v] = V::fma(a0[v], b0, h[j][v]);
          l[j][v] = V::fma(a0[v], b1, l[j][v]);
          l[j][v] = V::fma(a1[v], whole, l[j][v]);
        }
      }
      a += 2 * kRows;
      b += 3 * kColumns;
    } else {
      __builtin_prefetch(a + 16 * kRows);
#pragma GCC unroll 16
      for (int j = 0; j < kColumns; ++j) {
        const Type whole = V::all(b[j]);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) h[j][v] = V::fma(a0[v], whole, h[j][v]);
      }
      a += kRows;
      b += kColumns;
    }
  }
  for (int j = 0; j < kColumns; ++j) {
    for (int v = 0; v < kVectors; ++v) {
      double* const at_high = high + j * ld + v * V::kLanes;
      double* const at_low = low + j * ld + v * V::kLanes;
      if (first) {
        V::store(at_high, h[j][v]);
        V::store(at_low, l[j][v]);
        continue;
      }
      add_block<V>(at_high, at_low, h[j][v], l[j][v]);
    }
  }
}

}  // namespace
