#include "reveal/check/random_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "reveal/check/data_classes.h"

namespace reprosum::reveal {
namespace {

double rounded(spec::Type type, double value) { return spec::rounded(type.input, value); }

double signed_unit(FastRandom& random) { return random.unit() * 2 - 1; }

// A significand in [1, 2) with a random sign times 2^exponent. Built from its bits: large vectors
// spend most of their time here.
double scaled(FastRandom& random, int exponent) {
  constexpr std::uint64_t sign_and_fraction = 0x800fffffffffffffu;
  const std::uint64_t bits = (random.bits() & sign_and_fraction) | (std::uint64_t{1023} << 52);
  const double value = std::bit_cast<double>(bits);
  if (exponent < -1000) return std::ldexp(value, exponent);
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// A random sign, significand and exponent in [-half, half], all from the bits of one draw.
double wide(FastRandom& random, int half) {
  constexpr std::uint64_t sign_and_fraction = 0x800fffffffffffffu;
  const std::uint64_t bits = random.bits();
  const auto exponent = static_cast<int>((bits >> 52 & 0x7ff) * (2 * half + 1) >> 11) - half;
  return std::bit_cast<double>((bits & sign_and_fraction) |
                               static_cast<std::uint64_t>(1023 + exponent) << 52);
}

constexpr int kHalf = 10;            // exponents of x and y add up
constexpr std::uint64_t kGaps = 15;  // 1 to 15 on to the next that cancels: one of eight does

// Without a branch, which would take as long as the rest.
template <typename T>
void put_wide(FastRandom& random, int half, std::span<double> x) {
  for (double& value : x) value = static_cast<double>(static_cast<T>(wide(random, half)));
}
void put_wide(spec::Type type, FastRandom& random, int half, std::span<double> x) {
  spec::is_f32(type) ? put_wide<float>(random, half, x) : put_wide<double>(random, half, x);
}

void fill_wide(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y,
               Partners* partners) {
  put_wide(type, random, y.empty() ? 2 * kHalf : kHalf, x);
  put_wide(type, random, kHalf, y);
  std::size_t k = random.bits() % kGaps;
  while (k < x.size()) {
    const std::uint64_t choice = random.bits();
    if (k > 0) {
      // Mostly a near one, so that a large vector stays in the cache.
      const std::uint64_t reach = choice % 8 == 0 ? k : std::min<std::uint64_t>(k, 4096);
      const std::size_t j = k - 1 - (choice >> 8) % reach;
      x[k] = -x[j];
      if (!y.empty()) y[k] = y[j];
      if (partners != nullptr) partners->emplace_back(k, j);
    }
    k += 1 + (choice >> 3) % kGaps;
  }
}

void fill_wide_beside(spec::Type type, FastRandom& random, std::span<double> x,
                      const Partners& partners) {
  put_wide(type, random, kHalf, x);
  for (const auto& [k, j] : partners) x[k] = -x[j];
}

// Factors whose product rounds to the least normal number, or does so among subnormal numbers
// only: where what is tiny becomes zero, the first stay and the second do not.
void put_on_the_border(spec::Type type, FastRandom& random, double& x, double& y) {
  const bool f32 = spec::is_f32(type);
  const double least = f32 ? 0x1p-126 : 0x1p-1022, half = f32 ? 0x1p-13 : 0x1p-27,
               last = f32 ? 0x1p-24 : 0x1p-53;
  const bool stays = random.below(2) == 0;
  x = stays ? 1 + half : 1 - last;
  y = (stays ? 1 - half : 1) * (random.below(2) == 0 ? least : -least);
  if (random.below(2) == 0) std::swap(x, y);
}

// `is_product`: x is one of two factors, the other one may be filled already.
void fill_tiny(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y,
               bool is_product) {
  const int least = spec::least_subnormal_exponent(type.input);
  // Some underflow to zero; or around the least normal number.
  const bool is_normal = random.below(2) == 0;
  const int from = is_normal ? spec::least_exponent(type.input) - 12 : least - 4;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!y.empty() && is_normal && random.below(8) == 0) {
      put_on_the_border(type, random, x[k], y[k]);
      continue;
    }
    const int product = from + static_cast<int>(random.below(is_normal ? 18 : 28));
    const int share = is_product ? product / 2 : 0;
    x[k] = rounded(type, scaled(random, std::max(product - share, least)));
    if (!y.empty()) y[k] = rounded(type, scaled(random, share));
  }
}

// What fill_zeros() puts into one place of x and of y.
struct ZeroPair {
  double x = -0.0, y = 1;
};

void fill_zeros(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y,
                bool is_product) {
  const int least = spec::least_subnormal_exponent(type.input);
  const double factor = std::ldexp(1.0, least / 2 - 4);
  const ZeroPair pairs[] = {
      {-0.0, 1},
      // A product that underflows to -0; for sum the least subnormal.
      {is_product ? -factor : -std::ldexp(1.0, least), factor},
      {0.0, 1},
      {is_product ? 0.0 : -0.0, -1},
  };
  // One kind of summand dominates, so that whole subtrees stay at -0.
  const std::uint64_t main = random.bits() % std::size(pairs);
  const std::uint64_t mixture = random.bits() % 3;  // 0: pure
  if (mixture == 0) {
    std::fill(x.begin(), x.end(), pairs[main].x);
    std::fill(y.begin(), y.end(), pairs[main].y);
    return;
  }
  const std::uint64_t others = mixture == 1 ? 64 : 4;  // one of so many is of another kind
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::uint64_t kind =
        (random.bits() & (others - 1)) == 0 ? random.bits() % (std::size(pairs) + 1) : main;
    const ZeroPair pair =
        kind < std::size(pairs) ? pairs[kind] : ZeroPair{rounded(type, signed_unit(random)), 1};
    x[k] = pair.x;
    if (!y.empty()) y[k] = pair.y;
  }
}

