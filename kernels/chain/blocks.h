// Blocks of a chain inside one binade. Included by chain_avx2.cpp and chain_avx512.cpp inside their
// namespaces. The letters and the proof are those of README.md.

// The binade of an accumulator a, 2^e <= |a| < 2^(e+1), of grid u: everything has the sign of a.
template <class V>
struct Binade {
  using T = typename V::Element;
  typename V::Type even, odd;  // S = 1.5 * 2^e and S + u
  T low = 0, high = 0;         // accumulators lie strictly between them
  T half = 0;                  // 2^(e-1), positive
  T unit = 0;                  // u, with the sign of a

  // False, with nothing set, where no block could be proven: a is zero, subnormal, Inf or NaN.
  bool enter(T a) {
    using Bits = typename V::Bits;
    constexpr Bits kFractionMask = (Bits{1} << V::kFraction) - 1;
    const Bits bits = std::bit_cast<Bits>(a);
    const Bits field = bits >> V::kFraction & V::kLargestField;
    if (field == 0 || field == V::kLargestField) return false;
    const Bits start = bits & ~kFractionMask;
    const T s = std::bit_cast<T>(start | Bits{1} << (V::kFraction - 1));
    const T next = std::bit_cast<T>(std::bit_cast<Bits>(s) + 1);
    const T edge = std::bit_cast<T>(start);
    even = V::all(s);
    odd = V::all(next);
    unit = next - s;
    low = edge < 0 ? 2 * edge : edge;
    high = edge < 0 ? edge : 2 * edge;
    half = (edge < 0 ? -edge : edge) / 2;
    return true;
  }
};

// The next kLanes summands added to S and to S + u.
template <class V, Op kOp>
[[gnu::always_inline]] inline void add_to_both(const Binade<V>& binade,
                                               const typename V::Element* x,
                                               const typename V::Element* y,
                                               typename V::Type& from_even,
                                               typename V::Type& from_odd) {
  typename V::Type p = V::load(x);
  if constexpr (kOp == Op::fused) {
    const typename V::Type factor = V::load(y);
    from_even = V::fma(p, factor, binade.even);
    from_odd = V::fma(p, factor, binade.odd);
  } else {
    if constexpr (kOp == Op::rounded) p = p * V::load(y);
    from_even = V::fma(p, V::all(1), binade.even);
    from_odd = V::fma(p, V::all(1), binade.odd);
  }
}

// How far up and down from its start an accumulator can have gone within a block.
template <class T>
struct Reach {
  T up = 0, down = 0;
};

// kVectors vectors at once. False, with nothing changed, where that is not proven.
template <class V, Op kOp, int kVectors>
[[gnu::always_inline]] inline bool add_block(const Binade<V>& binade, const typename V::Element* x,
                                             const typename V::Element* y, typename V::Element& a,
                                             Reach<typename V::Element>& reach) {
  using T = typename V::Element;
  using Type = typename V::Type;
  Type net = V::all(0), other_net = net, size = net, other_size = net;
  Type not_tied = V::all_bits();
  const auto add = [&](int v, Type& to_net, Type& to_size) __attribute__((always_inline)) {
    Type t, t1;
    add_to_both<V, kOp>(binade, x + v * V::kLanes, kOp == Op::sum ? x : y + v * V::kLanes, t, t1);
    const Type r = t - binade.even;
    to_net += r;
    to_size += V::abs(r);
    not_tied = V::and_differing(not_tied, t, t1);
  };
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; v += 2) {
    add(v, net, size);
    add(v + 1, other_net, other_size);
  }
  const T d = sum_of_lanes<V>(net + other_net), s = sum_of_lanes<V>(size + other_size);
  const T up = (s + d) / 2, down = (s - d) / 2;
  const bool holds = (s < binade.half) & (a - down > binade.low) & (a + up < binade.high) &
                     (V::first_bits(not_tied) == V::kAllLanes);
  if (!holds) return false;
  a += d;
  reach = {up, down};
  return true;
}

// What ties change in the sums of units: r by u or -u where the accumulator is odd, |r| by u at
// most.
template <class V>
struct Settled {
  typename V::Element more[V::kLanes] = {}, ties[V::kLanes] = {};
  int count = 0;  // of ties
  int units = 0;  // that are settled: up to one with so many ties that it is faster one by one
};

