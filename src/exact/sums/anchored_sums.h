// The vector loops that bound a chunk's sum, for a class V of vector operations on doubles or
// floats. Included, with brackets.h, by one file per instruction set, after its target pragma, and
// by nobody else.
//
// As in anchored_strips.h a lane's running sum S starts at an anchor, here -1.5 * 2^e; g = 2^(e + 1
// - digits) and u = 2^-digits, digits = 53 or 24. For a term v = a b: t = S + v rounded, by one
// fma; q = t - S; r = v - q rounded, by another; S = t; L = L + r, rounded, from 0. Every other
// chain takes -v into its S: t = S - v, r = v + q. Then the difference of two S is what both took,
// and no anchor is in the way.
//  - Premise, looked at afterwards: all t have the sign and the exponent of the anchor. Sums scale
//    their terms, b = 2^-exponent, so that e = 0 will do: all bits of -1 are in the bitwise and of
//    all t. Only -infinity and NaN pass this test as well; they stay in S, whose end is looked at.
//    Dot products, for which e = exponent, have the bitwise or of all t ^ S, where no bit of those
//    may be.
//  - Then t is S + v rounded to a multiple of g, q is a multiple of g below 2^digits g and so
//    exact, and |v - q| <= g / 2 = u 2^e: r is off by at most u^2 2^e, or by half the smallest
//    number.
//  - Doubles. |S - anchor| <= 2^e / 2, so four chains of a lane add up exactly, to at most 2 * 2^e
//    (and multiples of g), and so do all chains if that comes out smaller. What each lane comes to
//    is then seen to be at most 2 * 2^e / kLanes, so that no sum of lanes is more than 2 * 2^e:
//    `high` is exact. A lane of L has m terms; its additions err by at most m (m + 1) / 2 u^2 2^e.
//    All of them, n terms, have n ((m + 1) / 2 + 1) u^2 2^e so far; fewer than 12 additions put the
//    lanes together, each off by at most n u^2 2^e (1 + 2^-20).
//    `error` is n (m / 2 + 16) 2^-106 2^e, of short vectors that of the longest.
//  - Floats. Lanes start anew after kSteps = 8 terms. Rounding what is at most 2^k h, h = u 2^e, is
//    off by at most 2^(k - 1) u h. So is r, k = 0, where it is rounded. L after one, two ... eight
//    additions is at most h, 2 h ... 8 h: they err by at most (0 + 1 + 2 + 2 + 4 + 4 + 4 + 4) u h,
//    21 / 8 u h for each term, and less for fewer. The S - anchor of four chains, each at most
//    2^e / 2, add up exactly; so do two such sums but for one bit of 2 h, which is found and goes
//    to the L. Those of eight chains are added up by three additions one after the other, of at
//    most 16 h, 32 h and 64 h, so each off by at most u h / 2 for each term; and that of the bit
//    comes to at most 66 h: u h for each. Together 5.7 u h for each term. Lanes of the last kGroup
//    terms may have fewer, c: sums of at most c h are off by at most u c h, and that with the bit,
//    which takes five of eight chains, so c >= 5, by u (c + 2) h: at most 1.9 u h more for each
//    term. As doubles the sums of the former are exact, and those of the latter are off by less
//    than n h 2^-33. `error` is (6 n + 2 min(n, kGroup)) u h, u h = 2^-48 2^e.
//  - What is scaled back is exact, but below the normal numbers, which exponents keep away from.
//
// The ends: low -+ error rounded err by at most 2^-53 n u 2^e, less than the part of `error` not
// used; so below <= sum <= above holds for the exact values of low -+ error as computed, and
// rounding their sums with `high` is monotone.
#pragma once

#include "src/exact/sums/slices.h"

