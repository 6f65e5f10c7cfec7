// The loops of solves.h, for a class V of vector operations. Included by one file per instruction
// set, after its target pragma, and by nobody else.

namespace {

// One vector of the matrix times X, taken into S, L and A.
template <class V, bool kPair, bool kTwo, class Type>
[[gnu::always_inline]] inline void solve_step(Type a, Type x1, Type x2, Type size, Type& s, Type& l,
                                              Type& sizes) {
  const Type t = V::fma(a, x1, s);
  if constexpr (kPair) {
    Type r = V::fma_minus(a, x1, V::sub(t, s));
    if constexpr (kTwo) r = V::fma(a, x2, r);
    l = V::add(l, r);
  }
  s = t;
  sizes = V::fma(V::abs(a), size, sizes);
}

template <class V, class T, bool kPair, bool kTwo>
[[gnu::always_inline]] inline void solve_rows_of(std::int64_t depth, const T* a,
                                                 std::int64_t stride, Solved x,
                                                 const double* anchors, double* high, double* low,
                                                 double* sizes) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kInner = kLanes == 8 ? kSolveRows : 2;
  for (std::int64_t first = 0; first < kSolveRows; first += kInner) {
    Type s[kInner], l[kInner], m[kInner];
    for (int r = 0; r < kInner; ++r) {
      s[r] = V::all(anchors[first + r]);
      l[r] = m[r] = V::all(0);
    }
    const T* const p = a + first * stride;
    for (std::int64_t j = 0; j < depth; j += kLanes) {
      const Type x1 = V::load(x.x1 + j), x2 = kTwo ? V::load(x.x2 + j) : x1,
                 size = V::load(x.size + j);
#pragma GCC unroll 4
      for (int r = 0; r < kInner; ++r) {
        __builtin_prefetch(p + r * stride + j + 512 / sizeof(T));
        solve_step<V, kPair, kTwo>(V::load(p + r * stride + j), x1, x2, size, s[r], l[r], m[r]);
      }
    }
    for (int r = 0; r < kInner; ++r) {
      high[first + r] = V::sum_of_lanes(V::sub(s[r], V::all(anchors[first + r])));
      low[first + r] = kPair ? V::sum_of_lanes(l[r]) : 0;
      sizes[first + r] = V::sum_of_lanes(m[r]);
    }
  }
}

template <class V, class T, bool kPair>
void solve_rows(std::int64_t depth, const T* a, std::int64_t stride, Solved x,
                const double* anchors, double* high, double* low, double* sizes) {
  if (kPair && x.x2 != nullptr)
    solve_rows_of<V, T, kPair, kPair>(depth, a, stride, x, anchors, high, low, sizes);
  else
    solve_rows_of<V, T, kPair, false>(depth, a, stride, x, anchors, high, low, sizes);
}

// X of a few columns (solves.h counts with 4), in registers over the rows where there are enough.
template <class V>
struct Factors {
  static constexpr int kColumns = 4;
  typename V::Type x1[kColumns], x2[kColumns], size[kColumns];
};

// kVectors vectors of rows by the columns of x.
template <class V, int kVectors, class T, bool kPair, bool kTwo>
[[gnu::always_inline]] inline void solve_piece(const T* a, std::int64_t stride, const Factors<V>& x,
                                               double* sums, double* low, double* sizes) {
  using Type = typename V::Type;
  Type s[kVectors], l[kVectors], m[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    s[v] = V::load(sums + v * V::kLanes);
    l[v] = V::all(0);
    m[v] = V::load(sizes + v * V::kLanes);
  }
#pragma GCC unroll 4
  for (int k = 0; k < Factors<V>::kColumns; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      solve_step<V, kPair, kTwo>(V::load(a + k * stride + v * V::kLanes), x.x1[k], x.x2[k],
                                 x.size[k], s[v], l[v], m[v]);
  }
  for (int v = 0; v < kVectors; ++v) {
    V::store(sums + v * V::kLanes, s[v]);
    if constexpr (kPair) V::store(low + v * V::kLanes, V::add(V::load(low + v * V::kLanes), l[v]));
    V::store(sizes + v * V::kLanes, m[v]);
  }
}

template <class V, class T, bool kPair, bool kTwo>
[[gnu::always_inline]] inline void solve_columns_of(std::int64_t count, const T* a,
                                                    std::int64_t stride, Solved x, double* sums,
                                                    double* low, double* sizes) {
  constexpr std::int64_t kLanes = V::kLanes, kColumns = Factors<V>::kColumns;
  for (std::int64_t first = 0; first < kSolveColumns; first += kColumns) {
    Factors<V> factors;
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) {
      factors.x1[k] = V::all(x.x1[first + k]);
      factors.x2[k] = V::all(kTwo ? x.x2[first + k] : 0);
      factors.size[k] = V::all(x.size[first + k]);
    }
    const T* const p = a + first * stride;
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= count; i += 2 * kLanes)
      solve_piece<V, 2, T, kPair, kTwo>(p + i, stride, factors, sums + i, low + i, sizes + i);
    for (; i + kLanes <= count; i += kLanes)
      solve_piece<V, 1, T, kPair, kTwo>(p + i, stride, factors, sums + i, low + i, sizes + i);
    if (i == count) continue;
    T tail[kColumns * kLanes] = {};
    for (std::int64_t k = 0; k < kColumns; ++k)
      for (std::int64_t r = i; r < count; ++r) tail[k * kLanes + r - i] = p[r + k * stride];
    solve_piece<V, 1, T, kPair, kTwo>(tail, kLanes, factors, sums + i, low + i, sizes + i);
  }
}

