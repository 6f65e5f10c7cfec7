// The loops of pairs.h, for a class V of vector operations. Included by one file per instruction
// set, after its target pragma and after strip_loops.h, and by nobody else.

namespace {

// A tile of kVectors vectors of rows by kColumns columns, held in registers.
template <class V, int kVectors, int kColumns>
void run_pair_tile(std::int64_t depth, const double* a, const double* b, const double* anchors,
                   double* high, double* low, std::int64_t ld) {
  using Type = typename V::Type;
  Type s[kColumns][kVectors], l[kColumns][kVectors];
  for (int j = 0; j < kColumns; ++j)
    for (int v = 0; v < kVectors; ++v) s[j][v] = V::all(anchors[j]), l[j][v] = V::all(0);
  for (std::int64_t k = 0; k < depth; ++k) {
    Type x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = V::load(a + v * V::kLanes);
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const Type y = V::all(b[j]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        const Type t = V::fma(x[v], y, s[j][v]);
        l[j][v] = V::add(l[j][v], V::fma_minus(x[v], y, V::sub(t, s[j][v])));
        s[j][v] = t;
      }
    }
    a += kVectors * V::kLanes;
    b += kColumns;
  }
  for (int j = 0; j < kColumns; ++j) {
    const Type anchor = V::all(anchors[j]);
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t at = j * ld + v * V::kLanes;
      add_block<V>(high + at, low + at, V::sub(s[j][v], anchor), l[j][v]);
    }
  }
}

template <class V>
void subtract_row(std::int64_t count, const double* x, const double* u, double* high, double* low) {
  using Type = typename V::Type;
  constexpr int kVectors = 8 / V::kLanes;
  Type factors[kVectors];
  for (int v = 0; v < kVectors; ++v) factors[v] = V::load(u + v * V::kLanes);
  const Type zero = V::all(0);
  for (std::int64_t i = 0; i < count; ++i) {
    const Type minus = V::all(-x[i]);
    for (int v = 0; v < kVectors; ++v) {
      const Type p = V::fma(minus, factors[v], zero);
      add_block<V>(high + 8 * i + v * V::kLanes, low + 8 * i + v * V::kLanes, p,
                   V::fma_minus(minus, factors[v], p));
    }
  }
}

}  // namespace