namespace {

// The ends of the interval in the result's format.
template <class T>
[[gnu::always_inline]] inline void close(Bracket<T>& out) {
  const double down = out.low - out.error, up = out.low + out.error;
  out.below = static_cast<T>(out.high + down);
  out.above = static_cast<T>(out.high + up);
}

// -1.5 * 2^exponent, by its bits: the first terms wait for it.
inline double anchor_of(int exponent) {
  const auto field = static_cast<std::uint64_t>(exponent + 1023) << 52;
  return std::bit_cast<double>(field | 0x8008000000000000);
}

// So many terms that the beginnings of streams do not matter.
constexpr std::int64_t kFewestOfStreams = 4096;
// So many that what a chain costs at the end is less than what it hides.
constexpr std::int64_t kFewestOfChains = 384;

// Chains of lanes; kScaled: of sums. Fewer chains for fewer terms, at whose end they are added up.
template <class V, bool kScaled, int kChains = V::kChains>
struct Anchored {
  using Type = typename V::Type;
  using Element = typename V::Element;
  static constexpr std::int64_t kLanes = V::kLanes;
  static constexpr bool kFew = kChains != V::kChains;
  static constexpr int kStreams = kFew ? 1 : V::kStreams;
  // Registers for the bits of products. Bits of all terms in one are a chain of their own, each
  // link of which waits for its turn behind arithmetic: in two, dot products of 2000 doubles take
  // 0.8 of the time on Intel's processors (family 6, model 167). Few terms do not make up for
  // the other, and AVX2 has no register left.
  static constexpr int kSeen = kScaled || kLanes * sizeof(Element) < 64 || kFew ? 1 : 2;
  Type sum[kChains], low[kChains], start, factor, seen[kSeen];

  [[gnu::always_inline]] Anchored(Element anchor, Element scale)
      : start(V::all(anchor)), factor(V::all(scale)) {
    for (Type& one : seen) one = kScaled ? V::all_bits() : V::all(0);
    restart();
  }
  [[gnu::always_inline]] void restart() {
#pragma GCC unroll 8
    for (int k = 0; k < kChains; ++k) sum[k] = start, low[k] = V::all(0);
  }
  [[gnu::always_inline]] void add(int chain, Type a, Type b) {
    const bool grows = chain % 2 == 0;
    const Type before = sum[chain];
    const Type t = grows ? V::fma(a, b, before) : V::fma_negated(a, b, before);
    const Type q = V::sub(t, before);
    low[chain] = V::add(low[chain], grows ? V::fma_minus(a, b, q) : V::fma(a, b, q));
    if (!kScaled) seen[chain % kSeen] = V::or_differing(seen[chain % kSeen], t, before);
    sum[chain] = t;
  }
  [[gnu::always_inline]] void look(int one, int other) {
    if (kScaled) seen[0] = V::bits_and(seen[0], sum[one], sum[other]);
  }
  bool held() const {
    if constexpr (kScaled)
      return V::in_one_to_two(seen[0]);
    else
      return V::of_same_exponent(bits());
  }
  // The same, and is what each lane comes to at most 2 * 2^e / kLanes? Then it changes an anchor,
  // kLanes / 4 times, no more than running sums may change theirs. False for NaN and infinities.
  [[gnu::always_inline]] bool held_with(Type lanes) const {
    const Type t = V::fma(lanes, V::all(static_cast<Element>(kLanes) / 4), start);
    const Type differing = kScaled ? V::bits_without(start, seen[0]) : bits();
    return V::of_same_exponent(V::or_differing(differing, t, start));
  }
  [[gnu::always_inline]] Type bits() const {
    if constexpr (kSeen == 1)
      return seen[0];
    else
      return V::bits_or(seen[0], seen[1]);
  }

  // As many of n terms as make kStreams parts of whole steps, read side by side by chains of their
  // own. A core asks memory for more lines at a time where they are of several pages, and hides
  // less of that behind arithmetic that takes longer than a plain sum's.
  template <class Step>
  [[gnu::always_inline]] std::int64_t add_streams(Step&& step, const Element* x, const Element* y,
                                                  std::int64_t n) {
    constexpr int kEach = kChains / kStreams;
    constexpr std::int64_t kStep = kEach * kLanes, kLine = 64 / sizeof(Element);
    static_assert(kEach * kStreams == kChains && kEach % 2 == 0 && kStep % kLine == 0);
    const Parts<Element> parts(n, kStreams, kStep);
    const std::int64_t part = parts.size();
    for (std::int64_t i = 0; i < part; i += kStep) {
      const std::int64_t ahead = parts.ahead_of(i);
#pragma GCC unroll 8
      for (int s = 0; s < kStreams; ++s) {
        const std::int64_t at = s * part + i;
#pragma GCC unroll 8
        for (std::int64_t k = 0; k < kStep; k += kLine) {
          __builtin_prefetch(x + at + k + ahead);
          if (!kScaled) __builtin_prefetch(y + at + k + ahead);
        }
#pragma GCC unroll 8
        for (int k = 0; k < kEach; k += 2) {
          const int chain = s * kEach + k;
          step(chain, at + k * kLanes, std::true_type(), kLanes);
          step(chain + 1, at + (k + 1) * kLanes, std::true_type(), kLanes);
          look(chain, chain + 1);
        }
      }
    }
    return kStreams * part;
  }

