// What the instruction sets share: vectors as the compiler knows them, and their lanes put
// together. Included by chain_avx2.cpp and chain_avx512.cpp inside their namespaces, so that each
// has functions of its own.

// Sums of the lanes of kLanes vectors, side by side: lane k is that of values[k]. Where the sums
// are exact, as they are here, in which sequence lanes are added does not matter.
template <class V, int kUnit, bool kOdd, std::size_t... j>
[[gnu::always_inline]] inline typename V::Type part_of(typename V::Type a, typename V::Type b,
                                                       std::index_sequence<j...>) {
  // Every other unit of a, then of b: within 128 bits, or whole such parts.
  constexpr int kLanes = V::kLanes, kQuarter = 16 / static_cast<int>(sizeof(typename V::Element));
  constexpr auto from = [](int lane) {
    const int around = kUnit < kQuarter ? kQuarter : kLanes;
    const int base = lane / around * around, at = lane % around;
    const int unit = at / kUnit, half = around / kUnit / 2;
    const int source = 2 * (unit % half) + (kOdd ? 1 : 0);
    return (unit < half ? 0 : kLanes) + base + source * kUnit + at % kUnit;
  };
  return __builtin_shufflevector(a, b, from(static_cast<int>(j))...);
}

template <class V, int kUnit>
[[gnu::always_inline]] inline typename V::Type joined(typename V::Type a, typename V::Type b) {
  constexpr auto lanes = std::make_index_sequence<V::kLanes>();
  return part_of<V, kUnit, false>(a, b, lanes) + part_of<V, kUnit, true>(a, b, lanes);
}

// Joins neighbours of kCount vectors until there is one vector.
template <class V, int kCount, int kStep = 1>
[[gnu::always_inline]] inline typename V::Type sums_of_lanes(typename V::Type* values) {
  constexpr int kQuarter = 16 / static_cast<int>(sizeof(typename V::Element));
  if constexpr (kCount == 1) {
    return values[0];
  } else {
    constexpr int kUnit = kStep < kQuarter ? 1 : kQuarter;
#pragma GCC unroll 8
    for (int k = 0; k < kCount / 2; ++k)
      values[k] = joined<V, kUnit>(values[2 * k], values[2 * k + 1]);
    return sums_of_lanes<V, kCount / 2, 2 * kStep>(values);
  }
}

template <class V, int kBy, std::size_t... j>
[[gnu::always_inline]] inline typename V::Type moved_up(typename V::Type v,
                                                        std::index_sequence<j...>) {
  constexpr int kLanes = V::kLanes;
  return __builtin_shufflevector(
      v, V::all(0), (static_cast<int>(j) < kBy ? kLanes : static_cast<int>(j) - kBy)...);
}

// Lane k becomes the sum of lanes 0..k-1.
template <class V>
[[gnu::always_inline]] inline typename V::Type sums_before(typename V::Type v) {
  constexpr auto lanes = std::make_index_sequence<V::kLanes>();
  v = moved_up<V, 1>(v, lanes);
  v += moved_up<V, 1>(v, lanes);
  if constexpr (V::kLanes > 2) v += moved_up<V, 2>(v, lanes);
  if constexpr (V::kLanes > 4) v += moved_up<V, 4>(v, lanes);
  if constexpr (V::kLanes > 8) v += moved_up<V, 8>(v, lanes);
  return v;
}

template <class V, int kBy, std::size_t... j>
[[gnu::always_inline]] inline typename V::Type folded(typename V::Type v,
                                                      std::index_sequence<j...>) {
  return v + __builtin_shufflevector(v, v, ((static_cast<int>(j) + kBy) % V::kLanes)...);
}

template <class V>
[[gnu::always_inline]] inline typename V::Element sum_of_lanes(typename V::Type v) {
  constexpr auto lanes = std::make_index_sequence<V::kLanes>();
  if constexpr (V::kLanes > 8) v = folded<V, 8>(v, lanes);
  if constexpr (V::kLanes > 4) v = folded<V, 4>(v, lanes);
  if constexpr (V::kLanes > 2) v = folded<V, 2>(v, lanes);
  return v[0] + v[1];
}