void fill_ordinary(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y) {
  for (double& value : x) value = rounded(type, signed_unit(random));
  for (double& value : y) value = rounded(type, signed_unit(random));
}

void fill_special(spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y) {
  fill_ordinary(type, random, x, y);
  const double inf = std::numeric_limits<double>::infinity();
  for (std::int64_t count = random.below(3) + 1; count > 0; --count) {
    const auto k = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(x.size())));
    const std::uint64_t kind = random.bits() % 5;
    x[k] = kind == 0 ? std::numeric_limits<double>::quiet_NaN() : kind % 2 == 0 ? inf : -inf;
    if (kind == 4 && !y.empty()) y[k] = 0;
  }
}

}  // namespace

const char* name(Data kind) {
  static constexpr const char* kNames[] = {
      "ordinary",    "wide",        "tiny",       "zeros",        "special",     "nonnegative",
      "nonpositive", "alternating", "one_binade", "ascending",    "descending",  "constant",
      "integers",    "sparse",      "short_bits", "shifted",      "overflowing", "subnormal",
      "cancelling",  "same",        "negated",    "proportional", "reversed",    "fixed_point",
      "decimals",    "across"};
  static_assert(std::size(kNames) == kAllKinds);
  return kNames[static_cast<std::size_t>(kind)];
}

void fill(Data kind, spec::Type type, FastRandom& random, std::span<double> x, std::span<double> y,
          Partners* partners) {
  if (partners != nullptr) partners->clear();
  switch (kind) {
    case Data::ordinary:
      return fill_ordinary(type, random, x, y);
    case Data::wide:
      return fill_wide(type, random, x, y, partners);
    case Data::tiny:
      return fill_tiny(type, random, x, y, !y.empty());
    case Data::zeros:
      return fill_zeros(type, random, x, y, !y.empty());
    case Data::special:
      return fill_special(type, random, x, y);
    default:
      return fill_class(kind, type, random, x, y);
  }
}

void fill_beside(Data kind, spec::Type type, FastRandom& random, std::span<double> x,
                 const Partners& partners) {
  switch (kind) {
    case Data::ordinary:
      return fill_ordinary(type, random, x, {});
    case Data::wide:
      return fill_wide_beside(type, random, x, partners);
    case Data::tiny:
      return fill_tiny(type, random, x, {}, true);
    case Data::zeros:
      return fill_zeros(type, random, x, {}, true);
    case Data::special:
      return fill_special(type, random, x, {});
    default:
      return fill_class_beside(kind, type, random, x);
  }
}

double near_underflow(spec::Type type, FastRandom& random) {
  const bool f32 = spec::is_f32(type);
  const auto below = static_cast<int>(random.below(f32 ? 20 : 46));
  const double value =
      std::ldexp(random.bits() % 2 == 0 ? 0.5 + random.unit() : -0.5 - random.unit(),
                 (f32 ? -126 : -1022) - below);
  return f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

}  // namespace reprosum::reveal