  // All terms; y is not read for sums.
  [[gnu::always_inline]] void add_all(const Element* x, const Element* y, std::int64_t n) {
    const auto step = [&](int chain, std::int64_t i, auto whole, std::int64_t some)
        __attribute__((always_inline)) {
      const Type a = V::in_register(whole ? V::load(x + i) : V::load_first(x + i, some));
      if constexpr (kScaled)
        add(chain, a, factor);
      else
        add(chain, a, V::in_register(whole ? V::load(y + i) : V::load_first(y + i, some)));
    };
    std::int64_t i = 0;
    if constexpr (kStreams > 1) {
      if (n >= kFewestOfStreams && reading.in_streams) i = add_streams(step, x, y, n);
    }
    for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
#pragma GCC unroll 8
      for (int k = 0; k < kChains; k += 2) {
        step(k, i + k * kLanes, std::true_type(), kLanes);
        step(k + 1, i + (k + 1) * kLanes, std::true_type(), kLanes);
        look(k, k + 1);
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < kChains - 1; ++k) {
      if (i + kLanes > n) break;
      step(k, i, std::true_type(), kLanes);
      look(k, k);
      i += kLanes;
    }
    if (i == n) return;
    step(kChains - 1, i, std::false_type(), n - i);
    look(kChains - 1, kChains - 1);
  }
};

// What a chunk of doubles comes to, with the anchor or scale of `exponent`. In short sums this
// takes as long as the terms do.
template <class V, bool kScaled, int kChains>
[[gnu::always_inline]] inline void close_doubles(const Anchored<V, kScaled, kChains>& chains,
                                                 std::int64_t n, int exponent,
                                                 Bracket<double>& out) {
  using Type = typename V::Type;
  constexpr int kHalf = kChains / 2;
  Type high[kHalf], low[kHalf];
#pragma GCC unroll 8
  for (int k = 0; k < kHalf; ++k) {
    high[k] = V::sub(chains.sum[2 * k], chains.sum[2 * k + 1]);
    low[k] = V::add(chains.low[2 * k], chains.low[2 * k + 1]);
  }
  if constexpr (kHalf == 4) {
    high[0] = V::add(high[0], high[2]), low[0] = V::add(low[0], low[2]);
    high[1] = V::add(high[1], high[3]), low[1] = V::add(low[1], low[3]);
  }
  high[0] = V::add(high[0], high[1]), low[0] = V::add(low[0], low[1]);
  if constexpr (kHalf == 3) high[0] = V::add(high[0], high[2]), low[0] = V::add(low[0], low[2]);
  const auto both = V::sums_of_lanes(high[0], low[0]);
  const double size = kScaled ? power_of_two(exponent) : 1;
  out.high = both.one * size;
  out.low = both.other * size;
  const auto roundings = [](std::int64_t terms) {
    const std::int64_t lane = terms / (kChains * V::kLanes) + 1;
    return static_cast<double>(terms * (lane + 32)) * 1.01;
  };
  if constexpr (Anchored<V, kScaled, kChains>::kFew) {
    static_assert(roundings(kFewestOfChains) <= 0x1p15);
    out.error = power_of_two(exponent + 15 - 107);
  } else {
    out.error = roundings(n) * (0x1p-107 * power_of_two(exponent));
  }
  const double unit = kScaled ? 1 : power_of_two(exponent);
  out.roomy = n >= kFewestOfStreams && V::all_below(high[0], 0x1p-16 / V::kLanes * unit);
  out.holds = chains.held_with(high[0]);
  close(out);
}

// run(number of chains) for n doubles.
template <class V, class Run>
[[gnu::always_inline]] inline void with_chains(std::int64_t n, Run&& run) {
  if (n < kFewestOfChains)
    run(std::integral_constant<int, V::kFewChains>());
  else
    run(std::integral_constant<int, V::kChains>());
}

template <class V>
void sum_bracket(const double* x, std::int64_t n, int exponent, Bracket<double>& out) {
  const auto run = [&](auto chain_count) __attribute__((always_inline)) {
    Anchored<V, true, decltype(chain_count)::value> chains(-1.5, power_of_two(-exponent));
    chains.add_all(x, nullptr, n);
    close_doubles(chains, n, exponent, out);
  };
  with_chains<V>(n, run);
}

template <class V>
void dot_bracket(const double* x, const double* y, std::int64_t n, int exponent,
                 Bracket<double>& out) {
  const auto run = [&](auto chain_count) __attribute__((always_inline)) {
    Anchored<V, false, decltype(chain_count)::value> chains(anchor_of(exponent), 1);
    chains.add_all(x, y, n);
    close_doubles(chains, n, exponent, out);
  };
  with_chains<V>(n, run);
}

// Floats, whose sums go into doubles after kSteps terms of each lane.
template <class F, bool kScaled>
[[gnu::always_inline]] inline void bracket_floats(const float* x, const float* y, std::int64_t n,
                                                  float anchor, float scale, double size,
                                                  Bracket<float>& out) {
  using Type = typename F::Type;
  using V = typename F::Wide;
  constexpr std::int64_t kSteps = 8, kGroup = kSteps * F::kChains * F::kLanes;
  static_assert(kSteps == 8 && (F::kChains == 4 || F::kChains == 8));
  Anchored<F, kScaled> chains(anchor, scale);
  typename V::Type high[2] = {V::all(0), V::all(0)}, low[2] = {V::all(0), V::all(0)};
  for (std::int64_t i = 0; i < n; i += kGroup) {
    // A number of terms that the compiler knows, but for the last ones.
    const float* const y_here = kScaled ? nullptr : y + i;
    if (n - i >= kGroup)
      chains.add_all(x + i, y_here, kGroup);
    else
      chains.add_all(x + i, y_here, n - i);
    Type h[F::kChains], l[F::kChains];
#pragma GCC unroll 8
    for (int k = 0; k < F::kChains; k += 4) {
      const Type one = F::sub(chains.sum[k], chains.sum[k + 1]);
      h[k] = F::add(one, F::sub(chains.sum[k + 2], chains.sum[k + 3]));
      const Type other = F::add(chains.low[k + 2], chains.low[k + 3]);
      l[k] = F::add(F::add(chains.low[k], chains.low[k + 1]), other);
    }
    if constexpr (F::kChains == 8) {
      const Type both = F::add(h[0], h[4]), part = F::sub(both, h[0]);
      const Type bit = F::add(F::sub(h[0], F::sub(both, part)), F::sub(h[4], part));
      h[0] = both;
      l[0] = F::add(F::add(l[0], l[4]), bit);
    }
    for (int piece = 0; piece < 2; ++piece) {
      high[piece] = V::add(high[piece], V::widen_piece(h[0], piece));
      low[piece] = V::add(low[piece], V::widen_piece(l[0], piece));
    }
    chains.restart();
  }
  out.high = V::sum_of_lanes(V::add(high[0], high[1])) * size;
  out.low = V::sum_of_lanes(V::add(low[0], low[1])) * size;
  const double unit = static_cast<double>(anchor) / -1.5 * size;
  const std::int64_t roundings = 6 * n + 2 * std::min(n, kGroup);
  out.error = static_cast<double>(roundings) * (0x1p-48 * 1.01) * unit;
  out.roomy = false;
  out.holds = chains.held() && out.low - out.low == 0;
  close(out);
}

template <class F>
void float_sum_bracket(const float* x, std::int64_t n, int exponent, Bracket<float>& out) {
  bracket_floats<F, true>(x, nullptr, n, -1.5f, static_cast<float>(power_of_two(-exponent)),
                          power_of_two(exponent), out);
}

template <class F>
void float_dot_bracket(const float* x, const float* y, std::int64_t n, int exponent,
                       Bracket<float>& out) {
  bracket_floats<F, false>(x, y, n, static_cast<float>(-1.5 * power_of_two(exponent)), 1, 1, out);
}

// The largest |x|, or |x y| rounded; NaN does not count.
template <class V>
double largest_term(const double* x, std::int64_t n) {
  typename V::Type most = V::all(0);
  std::int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) most = V::max_abs(most, V::load(x + i));
  if (i < n) most = V::max_abs(most, V::load_first(x + i, n - i));
  return V::largest_lane(most);
}

template <class V>
double largest_product(const double* x, const double* y, std::int64_t n) {
  typename V::Type most = V::all(0);
  std::int64_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes)
    most = V::max_abs(most, V::mul(V::load(x + i), V::load(y + i)));
  if (i < n)
    most = V::max_abs(most, V::mul(V::load_first(x + i, n - i), V::load_first(y + i, n - i)));
  return V::largest_lane(most);
}

}  // namespace
