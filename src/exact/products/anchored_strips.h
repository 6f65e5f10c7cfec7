// The loops of gemv for doubles, for a class V of vector operations. Included by one file per
// instruction set, after its target pragma, and by nobody else.
//
// A lane's running sum S starts at -1.5. For a product a x: t = S + a x rounded, by one fma; q = t
// - S; r = a x - q rounded, by another; S = t; L = L + r, rounded, from 0. x is scaled by a power
// of two, without error, so that S stays where it should; g = 2^-52 and u = 2^-53.
//  - Premise, looked at afterwards: all t lie in (-2, -1]. `held` is the bitwise and of all t; the
//    premise is that it has the sign and the ten bits that are the exponent of 1 to 2. Besides
//    those numbers only -infinity and NaN have these bits; they reach r and leave a NaN in L, by
//    which every rounding test fails: t = -infinity makes r +infinity or NaN, and what follows NaN.
//  - Then t is S + a x rounded to a multiple of g, q is a multiple of g of at most 1 and so exact,
//    and |a x - q| <= g / 2 = u: r is off by at most u^2, or 2^-1075.
//  - S + 1.5 is exact, and is the sum of the q.
//  - After j terms |L| <= j u (1 + 2^-40), and the last addition to it erred by at most u times
//  that:
//    m terms leave L off by at most m ((m + 1) / 2 + 1) u^2 (1 + 2^-30) in all. The lanes of L are
//    added up by 7 additions, each off by at most u times the terms so far times u.
//  - |S + 1.5| <= 1/2. The sum of 4 lanes is a multiple of g of at most 2, exact; that of 8 is
//  exact
//    if it is at most 2, which is part of the premise.
// Blocks of terms are added up as high + low: high exactly, but for an error that goes into low.
#pragma once

namespace {

// Adds sums to running ones: high exactly, its error into low.
inline void add_sum(double high, double low, double* at_high, double* at_low) {
  const double before = *at_high, sum = before + high, part = sum - before;
  *at_high = sum;
  *at_low += ((before - (sum - part)) + (high - part)) + low;
}

template <class V, int kRows>
bool anchored_rows(std::int64_t depth, std::int64_t lead, const double* a, std::int64_t stride,
                   const double* x, double* high, double* low) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kLine = 64 / sizeof(double);
  const std::int64_t ahead = line_elements_ahead<double>();
  const double* row[kRows];
  for (int r = 0; r < kRows; ++r) row[r] = a + r * stride;
  Type held = V::all_bits();
  bool within = true;
  for (int r = 0; r < kRows; ++r) high[r] = low[r] = 0;
  // Blocks end where vectors do.
  std::int64_t end = lead > 0 ? lead - kLanes : 0;
  for (std::int64_t i = 0; i < depth;) {
    end = end + kRowBlock < depth ? end + kRowBlock : depth;
    Type sum[kRows], below[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = V::all(-1.5), below[r] = V::all(0);
    // The elements at a place: a whole vector of them, or the first `some` of one.
    const auto step = [&](auto whole, std::int64_t at, std::int64_t some)
        __attribute__((always_inline)) {
      const auto load = [&](const double* from) __attribute__((always_inline)) {
        return whole ? V::load(from) : V::load_first(from, some);
      };
      Type factor = load(x + at);
      Type next[kRows];
      std::int64_t again = at;
      if (V::kReadsTwice) asm("" : "+r"(again));
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        Type value = load(row[r] + at);
        if (!V::kReadsTwice) value = V::opaque(value);
        next[r] = V::fma(value, factor, sum[r]);
        const Type q = V::sub(next[r], sum[r]);
        if (V::kReadsTwice) value = load(row[r] + again);
        below[r] = V::add(below[r], V::fma_minus(value, factor, q));
        sum[r] = next[r];
        if (r % 2 == 1) held = V::bits_and(held, next[r - 1], next[r]);
        V::keep_order(factor, below[r]);
      }
    };
    if (i == 0 && lead > 0) {
      i = lead < end ? lead : end;
      step(std::false_type(), 0, i);
    }
    for (; i + kLine <= end; i += kLine) {
      const std::int64_t later = i + ahead;
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) __builtin_prefetch(row[r] + later);
#pragma GCC unroll 2
      for (std::int64_t l = 0; l < kLine; l += kLanes) step(std::true_type(), i + l, kLanes);
    }
    for (; i + kLanes <= end; i += kLanes) step(std::true_type(), i, kLanes);
    if (i < end) {
      step(std::false_type(), i, end - i);
      i = end;
    }
    for (int r = 0; r < kRows; ++r) {
      const double all = V::sum_of_lanes(V::add(sum[r], V::all(1.5)));
      within = within && all >= -2 && all <= 2;
      add_sum(all, V::sum_of_lanes(below[r]), high + r, low + r);
    }
  }
  return within && V::in_one_to_two(held);
}

