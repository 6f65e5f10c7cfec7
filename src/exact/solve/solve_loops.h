// The loops of solves.h, for a class V of vector operations. Included by one file per instruction
// set, after its target pragma, and by nobody else.

namespace {

// One vector of the matrix times X, taken into S and A, or N; gives what is to go into L.
template <class V, bool kPair, bool kTwo, bool kNorms, class Type>
[[gnu::always_inline]] inline Type solve_step(Type a, Type x1, Type x2, Type size, Type& s,
                                              Type& sizes) {
  const Type t = V::fma(a, x1, s);
  Type r = V::all(0);
  if constexpr (kPair) r = V::fma_minus(a, x1, V::sub(t, s));
  if constexpr (kTwo) r = V::fma(a, x2, r);
  s = t;
  sizes = kNorms ? V::fma(a, a, sizes) : V::fma(V::abs(a), size, sizes);
  return r;
}

template <class V, class T, bool kPair, bool kTwo>
[[gnu::always_inline]] inline void solve_rows_of(std::int64_t depth, const T* a,
                                                 std::int64_t stride, Solved x,
                                                 const double* anchors, double* high, double* low,
                                                 double* sizes) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes;
  Type s[kSolveRows], l[kSolveRows], m[kSolveRows];
  const T* row[kSolveRows];
#pragma GCC unroll 4
  for (int r = 0; r < kSolveRows; ++r) {
    s[r] = V::all(anchors[r]);
    l[r] = m[r] = V::all(0);
    row[r] = a + r * stride;
  }
  const std::int64_t ahead = line_elements_ahead<T>();
  for (std::int64_t begin = 0; begin < depth; begin += 8) {
    const std::int64_t later = begin + ahead;
    std::int64_t end = begin + 8;
    // Unrolled, two vectors of each row would need more registers than there are.
    if (kLanes < 8) asm("" : "+r"(end));
#pragma GCC unroll 4
    for (int r = 0; r < kSolveRows; ++r) __builtin_prefetch(row[r] + later);
    for (std::int64_t j = begin; j < end; j += kLanes) {
      const Type x1 = V::load(x.x1 + j), x2 = kTwo ? V::load(x.x2 + j) : x1,
                 size = V::load(x.size + j);
#pragma GCC unroll 4
      for (int r = 0; r < kSolveRows; ++r) {
        const Type rest =
            solve_step<V, kPair, kTwo, false>(V::load(row[r] + j), x1, x2, size, s[r], m[r]);
        if constexpr (kPair) l[r] = V::add(l[r], rest);
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kSolveRows; ++r) {
    high[r] = V::sum_of_lanes(V::sub(s[r], V::all(anchors[r])));
    low[r] = kPair ? V::sum_of_lanes(l[r]) : 0;
    sizes[r] = V::sum_of_lanes(m[r]);
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

// So many rows come before one that begins with a vector's worth of a cache line: from there on, no
// vector of a column lies in two of them, if columns are whole lines apart. Few are not worth it.
template <class T>
std::int64_t rows_to_whole_lines(const T* a, std::int64_t lanes, std::int64_t count) {
  const auto at = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a) / sizeof(T));
  return count < 8 * lanes ? 0 : -at & (lanes - 1);
}

// X of kSolveColumns columns, of which a compiler keeps in registers what fits there.
template <class V>
struct Factors {
  typename V::Type x1[kSolveColumns], x2[kSolveColumns], size[kSolveColumns];
};

// One vector of rows by those columns, or the first `some` rows of one: S, L and A, or N, are
// loaded and stored once for all of them. Rows that are not there are zero and change nothing.
template <class V, class T, bool kPair, bool kTwo, bool kNorms, class Whole>
[[gnu::always_inline]] inline void solve_piece(Whole whole, std::int64_t some, const T* a,
                                               std::int64_t stride, const Factors<V>& x,
                                               double* sums, double* low, double* sizes) {
  using Type = typename V::Type;
  Type s = V::load(sums), m = V::load(sizes), l = V::all(0);
#pragma GCC unroll 8
  for (int k = 0; k < kSolveColumns; ++k) {
    const Type v = whole ? V::load(a + k * stride) : V::load_first(a + k * stride, some);
    const Type rest = solve_step<V, kPair, kTwo, kNorms>(v, x.x1[k], x.x2[k], x.size[k], s, m);
    if constexpr (kPair) l = k == 0 ? rest : V::add(l, rest);
  }
  V::store(sums, s);
  if constexpr (kPair) V::store(low, V::add(V::load(low), l));
  V::store(sizes, m);
}

template <class V, class T, bool kPair, bool kTwo, bool kNorms>
[[gnu::always_inline]] inline void solve_columns_of(std::int64_t count, const T* a,
                                                    std::int64_t stride, Solved x, double* sums,
                                                    double* low, double* sizes) {
  constexpr std::int64_t kLanes = V::kLanes;
  Factors<V> factors;
#pragma GCC unroll 8
  for (int k = 0; k < kSolveColumns; ++k) {
    factors.x1[k] = V::all(x.x1[k]);
    factors.x2[k] = V::all(kTwo ? x.x2[k] : 0);
    factors.size[k] = V::all(kNorms ? 0 : x.size[k]);
  }
  const auto piece = [&](auto whole, std::int64_t i, std::int64_t some)
      __attribute__((always_inline)) {
    solve_piece<V, T, kPair, kTwo, kNorms>(whole, some, a + i, stride, factors, sums + i, low + i,
                                           sizes + i);
  };
  std::int64_t i = rows_to_whole_lines<T>(a, kLanes, count);
  if (i > 0) piece(std::false_type(), 0, i);
  for (; i + kLanes <= count; i += kLanes) piece(std::true_type(), i, kLanes);
  if (i < count) piece(std::false_type(), i, count - i);
}

// Floats with sums of sizes in float, two vectors of doubles at a time.
template <class V>
void plain_rows(std::int64_t depth, const float* a, std::int64_t stride, Solved x, const double*,
                double* high, double* low, double* sizes) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kFloats = 2 * kLanes;
  Type s[kSolveRows], all[kSolveRows];
  const float* row[kSolveRows];
#pragma GCC unroll 4
  for (int r = 0; r < kSolveRows; ++r) {
    s[r] = all[r] = V::all(0);
    row[r] = a + r * stride;
  }
  const std::int64_t ahead = line_elements_ahead<float>();
  for (std::int64_t begin = 0; begin < depth; begin += kFloatSizes * kFloats) {
    const std::int64_t end = std::min(depth, begin + kFloatSizes * kFloats);
    typename V::FloatType m[kSolveRows];
#pragma GCC unroll 4
    for (int r = 0; r < kSolveRows; ++r) m[r] = V::all_floats(0);
    std::int64_t j = begin;
    for (; j + kFloats <= end; j += kFloats) {
      const Type x1 = V::load(x.x1 + j), x2 = V::load(x.x1 + j + kLanes);
      const auto size = V::load_floats(x.float_size + j);
#pragma GCC unroll 4
      for (int r = 0; r < kSolveRows; ++r) {
        const float* const q = row[r] + j;
        __builtin_prefetch(q + ahead);
        s[r] = V::fma(V::load(q), x1, s[r]);
        m[r] = V::float_fma(V::float_abs(V::load_floats(q)), size, m[r]);
        s[r] = V::fma(V::load(q + kLanes), x2, s[r]);
      }
    }
    if (j < end) {
      const Type x1 = V::load(x.x1 + j), size = V::load(x.size + j);
#pragma GCC unroll 4
      for (int r = 0; r < kSolveRows; ++r) {
        const Type v = V::load(row[r] + j);
        s[r] = V::fma(v, x1, s[r]);
        all[r] = V::fma(V::abs(v), size, all[r]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kSolveRows; ++r)
      all[r] = V::add(all[r], V::add(V::widen_piece(m[r], 0), V::widen_piece(m[r], 1)));
  }
#pragma GCC unroll 4
  for (int r = 0; r < kSolveRows; ++r) {
    high[r] = V::sum_of_lanes(s[r]);
    low[r] = 0;
    sizes[r] = V::sum_of_lanes(all[r]);
  }
}

// Two vectors of rows, whose sums H converts and adds: V, or a class of shorter vectors. kAsk:
// columns that follow are asked for.
template <class V, class H, bool kAsk>
[[gnu::always_inline]] inline void plain_piece(const float* a, std::int64_t stride,
                                               const typename H::Type* x1,
                                               const typename V::FloatType* size, double* sums,
                                               double* sizes) {
  constexpr std::int64_t kLanes = V::kLanes;
  constexpr int kPieces = static_cast<int>(2 * kLanes / H::kLanes);
  typename H::Type s[kPieces];
#pragma GCC unroll 4
  for (int v = 0; v < kPieces; ++v) s[v] = H::load(sums + v * H::kLanes);
  auto m = V::all_floats(0);
#pragma GCC unroll 8
  for (int k = 0; k < kSolveColumns; ++k) {
    const float* const p = a + k * stride;
    if constexpr (kAsk) __builtin_prefetch(p + kSolveColumns * stride, 0, 2);
#pragma GCC unroll 4
    for (int v = 0; v < kPieces; ++v) s[v] = H::fma(H::load(p + v * H::kLanes), x1[k], s[v]);
    m = V::float_fma(V::float_abs(V::load_floats(p)), size[k], m);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kPieces; ++v) H::store(sums + v * H::kLanes, s[v]);
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

template <class V, class H = V>
void plain_columns(std::int64_t count, const float* a, std::int64_t stride, Solved x, double* sums,
                   double*, double* sizes) {
  constexpr std::int64_t kFloats = 2 * V::kLanes;
  typename H::Type x1[kSolveColumns];
  typename V::FloatType size[kSolveColumns];
  for (int k = 0; k < kSolveColumns; ++k) {
    x1[k] = H::all(x.x1[k]);
    size[k] = V::all_floats(x.float_size[k]);
  }
  std::int64_t i = rows_to_whole_lines(a, kFloats, count);
  for (std::int64_t k = 0; k < i; k += V::kLanes)
    plain_last<V>(std::min(i - k, V::kLanes), a + k, stride, x, sums + k, sizes + k);
  const bool asks = std::is_same_v<V, H> && reading.columns == Ask::kNextColumns;
  for (; asks && i + kFloats <= count; i += kFloats)
    plain_piece<V, H, std::is_same_v<V, H>>(a + i, stride, x1, size, sums + i, sizes + i);
  for (; i + kFloats <= count; i += kFloats)
    plain_piece<V, H, false>(a + i, stride, x1, size, sums + i, sizes + i);
  for (; i < count; i += V::kLanes)
    plain_last<V>(std::min(count - i, V::kLanes), a + i, stride, x, sums + i, sizes + i);
}

template <class V, class T, bool kPair, bool kNorms = false>
void solve_columns(std::int64_t count, const T* a, std::int64_t stride, Solved x, double* sums,
                   double* low, double* sizes) {
  if (kPair && x.x2 != nullptr)
    solve_columns_of<V, T, kPair, kPair, kNorms>(count, a, stride, x, sums, low, sizes);
  else
    solve_columns_of<V, T, kPair, false, kNorms>(count, a, stride, x, sums, low, sizes);
}

template <class V>
void add_norms(std::int64_t count, double root, double more, double* norms, double* sizes) {
  for (std::int64_t i = 0; i < count; i += V::kLanes) {
    const auto part = V::fma(V::all(root), V::sqrt(V::load(norms + i)), V::all(more));
    V::store(sizes + i, V::add(V::load(sizes + i), part));
    V::store(norms + i, V::all(0));
  }
}

}  // namespace
