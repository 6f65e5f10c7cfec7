#include "reveal/check/data_classes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace reprosum::reveal {
namespace {

// What the classes need to know of a type.
struct Range {
  int bits, greatest, least, least_subnormal;  // exponents of the extreme powers of two
};
Range range_of(spec::Type type) {
  const spec::Format& format = type.input;
  return {format.significand_bits, spec::greatest_exponent(format), spec::least_exponent(format),
          spec::least_subnormal_exponent(format)};
}

double rounded(spec::Type type, double value) { return spec::rounded(type.input, value); }

// [0, 1), and [1, 2).
double unit(spec::Type type, FastRandom& random) {
  const double value = random.unit();
  return spec::is_f32(type) ? std::floor(value * 0x1p24) * 0x1p-24 : value;
}
double significand(spec::Type type, FastRandom& random) {
  return spec::is_f32(type) ? 1 + std::floor(random.unit() * 0x1p23) * 0x1p-23
                            : 1 + std::floor(random.unit() * 0x1p52) * 0x1p-52;
}
double sign(FastRandom& random) { return (random.bits() >> 40) % 2 == 0 ? 1 : -1; }
int between(FastRandom& random, int low, int high) {
  return low + static_cast<int>(random.below(high - low + 1));
}
// Half of the vectors are spread over 20 binades, where most orders differ.
double spread(spec::Type type, FastRandom& random, bool is_wide) {
  return is_wide ? std::ldexp(significand(type, random), between(random, -10, 9))
                 : unit(type, random);
}

void fill_signed(spec::Type type, FastRandom& random, std::span<double> x, double of_all) {
  const bool is_wide = random.below(2) == 0, has_zeros = random.below(2) == 0;
  for (double& value : x)
    value = has_zeros && random.below(16) == 0 ? 0.0 : of_all * spread(type, random, is_wide);
}

void fill_alternating(spec::Type type, FastRandom& random, std::span<double> x) {
  const bool is_wide = random.below(2) == 0;
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t run = random.below(2) == 0   ? 1
                           : random.below(2) == 0 ? (n + 1) / 2
                                                  : 1 + random.below(n);
  const double first = sign(random);
  for (std::int64_t k = 0; k < n; ++k)
    x[static_cast<std::size_t>(k)] =
        (spread(type, random, is_wide) + 0x1p-10) * (k / run % 2 == 0 ? first : -first);
  for (double& value : x) value = rounded(type, value);
}

void fill_one_binade(spec::Type type, FastRandom& random, std::span<double> x) {
  const int exponent = between(random, -8, 8);
  const std::int64_t signs = random.below(3);
  for (double& value : x)
    value = std::ldexp(significand(type, random), exponent) * (signs == 0   ? 1
                                                               : signs == 1 ? -1
                                                                            : sign(random));
}

void fill_sorted(spec::Type type, FastRandom& random, std::span<double> x, bool ascends) {
  const bool is_wide = random.below(2) == 0, by_magnitude = random.below(2) == 0;
  const bool has_both = random.below(2) == 0;
  for (double& value : x) value = spread(type, random, is_wide) * (has_both ? sign(random) : 1);
  std::sort(x.begin(), x.end(), [&](double a, double b) {
    if (by_magnitude) return std::abs(a) < std::abs(b);
    return a < b;
  });
  if (!ascends) std::reverse(x.begin(), x.end());
}

void fill_constant(spec::Type type, FastRandom& random, std::span<double> x) {
  const double value = random.below(4) == 0 ? 1 : significand(type, random) * sign(random);
  std::fill(x.begin(), x.end(), value);
}

void fill_integers(spec::Type type, FastRandom& random, std::span<double> x) {
  const double most = std::ldexp(
      1, random.below(2) == 0 ? range_of(type).bits : between(random, 1, range_of(type).bits));
  const bool has_both = random.below(2) == 0;
  for (double& value : x) value = std::floor(random.unit() * most) * (has_both ? sign(random) : 1);
}

void fill_sparse(spec::Type type, FastRandom& random, std::span<double> x) {
  const bool is_wide = random.below(2) == 0;
  const std::int64_t one_of = std::int64_t{2} << (2 * random.below(3));
  const auto n = static_cast<std::int64_t>(x.size());
  const bool in_one_run = random.below(3) == 0;
  const std::int64_t length = (n + one_of - 1) / one_of, first = random.below(n - length + 1);
  for (std::int64_t k = 0; k < n; ++k) {
    const bool is_there = in_one_run ? k >= first && k < first + length : random.below(one_of) == 0;
    x[static_cast<std::size_t>(k)] = is_there ? spread(type, random, is_wide) * sign(random) : 0.0;
  }
}

void fill_short(spec::Type type, FastRandom& random, std::span<double> x) {
  const int bits = random.below(4) == 0 ? 1 : between(random, 2, 24);
  // Sums of such numbers round where they are spread enough.
  const int half = spec::is_f32(type) ? 14 : 40;
  const bool has_both = random.below(2) == 0;
  for (double& value : x) {
    const double whole =
        1 + std::floor(random.unit() * std::ldexp(1, bits - 1)) * std::ldexp(1, 1 - bits);
    value = std::ldexp(whole, between(random, -half, half)) * (has_both ? sign(random) : 1);
  }
}

void fill_ordinary(spec::Type type, FastRandom& random, std::span<double> x) {
  for (double& value : x) value = unit(type, random) * sign(random);
}

// All times 2^exponent; of factors one of them times its inverse in half of the vectors.
void fill_shifted(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y) {
  // 2^26 summands do not overflow.
  const int most = range_of(type).greatest - 28;
  const int exponent = between(random, -most, most);
  fill_ordinary(type, random, x);
  fill_ordinary(type, random, y);
  const bool cancels = random.below(2) == 0;
  const bool in_y = !y.empty() && random.below(2) == 0;
  const std::span<double> one = in_y ? y : x, other = in_y ? x : y;
  for (double& value : one) value = rounded(type, std::ldexp(value, exponent));
  if (cancels)
    for (double& value : other) value = rounded(type, std::ldexp(value, -exponent));
}

// Values, or products, whose partial sums overflow: where depends on the order.
void put_near_overflow(spec::Type type, FastRandom& random, std::span<double> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const double top = std::ldexp(0.75, range_of(type).greatest);
  const std::int64_t way = random.below(6);
  const double all = sign(random);
  if (way < 4) {
    // Magnitudes near the top in so many places, of random signs, of one, or of one in each half.
    const std::int64_t one_of = random.below(2) == 0 ? 1 : 1 + random.below(n);
    for (std::int64_t k = 0; k < n; ++k) {
      const double of = way < 2 ? sign(random) : way == 2 || 2 * k < n ? all : -all;
      const double share = way == 1 ? 4.0 / static_cast<double>(n + 2) : 1;
      x[static_cast<std::size_t>(k)] =
          random.below(one_of) == 0
              ? rounded(type, top * share * of * (0.5 + 0.5 * unit(type, random)))
              : unit(type, random) * sign(random);
    }
    return;
  }
  // Two that overflow together, and two that cancel them.
  fill_ordinary(type, random, x);
  for (int k = 0; k < 4; ++k)
    x[static_cast<std::size_t>(random.below(n))] =
        top * (way == 4 && k >= 2 ? -1 : 1) * (1 + 0.25 * unit(type, random));
  for (double& value : x) value = rounded(type, value);
}

void fill_overflowing(spec::Type type, FastRandom& random, std::span<double> x,
                      std::span<double> y) {
  put_near_overflow(type, random, x);
  if (y.empty()) return;
  // The products are x's values times less than one; x may be far below the top for it, or the
  // factors change places.
  const int exponent = between(random, 0, range_of(type).greatest);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = rounded(type, std::ldexp(x[k], -exponent));
    y[k] = rounded(type, std::ldexp(1 + unit(type, random) / 4, exponent));
  }
  if (random.below(2) == 0) std::swap_ranges(x.begin(), x.end(), y.begin());
}