// Settles the ties of the first `units` units of kVectors vectors each, for an accumulator that
// starts at a.
template <class V, Op kOp, int kVectors>
[[gnu::noinline]] Settled<V> settle_ties(const Binade<V>& binade, const typename V::Element* x,
                                         const typename V::Element* y, typename V::Element a,
                                         int units) {
  using T = typename V::Element;
  Settled<V> settled;
  settled.units = units;
  bool is_odd = (std::bit_cast<typename V::Bits>(a) & 1) != 0;
  typename V::Type since = V::all(0);  // whose last bits count the odd r's that is_odd has not seen
  for (int k = 0; k < units; ++k) {
    int change = 0, count = 0;
    for (int v = 0; v < kVectors; ++v, x += V::kLanes, y += kOp == Op::sum ? 0 : V::kLanes) {
      typename V::Type t, t1;
      add_to_both<V, kOp>(binade, x, y, t, t1);
      const typename V::Type change_of_both = V::differing(t, t1);
      unsigned tied = ~V::first_bits(change_of_both) & V::kAllLanes;
      if (tied == 0) {
        since = V::differing(since, t);
        continue;
      }
      const unsigned upward = V::second_bits(change_of_both);
      unsigned odd = V::first_bits(t);
      is_odd ^= (std::popcount(V::first_bits(since)) & 1) != 0;
      since = V::all(0);
      count += std::popcount(tied);
      if (std::popcount(tied) > V::kLanes / 4) {
        settled.units = k;
        settled.count += count;
        return settled;
      }
      for (; tied != 0; tied &= tied - 1) {
        const int at = std::countr_zero(tied);
        is_odd ^= (std::popcount(odd & ((1u << at) - 1)) & 1) != 0;
        if (is_odd) change += (upward >> at & 1) != 0 ? 1 : -1;
        is_odd = false;
        odd &= ~((2u << at) - 1);
      }
      is_odd ^= (std::popcount(odd) & 1) != 0;
    }
    settled.count += count;
    settled.more[k] = static_cast<T>(change) * binade.unit;
    settled.ties[k] = static_cast<T>(count) * (binade.unit < 0 ? -binade.unit : binade.unit);
  }
  return settled;
}

// kLanes units of kVectors vectors each, whose places in the binade are known one by one. Adds as
// many units as are proven from the first on, and gives how many; reach is that of all of them.
template <class V, Op kOp, int kVectors>
[[gnu::always_inline]] inline int add_units(const Binade<V>& binade, const typename V::Element* x,
                                            const typename V::Element* y, typename V::Element& a,
                                            Reach<typename V::Element>& reach, int& ties) {
  using T = typename V::Element;
  typename V::Type nets[V::kLanes], sizes[V::kLanes];
  typename V::Type not_tied = V::all_bits();
#pragma GCC unroll 16
  for (int k = 0; k < V::kLanes; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int at = (k * kVectors + v) * V::kLanes;
      typename V::Type t, t1;
      add_to_both<V, kOp>(binade, x + at, kOp == Op::sum ? x : y + at, t, t1);
      const typename V::Type r = t - binade.even;
      nets[k] = v == 0 ? r : nets[k] + r;
      sizes[k] = v == 0 ? V::abs(r) : sizes[k] + V::abs(r);
      not_tied = V::and_differing(not_tied, t, t1);
    }
  }
  typename V::Type net = sums_of_lanes<V, V::kLanes>(nets);
  typename V::Type size = sums_of_lanes<V, V::kLanes>(sizes);
  typename V::Type before, start, up, down;
  const auto prove = [&]() __attribute__((always_inline)) {
    const typename V::Type one_half = V::all(T(0.5));
    before = sums_before<V>(net), start = V::all(a) + before;
    up = (size + net) * one_half, down = (size - net) * one_half;
    return V::less(V::all(binade.low), start - down) & V::less(start + up, V::all(binade.high)) &
           V::less(size, V::all(binade.half));
  };
  unsigned proven = prove();
  if (V::first_bits(not_tied) != V::kAllLanes) [[unlikely]] {
    // A unit that would not be proven without its ties is not worth settling them.
    const int units = std::countr_one(proven);
    const auto settled = settle_ties<V, kOp, kVectors>(Binade<V>(binade), x, y, a, units);
    net += V::load(settled.more);
    size += V::load(settled.ties);
    ties = settled.count;
    proven = prove() & ((1u << settled.units) - 1);
  }
  if (proven == V::kAllLanes) [[likely]] {
    a += before[V::kLanes - 1] + net[V::kLanes - 1];
    reach = {sum_of_lanes<V>(up), sum_of_lanes<V>(down)};
    return V::kLanes;
  }
  const int count = std::countr_one(proven);
  T starts[V::kLanes];
  V::store(starts, start);
  a = starts[count];
  return count;
}
