// Diagonal blocks of trsv (solves.h, diagonal_block.h) in vectors, for a class V of vector
// operations: the same numbers and bounds as run_block's, for blocks whose components are all
// certain. Included by one file per instruction set, after its target pragma and nearest_lanes.h,
// and by nobody else.

namespace {

// The column of one step, zero down to its diagonal, in the order of steps.
template <class V, class T>
[[gnu::always_inline]] inline void load_column(const BlockOfRows<T>& block, int k,
                                               typename V::Type* column) {
  constexpr int kLanes = V::kLanes;
  const T* const top = block.a + k * block.across;
  if (block.down == 1) {
    for (int v = 0; v < 8 / kLanes; ++v)
      column[v] = V::load_from(top + v * kLanes, std::clamp(k + 1 - v * kLanes, 0, kLanes));
  } else if (block.down == -1) {
    for (int v = 0; v < 8 / kLanes; ++v) {
      const int there = std::clamp((v + 1) * kLanes - k - 1, 0, kLanes);
      column[v] = V::reversed(V::load_first(top - (v + 1) * kLanes + 1, there));
    }
  } else {
    alignas(64) double elements[8] = {};
    for (int r = k + 1; r < 8; ++r) elements[r] = static_cast<double>(top[r * block.down]);
    for (int v = 0; v < 8 / kLanes; ++v) column[v] = V::load(elements + v * kLanes);
  }
}

// Eight numbers in the order of steps.
template <class V>
[[gnu::always_inline]] inline void load_steps(const double* p, bool reversed,
                                              typename V::Type* out) {
  constexpr int kLanes = V::kLanes;
  for (int v = 0; v < 8 / kLanes; ++v)
    out[v] = reversed ? V::reversed(V::load(p + 8 - (v + 1) * kLanes)) : V::load(p + v * kLanes);
}

// What bounds the rows of a block, and their sums.
template <class V>
struct PlainRows {
  typename V::Type inverse[8 / V::kLanes], gain[8 / V::kLanes], base[8 / V::kLanes];
  typename V::Type shifted_gain[8 / V::kLanes], shifted_base[8 / V::kLanes];
  typename V::Type s[8 / V::kLanes], m[8 / V::kLanes];
};

// A vector of components and their sizes, of which those are right whose sums are complete.
template <class V, bool kCertified>
[[gnu::always_inline]] inline void plain_components(const PlainRows<V>& rows, int v,
                                                    double size_of_q, typename V::Type& x,
                                                    typename V::Type& size) {
  x = V::mul(rows.s[v], rows.inverse[v]);
  if constexpr (kCertified) {
    const auto known = V::fma(V::abs(x), V::all(size_of_q), rows.shifted_base[v]);
    size = V::fma(rows.m[v], rows.shifted_gain[v], known);
  } else {
    x = V::as_floats(x);
    size = V::abs(x);
  }
}

// Row r becomes a component, which is taken off the rows after it.
template <class V, bool kCertified, int r>
[[gnu::always_inline]] inline void plain_row(const BlockOfRows<float>& block, double size_of_q,
                                             PlainRows<V>& rows) {
  using Type = typename V::Type;
  Type column[8 / V::kLanes], components, sizes;
  load_column<V, float>(block, r, column);
  plain_components<V, kCertified>(rows, r / V::kLanes, size_of_q, components, sizes);
  const Type x = V::template lane<r % V::kLanes>(components);
  const Type size = V::template lane<r % V::kLanes>(sizes);
  for (int v = r / V::kLanes; v < 8 / V::kLanes; ++v) {
    rows.s[v] = V::fma_from(column[v], x, rows.s[v]);
    rows.m[v] = V::fma(V::abs(column[v]), size, rows.m[v]);
  }
}

template <class V, bool kCertified>
bool plain_block(const BlockOfRows<float>& block) {
  using Type = typename V::Type;
  constexpr int kLanes = V::kLanes, kVectors = 8 / kLanes;
  alignas(64) double diagonal[8];
  for (int r = 0; r < 8; ++r)
    diagonal[r] = block.unit ? 1 : static_cast<double>(block.a[r * (block.down + block.across)]);
  PlainRows<V> rows;
  typename V::Truths fine[kVectors];
  load_steps<V>(block.sums, block.reversed, rows.s);
  load_steps<V>(block.sizes, block.reversed, rows.m);
  const double spread = kCertified ? 1.01 / block.shift : 0;
  for (int v = 0; v < kVectors; ++v) {
    const Type d = V::load(diagonal + v * kLanes), shift = V::all(block.shift);
    rows.inverse[v] = V::div(V::all(1), d);
    const Type over = V::mul(V::abs(rows.inverse[v]), V::all(1 + 0x1p-40));
    const Type steps = V::add(V::all(block.additions + 16 + v * kLanes), V::counting());
    rows.gain[v] = V::mul(V::fma(steps, V::all(0x1.01p-53), V::all(spread)), over);
    rows.base[v] = V::fma(over, V::all(0x1p-1000), V::all(0x1p-1000));
    rows.shifted_gain[v] = V::mul(rows.gain[v], shift);
    rows.shifted_base[v] = V::mul(rows.base[v], shift);
    fine[v] =
        V::both(V::at_most(V::all(0x1p-900), V::abs(d)), V::at_most(V::abs(d), V::all(0x1p900)));
  }
  const double size_of_q = 1 + 0x1p-40 + block.shift * 0x1p-51;
  plain_row<V, kCertified, 0>(block, size_of_q, rows);
  plain_row<V, kCertified, 1>(block, size_of_q, rows);
  plain_row<V, kCertified, 2>(block, size_of_q, rows);
  plain_row<V, kCertified, 3>(block, size_of_q, rows);
  plain_row<V, kCertified, 4>(block, size_of_q, rows);
  plain_row<V, kCertified, 5>(block, size_of_q, rows);
  plain_row<V, kCertified, 6>(block, size_of_q, rows);
  Type x[kVectors], sizes[kVectors], rounded[kVectors];
  bool certain = true;
  for (int v = 0; v < kVectors; ++v) {
    plain_components<V, kCertified>(rows, v, size_of_q, x[v], sizes[v]);
    const Type q = V::mul(rows.s[v], rows.inverse[v]);
    Type wide = V::fma(rows.m[v], rows.gain[v], V::fma(V::abs(q), V::all(0x1p-51), rows.base[v]));
    fine[v] = V::both(fine[v], V::at_most(V::all(kLeastFloatSize), rows.m[v]));
    wide = V::or_nan(wide, fine[v]);
    rounded[v] = nearest_in_lanes<V, float>(q, V::all(0), wide);
    certain &= V::all_true(V::at_most(rounded[v], rounded[v]));
  }
  if (!certain) return false;
  for (int v = 0; v < kVectors; ++v) {
    const std::int64_t at = block.reversed ? 8 - (v + 1) * kLanes : v * kLanes;
    const auto ordered = [&](Type value) { return block.reversed ? V::reversed(value) : value; };
    V::store(block.x1 + at, ordered(V::sub(V::all(0), x[v])));
    V::store(block.size_of_x + at, ordered(sizes[v]));
    V::store(block.size + at, ordered(rows.m[v]));
    // float_size_of, of what is not zero
    const Type larger = V::mul(sizes[v], V::all(1 + 0x1p-16));
    V::store_floats(block.float_size + at, ordered(V::max_abs(larger, V::all(0x1p-126))));
    V::store_floats(block.rounded + at, ordered(rounded[v]));
  }
  return true;
}

// The same with pairs (solves.h).
template <class V>
struct PairRows {
  static constexpr int kVectors = 8 / V::kLanes;
  typename V::Type diagonal[kVectors], inverse[kVectors], anchor[kVectors];
  typename V::Type gain[kVectors], base[kVectors], shifted_gain[kVectors], shifted_base[kVectors];
  typename V::Type s[kVectors], l[kVectors], m[kVectors];
  double shift;
};

// x1 + x2 for a vector of rows: certified as a sum without error, else rounded.
template <class V, class T, bool kCertified>
struct PairComponents {
  typename V::Type q, q2, x1, x2, size;