// Subnormal values; of factors one is subnormal and the other may bring it back.
void fill_subnormal(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y) {
  const Range range = range_of(type);
  const bool has_both = random.below(2) == 0;
  const int up_to = random.below(2) == 0 ? range.least : range.least + 3;
  for (double& value : x) {
    const int exponent = between(random, range.least_subnormal, up_to);
    value = rounded(type, std::ldexp(significand(type, random), exponent)) *
            (has_both ? sign(random) : 1);
  }
  if (y.empty()) return;
  const int exponent = random.below(3) == 0 ? 0 : between(random, 0, range.greatest - 1);
  for (double& value : y) value = std::ldexp(significand(type, random), exponent);
  if (random.below(2) == 0) std::swap_ranges(x.begin(), x.end(), y.begin());
}

// Such a sum consists of the rounding errors of its partial sums, which show all bits of an
// accumulator.
void fill_cancelling(spec::Type type, FastRandom& random, std::span<double> x,
                     std::span<double> y) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto one = [&](int half) {
    return std::ldexp(significand(type, random), between(random, -half, half)) * sign(random);
  };
  for (double& value : x) value = one(y.empty() ? 20 : 10);
  for (double& value : y) value = one(10);
  std::vector<bool> is_paired(x.size(), false);
  const auto pair = [&](std::int64_t first, std::int64_t second) {
    const auto of = static_cast<std::size_t>(first), at = static_cast<std::size_t>(second);
    x[at] = -x[of];
    if (!y.empty()) y[at] = y[of];
    is_paired[of] = is_paired[at] = true;
  };
  // Partners at mirrored places, at one distance, or anywhere.
  const std::int64_t way = random.below(3);
  if (way == 0) {
    for (std::int64_t k = 0; k < n / 2; ++k) pair(k, n - 1 - k);
  } else if (way == 1) {
    const std::int64_t distance = 1 + random.below(std::max<std::int64_t>(n / 2, 1));
    for (std::int64_t k = 0; k + distance < n; ++k)
      if (k / distance % 2 == 0) pair(k, k + distance);
  } else {
    std::vector<std::int64_t> places(x.size());
    std::iota(places.begin(), places.end(), std::int64_t{0});
    for (std::size_t k = places.size(); k > 1; --k)
      std::swap(places[k - 1],
                places[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
    for (std::size_t k = 0; k + 1 < places.size(); k += 2) pair(places[k], places[k + 1]);
  }
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!is_paired[k]) x[k] *= 0x1p-70;  // below what 64 bits of an accumulator hold
}

