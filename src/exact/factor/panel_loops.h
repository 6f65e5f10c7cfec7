// The loops of panels.h, for a class V of vector operations. Included by one file per instruction
// set, after its target pragma and after nearest_lanes.h and tile_loops.h, and by nobody else.

namespace {

template <class V, class T>
bool round_row(double* high, const double* low, ColumnBounds::Eight& bounds, double poison) {
  using Type = typename V::Type;
  using B = ColumnBounds;
  constexpr int kLanes = V::kLanes;
  const Type slack = V::all(B::kSlack), zero = V::all(0);
  bool certain = true;
  Type sums[8 / kLanes];
  for (int q = 0; q < 8; q += kLanes) {
    const Type sum = V::load(bounds.sum + q);
    // ColumnBounds::radius_of
    const Type size = V::mul(V::add(V::load(bounds.most + q), sum), slack);
    const Type grown = V::fma(size, V::all((2 * B::kSingles + 2) * B::kU), V::load(bounds.low + q));
    Type off = V::fma(grown, V::all(2 * B::kSingles * B::kU), V::load(bounds.off + q));
    off = V::add(V::mul(off, slack), V::all(0x1p-1000));
    off = V::or_nan(off, V::at_most(size, V::all(B::kRange)));
    off = V::add(V::or_zero(off, V::differ(sum, zero)), V::all(poison));
    const Type rounded = nearest_in_lanes<V, T>(V::load(high + q), V::load(low + q), off);
    V::store(high + q, rounded);
    certain &= V::all_true(V::at_most(rounded, rounded));
    sums[q / kLanes] = V::add(sum, V::abs(rounded));
  }
  if (!certain) return false;
  for (int q = 0; q < 8; q += kLanes) V::store(bounds.sum + q, sums[q / kLanes]);
  return true;
}

template <class V, int kVectors, bool kSplit>
[[gnu::always_inline]] inline void subtract_piece(std::int64_t depth, const double* lower,
                                                  std::int64_t ld, const double* factors,
                                                  typename V::Type anchor, double* high,
                                                  double* low) {
  using Type = typename V::Type;
  Type s[kVectors], rest[kVectors];
  for (int v = 0; v < kVectors; ++v) s[v] = anchor, rest[v] = V::all(0);
  for (std::int64_t k = 0; k < depth; ++k) {
    const Type factor = V::all(factors[k]);
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Type x = V::load(lower + k * ld + v * V::kLanes), t = V::fma(x, factor, s[v]);
      if (kSplit) rest[v] = V::add(rest[v], V::fma_minus(x, factor, V::sub(t, s[v])));
      s[v] = t;
    }
  }
  for (int v = 0; v < kVectors; ++v)
    add_block<V>(high + v * V::kLanes, low + v * V::kLanes, V::sub(s[v], anchor), rest[v]);
}

template <class V, class T>
void subtract_columns(std::int64_t count, std::int64_t depth, const double* lower, std::int64_t ld,
                      const double* factors, double anchor, double* high, double* low) {
  constexpr bool kSplit = sizeof(T) == 8;
  constexpr std::int64_t kLanes = V::kLanes;
  const typename V::Type base = V::all(kSplit ? anchor : 0);
  std::int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes)
    subtract_piece<V, 4, kSplit>(depth, lower + i, ld, factors, base, high + i, low + i);
  for (; i < count; i += kLanes)
    subtract_piece<V, 1, kSplit>(depth, lower + i, ld, factors, base, high + i, low + i);
}

template <class V, int kVectors, class S>
void pack_columns(std::int64_t depth, const S* l, std::int64_t next, double* out) {
  constexpr std::int64_t kRows = kVectors * V::kLanes;
  for (std::int64_t k = 0; k < depth; ++k) {
    const S* const from = l + k * next;
    // The next tile's: lines so far apart that they do not stay in the first cache.
    __builtin_prefetch(from + kRows + 64 / sizeof(S) - 1);
    for (int v = 0; v < kVectors; ++v)
      V::store(out + k * kRows + v * V::kLanes, V::load(from + v * V::kLanes));
  }
}

template <class V, class T>
std::int64_t divide_pairs(std::int64_t count, double u, double off, double* high,
                          const double* low) {
  using Type = typename V::Type;
  const Type divisor = V::all(u), inverse = V::all(1 / u), one = V::all(1);
  std::int64_t certain = 0;
  for (std::int64_t i = 0; i < count; i += V::kLanes) {
    const Type pair = V::load(high + i), q = V::mul(pair, inverse);
    const Type rest = V::add(V::fma_from(q, divisor, pair), V::load(low + i));
    const Type second = V::mul(rest, inverse);
    Type wide = V::fma(V::abs(q), V::all(0x1p-103), V::all(off + 0x1p-1000));
    wide = V::fma(V::abs(second), V::all(0x1p-51), wide);
    wide = V::or_nan(wide, V::at_most(V::all(0x1p-900), V::abs(pair)));
    const Type rounded = nearest_in_lanes<V, T>(q, second, wide);
    V::store(high + i, rounded);
    const std::int64_t there = count - i < V::kLanes ? count - i : V::kLanes;
    certain += V::count_true(V::at_most(V::abs(rounded), one), there);
  }
  return count - certain;
}

template <class V>
double largest_of(std::int64_t count, const double* x) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes;
  Type a = V::all(0), b = a;
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    a = V::max_abs(a, V::load(x + i));
    b = V::max_abs(b, V::load(x + i + kLanes));
  }
  for (; i + kLanes <= count; i += kLanes) a = V::max_abs(a, V::load(x + i));
  if (i < count) b = V::max_abs(b, V::load_first(x + i, count - i));
  return V::largest_lane(V::max_abs(a, b));
}

template <class V>
double largest_sum(std::int64_t count, const double* high, const double* low) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes;
  Type most = V::all(0), missing = most;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const std::int64_t there = count - i < kLanes ? count - i : kLanes;
    const Type sum = V::add(V::load_first(high + i, there), V::load_first(low + i, there));
    most = V::max_abs(most, sum);
    missing = V::add(missing, V::sub(sum, sum));
  }
  return V::largest_lane(most) + V::sum_of_lanes(missing);
}

template <class V>
std::int64_t next_sum(std::int64_t begin, std::int64_t count, const double* high, const double* low,
                      double least) {
  constexpr std::int64_t kLanes = V::kLanes;
  const typename V::Type bound = V::all(least);
  for (std::int64_t i = begin; i < count; i += kLanes) {
    const std::int64_t there = count - i < kLanes ? count - i : kLanes;
    const auto sum = V::add(V::load_first(high + i, there), V::load_first(low + i, there));
    const std::int64_t at = V::first_true(V::at_most(bound, V::abs(sum)));
    if (at < there) return i + at;
  }
  return count;
}

}  // namespace