// kAsk: lines of the columns that follow are asked for, into the second-level cache, since low
// strips give each column a page or two at a time, too few for it to be foreseen; or, in tall ones,
// the next lines of more columns side by side. A matrix that lies in a cache has no use for it.
template <class V, Ask kAsk>
bool anchored_columns(std::int64_t count, std::int64_t lead, std::int64_t begin, std::int64_t end,
                      const double* a, std::int64_t stride, const double* x, double* room,
                      double* high, double* low) {
  using Type = typename V::Type;
  constexpr std::int64_t kLanes = V::kLanes, kLine = 64 / sizeof(double);
  constexpr std::int64_t kColumns = kAsk == Ask::kSameColumns ? 8 : kLanes;
  static_assert(kStripRoom >= 6 * kLanes + 2 * kPage);
  // Rows before the first vector have one of their own, of which they fill the first places.
  const std::int64_t unused = lead > 0 ? kLanes - lead : 0;
  double* const sums = behind(a, 1, room + kLanes) - unused;
  double* const belows = behind(a, 2, sums + count + 3 * kLanes) - unused;
  const std::int64_t ahead = line_elements_ahead<double>();
  if (lead > count) lead = count;
  // Vectors of rows: some before the first whole one, whole ones, and some after them.
  const std::int64_t whole = (count - lead) / kLanes, after = (count - lead) % kLanes;
  const std::int64_t first = lead > 0 ? kLanes : 0, last = first + whole * kLanes;
  for (std::int64_t k = 0; k < last + kLanes; ++k) sums[k] = -1.5, belows[k] = 0;
  Type held = V::all_bits();
  const auto columns = [&](std::int64_t j, auto width) __attribute__((always_inline)) {
    constexpr int kWidth = decltype(width)::value;
    Type factor[kWidth];
#pragma GCC unroll 8
    for (int k = 0; k < kWidth; ++k) factor[k] = V::all(x[j + k]);
    const auto rows = [&](std::int64_t slot, const double* p, auto whole, std::int64_t some)
        __attribute__((always_inline)) {
      Type sum = V::load(sums + slot), below = V::load(belows + slot);
      const Type before = sum;
#pragma GCC unroll 8
      for (int k = 0; k < kWidth; ++k) {
        const double* const from = p + k * stride;
        if (kAsk == Ask::kNextColumns && (slot - first) % kLine == 0)
          __builtin_prefetch(from + kWidth * stride, 0, 2);
        if (kAsk == Ask::kSameColumns && (slot - first) % kLine == 0)
          __builtin_prefetch(from + ahead);
        const Type value = V::opaque(whole ? V::load(from) : V::load_first(from, some));
        const Type next = V::fma(value, factor[k], sum), q = V::sub(next, sum);
        below = V::add(below, V::fma_minus(value, factor[k], q));
        if (k % 2 == 1) held = V::bits_and(held, sum, next);
        sum = next;
      }
      if (kWidth == 1) held = V::bits_and(held, before, sum);
      V::store(sums + slot, sum);
      V::store(belows + slot, below);
    };
    const double* p = a + j * stride;
    if (lead > 0) rows(0, p, std::false_type(), lead);
    p += lead;
    for (std::int64_t slot = first; slot < last; slot += kLanes, p += kLanes)
      rows(slot, p, std::true_type(), kLanes);
    if (after > 0) rows(last, p, std::false_type(), after);
  };
  std::int64_t j = begin;
  for (; j + kColumns <= end; j += kColumns)
    columns(j, std::integral_constant<int, static_cast<int>(kColumns)>());
  for (; j < end; ++j) columns(j, std::integral_constant<int, 1>());
  for (std::int64_t r = 0; r < lead; ++r) add_sum(sums[r] + 1.5, belows[r], high + r, low + r);
  for (std::int64_t r = lead; r < count; ++r)
    add_sum(sums[first + r - lead] + 1.5, belows[first + r - lead], high + r, low + r);
  return V::in_one_to_two(held);
}

template <class V>
bool anchored_columns(std::int64_t count, std::int64_t lead, std::int64_t begin, std::int64_t end,
                      Ask ask, const double* a, std::int64_t stride, const double* x, double* room,
                      double* high, double* low) {
  const auto sum = ask == Ask::kNothing       ? anchored_columns<V, Ask::kNothing>
                   : ask == Ask::kNextColumns ? anchored_columns<V, Ask::kNextColumns>
                                              : anchored_columns<V, Ask::kSameColumns>;
  return sum(count, lead, begin, end, a, stride, x, room, high, low);
}

}  // namespace