void fill_same(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y) {
  const bool is_wide = random.below(2) == 0;
  for (double& value : x) value = spread(type, random, is_wide) * sign(random);
  if (!y.empty()) {
    std::copy(x.begin(), x.end(), y.begin());
    return;
  }
  for (std::size_t k = 0; k < x.size() / 2; ++k) x[x.size() - 1 - k] = x[k];
}

// y is one number times x, which the type holds: a power of two, or x has room for the product.
void fill_proportional(spec::Type type, FastRandom& random, std::span<double> x,
                       std::span<double> y) {
  if (y.empty()) {
    // Over 40 binades, so that the last ones still count.
    const double ratio = std::exp2(-40 / static_cast<double>(x.size())) * sign(random);
    double value = significand(type, random);
    for (double& one : x) one = rounded(type, std::exchange(value, value * ratio));
    if (random.below(2) == 0) std::reverse(x.begin(), x.end());
    return;
  }
  const std::int64_t way = random.below(3);
  const double factor = way == 0   ? std::ldexp(sign(random), between(random, -8, 8))
                        : way == 1 ? static_cast<double>(3 + random.below(98)) * sign(random)
                                   : significand(type, random) * sign(random);
  const double unit_of = std::ldexp(1, range_of(type).bits / 2);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = spread(type, random, way == 0) * sign(random);
    if (way == 1) x[k] = std::floor(x[k] * unit_of) / unit_of;  // the product is exact
    y[k] = rounded(type, factor * x[k]);
  }
}

// y is x or its contrary, in the same or in the opposite sequence.
void fill_mirrored(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y,
                   bool is_negated) {
  const bool is_wide = random.below(2) == 0;
  for (double& value : x) value = spread(type, random, is_wide) * sign(random);
  const std::size_t n = x.size();
  if (y.empty()) {
    for (std::size_t k = 0; k < n / 2; ++k)
      is_negated ? x[2 * k + 1] = -x[2 * k] : x[(n + 1) / 2 + k] = x[k];
    return;
  }
  for (std::size_t k = 0; k < n; ++k) y[k] = is_negated ? -x[k] : x[n - 1 - k];
}

// Multiples of `step` up to `most` of them.
void fill_multiples(spec::Type type, FastRandom& random, std::span<double> x, double step,
                    double most) {
  const bool has_both = random.below(2) == 0;
  for (double& value : x) {
    const double count = std::floor(random.unit() * most) * (has_both ? sign(random) : 1);
    value = rounded(type, count * step);
  }
}

void fill_fixed_point(spec::Type type, FastRandom& random, std::span<double> x) {
  constexpr int kDigits[] = {1, 1, 2, 4, 7, 8, 15, 16};  // behind the point
  const double step = std::ldexp(1, -kDigits[random.below(std::ssize(kDigits))]);
  const int bits = random.below(2) == 0 ? 16 : between(random, 3, range_of(type).bits);
  fill_multiples(type, random, x, step, std::ldexp(1, bits));
}