  [[gnu::always_inline]] PairComponents(const PairRows<V>& rows, int v) {
    using Type = typename V::Type;
    const Type high = V::sub(rows.s[v], rows.anchor[v]);
    q = V::mul(high, rows.inverse[v]);
    const Type left = V::fma_from(q, rows.diagonal[v], high);
    q2 = V::mul(V::add(left, rows.l[v]), rows.inverse[v]);
    x1 = V::add(q, q2);
    x2 = V::all(0);
    if constexpr (kCertified) {
      // As in run_chain; |q| is at most |x1| + |q2|, and half of 2^-51 |q2| is to spare.
      const Type z = V::sub(x1, q);
      x2 = V::add(V::sub(q, V::sub(x1, z)), V::sub(q2, z));
      Type known = V::fma(V::abs(q2), V::all(rows.shift * 0x1p-51), rows.shifted_base[v]);
      known = V::fma(V::abs(x1), V::all(1 + 0x1p-39 + rows.shift * 0x1p-102), known);
      size = V::fma(rows.m[v], rows.shifted_gain[v], known);
    } else {
      if constexpr (sizeof(T) == 4) x1 = V::as_floats(x1);
      size = V::abs(x1);
    }
  }
};

template <class V, class T, bool kCertified, int r>
[[gnu::always_inline]] inline void pair_row(const BlockOfRows<T>& block, PairRows<V>& rows) {
  using Type = typename V::Type;
  constexpr int kLane = r % V::kLanes;
  Type column[8 / V::kLanes];
  load_column<V, T>(block, r, column);
  const PairComponents<V, T, kCertified> row(rows, r / V::kLanes);
  const Type x1 = V::template lane<kLane>(row.x1), x2 = V::template lane<kLane>(row.x2);
  const Type size = V::template lane<kLane>(row.size);
  for (int v = r / V::kLanes; v < 8 / V::kLanes; ++v) {
    const Type t = V::fma_from(column[v], x1, rows.s[v]);
    Type rest = V::fma_from(column[v], x1, V::sub(rows.s[v], t));
    if constexpr (kCertified) rest = V::fma_from(column[v], x2, rest);
    rows.l[v] = V::add(rows.l[v], rest);
    rows.s[v] = t;
    rows.m[v] = V::fma(V::abs(column[v]), size, rows.m[v]);
  }
}

template <class V, class T, bool kCertified>
bool pair_block(const BlockOfRows<T>& block) {
  using Type = typename V::Type;
  constexpr int kLanes = V::kLanes, kVectors = 8 / kLanes;
  alignas(64) double diagonal[8], bounds[8];
  for (int r = 0; r < 8; ++r) {
    diagonal[r] = block.unit ? 1 : static_cast<double>(block.a[r * (block.down + block.across)]);
    bounds[r] = pair_error(block.additions + r + 16);
  }
  PairRows<V> rows;
  typename V::Truths fine[kVectors];
  load_steps<V>(block.sums, block.reversed, rows.s);
  load_steps<V>(block.low, block.reversed, rows.l);
  load_steps<V>(block.sizes, block.reversed, rows.m);
  load_steps<V>(block.anchors, block.reversed, rows.anchor);
  rows.shift = block.shift;
  const Type shift = V::all(block.shift), spread = V::all(kCertified ? 1.01 / block.shift : 0);
  for (int v = 0; v < kVectors; ++v) {
    const Type d = V::load(diagonal + v * kLanes);
    rows.diagonal[v] = d;
    rows.inverse[v] = V::div(V::all(1), d);
    const Type over = V::mul(V::abs(rows.inverse[v]), V::all(1 + 0x1p-40));
    const Type error = V::fma(V::load(bounds + v * kLanes), rows.anchor[v], V::all(0x1p-1000));
    rows.gain[v] = V::mul(spread, over);
    rows.base[v] = V::fma(error, over, V::all(0x1p-1000));
    rows.shifted_gain[v] = V::mul(rows.gain[v], shift);
    rows.shifted_base[v] = V::mul(rows.base[v], shift);
    fine[v] =
        V::both(V::at_most(V::all(0x1p-900), V::abs(d)), V::at_most(V::abs(d), V::all(0x1p900)));
  }
  pair_row<V, T, kCertified, 0>(block, rows);
  pair_row<V, T, kCertified, 1>(block, rows);
  pair_row<V, T, kCertified, 2>(block, rows);
  pair_row<V, T, kCertified, 3>(block, rows);
  pair_row<V, T, kCertified, 4>(block, rows);
  pair_row<V, T, kCertified, 5>(block, rows);
  pair_row<V, T, kCertified, 6>(block, rows);
  Type x1[kVectors], x2[kVectors], sizes[kVectors], rounded[kVectors];
  bool certain = true;
  for (int v = 0; v < kVectors; ++v) {
    const PairComponents<V, T, kCertified> row(rows, v);
    x1[v] = row.x1, x2[v] = row.x2, sizes[v] = row.size;
    Type wide = V::fma(V::abs(row.q), V::all(0x1p-103), rows.base[v]);
    wide = V::fma(V::abs(row.q2), V::all(0x1p-51), wide);
    wide = V::fma(rows.m[v], rows.gain[v], wide);
    const auto held = V::at_most(rows.m[v], V::mul(V::all(kAnchored), rows.anchor[v]));
    wide = V::or_nan(wide, V::both(fine[v], held));
    rounded[v] = nearest_in_lanes<V, T>(row.q, row.q2, wide);
    certain &= V::all_true(V::at_most(rounded[v], rounded[v]));
  }
  if (!certain) return false;
  for (int v = 0; v < kVectors; ++v) {
    const std::int64_t at = block.reversed ? 8 - (v + 1) * kLanes : v * kLanes;
    const auto ordered = [&](Type value) { return block.reversed ? V::reversed(value) : value; };
    V::store(block.x1 + at, ordered(V::sub(V::all(0), x1[v])));
    V::store(block.x2 + at, ordered(V::sub(V::all(0), x2[v])));
    V::store(block.size_of_x + at, ordered(sizes[v]));
    V::store(block.size + at, ordered(rows.m[v]));
    if constexpr (sizeof(T) == 4)
      V::store_floats(block.rounded + at, ordered(rounded[v]));
    else
      V::store(block.rounded + at, ordered(rounded[v]));
  }
  return true;
}

}  // namespace
