// The loops of residuals.h, for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else.

namespace {

template <class V, class Type>
[[gnu::always_inline]] inline void residual_step(Type a, Type x1, Type x2, Type& s, Type& m,
                                                 Type& l) {
  const Type p = V::mul(a, x1), e = V::fma_minus(a, x1, p);
  const Type s1 = V::add(s, p), q = V::sub(p, V::sub(s1, s));
  const Type m1 = V::add(m, q), r1 = V::sub(q, V::sub(m1, m));
  const Type m2 = V::add(m1, e), r2 = V::sub(e, V::sub(m2, m1));
  const Type m3 = V::fma(a, x2, m2), r3 = V::fma_minus(a, x2, V::sub(m3, m2));
  s = s1;
  m = m3;
  l = V::add(l, V::add(V::add(r1, r2), r3));
}

template <class V, class T>
void residual_rows(std::int64_t depth, const T* a, std::int64_t stride, const double* x1,
                   const double* x2, const double* anchors, double ratio, double* high, double* mid,
                   double* low) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kInner = kLanes == 8 ? kSolveRows : 2;
  for (std::int64_t first = 0; first < kSolveRows; first += kInner) {
    Type s[kInner], m[kInner], l[kInner];
    for (int r = 0; r < kInner; ++r) {
      s[r] = V::all(anchors[first + r]);
      m[r] = V::all(anchors[first + r] * ratio);
      l[r] = V::all(0);
    }
    const T* const p = a + first * stride;
    const std::int64_t ahead = line_elements_ahead<T>();
    for (std::int64_t j = 0; j < depth; j += kLanes) {
      const Type y1 = V::load(x1 + j), y2 = V::load(x2 + j);
#pragma GCC unroll 4
      for (int r = 0; r < kInner; ++r) {
        __builtin_prefetch(p + r * stride + j + ahead);
        residual_step<V>(V::load(p + r * stride + j), y1, y2, s[r], m[r], l[r]);
      }
    }
    for (int r = 0; r < kInner; ++r) {
      const double anchor = anchors[first + r];
      high[first + r] = V::sum_of_lanes(V::sub(s[r], V::all(anchor)));
      mid[first + r] = V::sum_of_lanes(V::sub(m[r], V::all(anchor * ratio)));
      low[first + r] = V::sum_of_lanes(l[r]);
    }
  }
}

template <class V, class T>
[[gnu::always_inline]] inline void residual_piece(const T* a, std::int64_t stride,
                                                  const typename V::Type* x1,
                                                  const typename V::Type* x2, double* high,
                                                  double* mid, double* low) {
  using Type = typename V::Type;
  Type s = V::load(high), m = V::load(mid), l = V::load(low);
#pragma GCC unroll 8
  for (int k = 0; k < kSolveColumns; ++k)
    residual_step<V>(V::load(a + k * stride), x1[k], x2[k], s, m, l);
  V::store(high, s);
  V::store(mid, m);
  V::store(low, l);
}

template <class V, class T>
void residual_columns(std::int64_t count, const T* a, std::int64_t stride, const double* x1,
                      const double* x2, double* high, double* mid, double* low) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes;
  Type y1[kSolveColumns], y2[kSolveColumns];
  for (int k = 0; k < kSolveColumns; ++k) {
    y1[k] = V::all(x1[k]);
    y2[k] = V::all(x2[k]);
  }
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    residual_piece<V>(a + i, stride, y1, y2, high + i, mid + i, low + i);
  if (i == count) return;
  T tail[kSolveColumns * kLanes] = {};
  for (std::int64_t k = 0; k < kSolveColumns; ++k)
    for (std::int64_t r = i; r < count; ++r) tail[k * kLanes + r - i] = a[r + k * stride];
  residual_piece<V>(tail, kLanes, y1, y2, high + i, mid + i, low + i);
}

}  // namespace