void fill_decimals(spec::Type type, FastRandom& random, std::span<double> x) {
  constexpr double kParts[] = {10, 10, 100, 100, 1000, 20, 5, 3};
  const double parts = kParts[random.below(std::ssize(kParts))];
  const double most = std::pow(10, static_cast<double>(between(random, 1, 6)));
  fill_multiples(type, random, x, 1, most);
  // What a program reads: the number nearest to the decimal.
  for (double& value : x) value = rounded(type, value / parts);
}

// A few places hold what may be skipped, or must not be.
void fill_across(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double rare[] = {inf, -inf, nan, nan}, zeros[] = {0.0, -0.0};
  fill_ordinary(type, random, x);
  fill_ordinary(type, random, y);
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t way = random.below(4);
  for (std::int64_t count = way == 3 ? 3 : 1; count > 0; --count) {
    const auto at = static_cast<std::size_t>(random.below(n));
    x[at] = rare[random.below(std::ssize(rare))];
    if (y.empty()) continue;
    // A zero, or another rare one, across from it.
    y[at] = way < 3 ? zeros[random.below(2)] : rare[random.below(std::ssize(rare))];
  }
  // Beside others that are zero themselves, now and then.
  if (random.below(2) == 0)
    for (double& value : random.below(2) == 0 || y.empty() ? x : y)
      if (std::isfinite(value) && random.below(4) == 0) value = zeros[random.below(2)];
  if (!y.empty() && random.below(2) == 0) std::swap_ranges(x.begin(), x.end(), y.begin());
}

// Classes that speak of one vector.
void fill_alone(Data kind, spec::Type type, FastRandom& random, std::span<double> x) {
  if (x.empty()) return;
  switch (kind) {
    case Data::nonnegative:
      return fill_signed(type, random, x, 1);
    case Data::nonpositive:
      return fill_signed(type, random, x, -1);
    case Data::alternating:
      return fill_alternating(type, random, x);
    case Data::one_binade:
      return fill_one_binade(type, random, x);
    case Data::ascending:
      return fill_sorted(type, random, x, true);
    case Data::descending:
      return fill_sorted(type, random, x, false);
    case Data::constant:
      return fill_constant(type, random, x);
    case Data::integers:
      return fill_integers(type, random, x);
    case Data::sparse:
      return fill_sparse(type, random, x);
    case Data::short_bits:
      return fill_short(type, random, x);
    case Data::fixed_point:
      return fill_fixed_point(type, random, x);
    case Data::decimals:
      return fill_decimals(type, random, x);
    default:
      return fill_ordinary(type, random, x);
  }
}

}  // namespace

void fill_class(Data kind, spec::Type type, FastRandom& random, std::span<double> x,
                std::span<double> y) {
  if (x.empty()) return;
  switch (kind) {
    case Data::shifted:
      return fill_shifted(type, random, x, y);
    case Data::overflowing:
      return fill_overflowing(type, random, x, y);
    case Data::subnormal:
      return fill_subnormal(type, random, x, y);
    case Data::cancelling:
      return fill_cancelling(type, random, x, y);
    case Data::same:
      return fill_same(type, random, x, y);
    case Data::negated:
      return fill_mirrored(type, random, x, y, true);
    case Data::proportional:
      return fill_proportional(type, random, x, y);
    case Data::reversed:
      return fill_mirrored(type, random, x, y, false);
    case Data::across:
      return fill_across(type, random, x, y);
    default:
      break;
  }
  const std::int64_t way = y.empty() ? 0 : random.below(3);
  fill_alone(way == 1 ? Data::ordinary : kind, type, random, x);
  fill_alone(way == 2 ? Data::ordinary : kind, type, random, y);
}

void fill_class_alone(Data kind, spec::Type type, FastRandom& random, std::span<double> x) {
  fill_alone(kind, type, random, x);
}

bool is_of_pairs(Data kind) {
  switch (kind) {
    case Data::shifted:
    case Data::overflowing:
    case Data::subnormal:
    case Data::cancelling:
    case Data::same:
    case Data::negated:
    case Data::proportional:
    case Data::reversed:
    case Data::across:
      return true;
    default:
      return false;
  }
}

void fill_class_beside(Data kind, spec::Type type, FastRandom& random, std::span<double> x) {
  fill_alone(kind, type, random, x);
}

}  // namespace reprosum::reveal