// Floats with sums of sizes in float, two vectors of doubles at a time.
template <class V>
void plain_rows(std::int64_t depth, const float* a, std::int64_t stride, Solved x, const double*,
                double* high, double* low, double* sizes) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kFloats = 2 * kLanes, kInner = kLanes == 8 ? 4 : 2;
  for (int r = 0; r < kSolveRows; ++r) low[r] = 0;
  for (std::int64_t first = 0; first < kSolveRows; first += kInner) {
    Type s[kInner], all[kInner];
    for (int r = 0; r < kInner; ++r) s[r] = all[r] = V::all(0);
    const float* const p = a + first * stride;
    for (std::int64_t begin = 0; begin < depth; begin += kFloatSizes * kFloats) {
      const std::int64_t end = std::min(depth, begin + kFloatSizes * kFloats);
      typename V::FloatType m[kInner];
      for (int r = 0; r < kInner; ++r) m[r] = V::all_floats(0);
      std::int64_t j = begin;
      for (; j + kFloats <= end; j += kFloats) {
        const Type x1 = V::load(x.x1 + j), x2 = V::load(x.x1 + j + kLanes);
        const auto size = V::load_floats(x.float_size + j);
#pragma GCC unroll 4
        for (int r = 0; r < kInner; ++r) {
          const float* const q = p + r * stride + j;
          __builtin_prefetch(q + 128);
          s[r] = V::fma(V::load(q), x1, s[r]);
          m[r] = V::float_fma(V::float_abs(V::load_floats(q)), size, m[r]);
          s[r] = V::fma(V::load(q + kLanes), x2, s[r]);
        }
      }
      if (j < end) {
        const Type x1 = V::load(x.x1 + j), size = V::load(x.size + j);
        for (int r = 0; r < kInner; ++r) {
          const Type v = V::load(p + r * stride + j);
          s[r] = V::fma(v, x1, s[r]);
          all[r] = V::fma(V::abs(v), size, all[r]);
        }
      }
      for (int r = 0; r < kInner; ++r)
        all[r] = V::add(all[r], V::add(V::widen_piece(m[r], 0), V::widen_piece(m[r], 1)));
    }
    for (int r = 0; r < kInner; ++r) {
      high[first + r] = V::sum_of_lanes(s[r]);
      sizes[first + r] = V::sum_of_lanes(all[r]);
    }
  }
}

template <class V>
[[gnu::always_inline]] inline void plain_piece(const float* a, std::int64_t stride,
                                               const typename V::Type* x1,
                                               const typename V::FloatType* size, double* sums,
                                               double* sizes) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes;
  Type s1 = V::load(sums), s2 = V::load(sums + kLanes);
  auto m = V::all_floats(0);
#pragma GCC unroll 8
  for (int k = 0; k < kSolveColumns; ++k) {
    const float* const p = a + k * stride;
    __builtin_prefetch(p + kSolveColumns * stride, 0, 2);
    s1 = V::fma(V::load(p), x1[k], s1);
    s2 = V::fma(V::load(p + kLanes), x1[k], s2);
    m = V::float_fma(V::float_abs(V::load_floats(p)), size[k], m);
  }
  V::store(sums, s1);
  V::store(sums + kLanes, s2);
  V::store(sizes, V::add(V::load(sizes), V::widen_piece(m, 0)));
  V::store(sizes + kLanes, V::add(V::load(sizes + kLanes), V::widen_piece(m, 1)));
}

// Fewer rows, with sizes in double; what is not there is zero.
template <class V>
[[gnu::always_inline]] inline void plain_last(std::int64_t count, const float* a,
                                              std::int64_t stride, Solved x, double* sums,
                                              double* sizes) {
  using Type = typename V::Type;
  Type s = V::load(sums), m = V::load(sizes);
  for (int k = 0; k < kSolveColumns; ++k) {
    const Type v = V::load_first(a + k * stride, count);
    s = V::fma(v, V::all(x.x1[k]), s);
    m = V::fma(V::abs(v), V::all(x.size[k]), m);
  }
  V::store(sums, s);
  V::store(sizes, m);
}

template <class V>
void plain_columns(std::int64_t count, const float* a, std::int64_t stride, Solved x, double* sums,
                   double*, double* sizes) {
  constexpr std::int64_t kFloats = 2 * V::kLanes;
  typename V::Type x1[kSolveColumns];
  typename V::FloatType size[kSolveColumns];
  for (int k = 0; k < kSolveColumns; ++k) {
    x1[k] = V::all(x.x1[k]);
    size[k] = V::all_floats(x.float_size[k]);
  }
  std::int64_t i = 0;
  for (; i + kFloats <= count; i += kFloats)
    plain_piece<V>(a + i, stride, x1, size, sums + i, sizes + i);
  for (; i < count; i += V::kLanes)
    plain_last<V>(std::min(count - i, V::kLanes), a + i, stride, x, sums + i, sizes + i);
}

template <class V, class T, bool kPair>
void solve_columns(std::int64_t count, const T* a, std::int64_t stride, Solved x, double* sums,
                   double* low, double* sizes) {
  if (kPair && x.x2 != nullptr)
    solve_columns_of<V, T, kPair, kPair>(count, a, stride, x, sums, low, sizes);
  else
    solve_columns_of<V, T, kPair, false>(count, a, stride, x, sums, low, sizes);
}

}  // namespace
