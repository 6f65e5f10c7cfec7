#include "reveal/check/random_matrices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "reveal/check/data_classes.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kLastSummands = 16;  // that zeros are put among in half of the products

double scalar(spec::Type type, std::int64_t choice, FastRandom& random) {
  switch (choice) {
    case 0:
      return 1;
    case 1:
      return random.bits() % 2 == 0 ? 0.0 : -0.0;
    case 2:
      return -1;
    default: {
      const double value = (random.unit() + 0.5) * (random.bits() % 2 == 0 ? 1 : -1);
      return spec::rounded(type.input, value);
    }
  }
}

constexpr std::uint64_t kRareScalars = 16;  // one of so many is

// One that libraries may treat in a way of their own, and whose products overflow or underflow.
double rare_scalar(spec::Type type, const ScalarLimits& limits, FastRandom& random) {
  const bool f32 = spec::is_f32(type);
  const double sign = random.bits() % 2 == 0 ? 1 : -1;
  switch (random.below(limits.are_finite ? 2 : 4)) {
    case 0:
      return sign * (f32 ? 0x1.8p100 : 0x1.8p800);
    case 1:
      return sign * (limits.are_moderate ? 0.5 : f32 ? 0x1p-140 : 0x1p-1060);
    case 2:
      return sign * std::numeric_limits<double>::infinity();
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

// Zeros of one sign, or of both: only they show the sign of a sum that underflows.
void put_zeros(std::span<double> values, FastRandom& random) {
  const std::int64_t way = random.below(3);
  for (double& value : values)
    value = way == 0 || (way == 1 && random.bits() % 2 == 0) ? -0.0 : 0.0;
}

// Half of the rows end with zeros of the other sign: if alpha turns the +0 beside a group of
// summands to -0, that shows when the summands behind it are -0.
void turn_last_signs(const Call& call, std::span<double> rows, FastRandom& random) {
  for (std::int64_t i = 0; i < call.m; ++i) {
    if (random.bits() % 2 == 0) continue;
    std::int64_t last = call.k % (std::int64_t{2} << random.below(4));
    if (last == 0) last = 1 + random.below(std::min<std::int64_t>(call.k, 9));
    for (std::int64_t p = call.k - last; p < call.k; ++p) {
      double& value = rows[static_cast<std::size_t>(i * call.k + p)];
      value = -value;
    }
  }
}

// Rows and columns that blocks leave over may be a class of their own, however many there are.
std::int64_t last_or_any(std::int64_t of, FastRandom& random) {
  return random.bits() % 2 == 0 ? of - 1 : random.below(of);
}

// One output, and those beside it with factors of the same signs, of which every summand is -0 but
// for one: C that is -0 stays so if that one's zero factor is left out.
void put_one_positive_zero(const Call& call, std::span<double> a, std::span<double> b,
                           std::span<double> c, FastRandom& random) {
  const std::int64_t i = last_or_any(call.m, random), j = last_or_any(call.n, random);
  const auto k = static_cast<std::size_t>(call.k);
  const auto row = a.subspan(static_cast<std::size_t>(i) * k, k),
             column = b.subspan(static_cast<std::size_t>(j) * k, k);
  const bool is_row = random.bits() % 2 == 0;
  const std::span<double> zeros = is_row ? row : column, others = is_row ? column : row;
  for (std::size_t p = 0; p < k; ++p) zeros[p] = std::signbit(others[p]) ? 0.0 : -0.0;
  const std::int64_t reach = random.bits() % 2 == 0 ? std::min(call.k, kLastSummands) : call.k;
  double& one = zeros[static_cast<std::size_t>(call.k - 1 - random.below(reach))];
  one = -one;
  for (std::int64_t at = 0; at < (is_row ? call.n : call.m); ++at)
    c[static_cast<std::size_t>(is_row ? i + at * call.m : at + j * call.m)] = -0.0;
}

// A library that skips the zeros of one operand does not see the infinities they meet.
void put_infinities_on_zeros(const Call& call, std::span<double> a, std::span<double> b,
                             FastRandom& random) {
  const auto zero = [&] { return random.bits() % 2 == 0 ? 0.0 : -0.0; };
  const auto special = [&] {
    return random.bits() % 4 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity();
  };
  const auto at = [&](std::int64_t line, std::int64_t p) {
    return static_cast<std::size_t>(line * call.k + p);
  };
  const auto put = [&](std::span<double> zeros, std::int64_t of, std::span<double> varied,
                       std::int64_t with) {
    const std::int64_t line = last_or_any(of, random);
    if (random.bits() % 2 == 0) {
      const std::int64_t p = random.below(call.k);
      zeros[at(line, p)] = zero();
      const double value = special();
      for (std::int64_t i = 0; i < with; ++i)
        if (random.bits() % 2 == 0) varied[at(i, p)] = value;
      return;
    }
    // What blocks leave over may be skipped, by their length at most sizes: each of the last
    // summands meets an infinity in one output.
    for (std::int64_t p = std::max<std::int64_t>(0, call.k - kLastSummands); p < call.k; ++p) {
      zeros[at(line, p)] = zero();
      varied[at(random.below(with), p)] = special();
    }
  };
  if (random.bits() % 4 != 0) put(b, call.n, a, call.m);
  if (random.bits() % 2 == 0) put(a, call.m, b, call.n);
}

}  // namespace

void Matrices::resize(std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t counts[] = {m * k, n * k, m * n, std::max(m * n, k)};
  const std::size_t needed = std::accumulate(std::begin(counts), std::end(counts), std::size_t{});
  if (needed > size_) {
    size_ = needed;
    memory_ = std::make_unique_for_overwrite<double[]>(size_);
  }
  double* at = memory_.get();
  std::span<double>* const all[] = {&a, &b, &c, &beside_};
  for (std::size_t i = 0; i < std::size(all); at += counts[i++]) *all[i] = {at, counts[i]};
}

void Matrices::keep(std::size_t most) {
  if (size_ <= most) return;
  memory_.reset();
  size_ = 0;
}

void Matrices::fill(const Call& call, Data kind, FastRandom& random) {
  const auto m = static_cast<std::size_t>(call.m), n = static_cast<std::size_t>(call.n),
             k = static_cast<std::size_t>(call.k);
  resize(m, n, k);
  if (is_class(kind) && !is_of_pairs(kind)) return fill_whole(call, kind, random);
  const std::size_t pairs = std::min(m, n);
  std::vector<Partners> partners(pairs < m ? pairs : 0);
  const auto row = [&](std::size_t i) { return a.subspan(i * k, k); };
  const auto column = [&](std::size_t j) { return b.subspan(j * k, k); };
  for (std::size_t i = 0; i < pairs; ++i)
    reveal::fill(kind, call.type, random, row(i), column(i), pairs < m ? &partners[i] : nullptr);
  for (std::size_t i = pairs; i < m; ++i)
    fill_beside(kind, call.type, random, row(i), partners[i % pairs]);
  for (std::size_t j = pairs; j < n; ++j)
    reveal::fill(kind, call.type, random, beside_.first(k), column(j));
  Data of_c = kind == Data::tiny ? Data::wide : kind;
  if (is_class(kind) && random.below(2) == 0) of_c = Data::ordinary;
  reveal::fill(of_c, call.type, random, c, beside_.first(m * n));
  // What is small or large shows beside nothing else.
  if (is_class(kind) && random.below(3) == 0) std::fill(c.begin(), c.end(), 0.0);
  if (kind == Data::tiny && random.below(3) == 0) put_zeros(c, random);
  if (kind == Data::zeros) turn_last_signs(call, a, random);
  if (kind == Data::zeros && random.bits() % 2 == 0) put_one_positive_zero(call, a, b, c, random);
  if (kind == Data::special) put_infinities_on_zeros(call, a, b, random);
}

// A library looks at whole matrices, if at all.
void Matrices::fill_whole(const Call& call, Data kind, FastRandom& random) {
  const std::int64_t way = random.below(4);
  fill_class_alone(way == 1 ? Data::ordinary : kind, call.type, random, a);
  fill_class_alone(way == 2 ? Data::ordinary : kind, call.type, random, b);
  fill_class_alone(way == 3 ? Data::ordinary : kind, call.type, random, c);
}

void Matrices::leave_no_zero_factors(spec::Type type, FastRandom& random) {
  // Half an alpha's least magnitude (scalar()) times this is no zero yet.
  const double least = spec::is_f32(type) ? 0x1p-147 : 0x1p-1072;
  for (const std::span<double> factors : {a, b})
    for (double& value : factors)
      if (std::abs(value) < least) value = random.bits() % 2 == 0 ? least : -least;
}

void Matrices::make_constant(bool is_b, double value) {
  for (double& element : is_b ? b : a) element = value;
}

void Matrices::make_one_matrix(const Call& call, bool is_negated) {
  const auto k = static_cast<std::size_t>(call.k);
  const auto put = [&](double& to, double from) { to = is_negated ? -from : from; };
  if (call.trans_a != call.trans_b) {  // row i of op(A) and column i of op(B) are one line
    for (std::size_t at = 0; at < b.size(); ++at) put(b[at], a[at]);
    return;
  }
  for (std::size_t j = 0; j < k; ++j)
    for (std::size_t p = 0; p < k; ++p) put(b[j * k + p], a[p * k + j]);
}

std::optional<Call> as_one_matrix(Call call) {
  const bool is_one =
      call.trans_a != call.trans_b ? call.m == call.n : call.m == call.n && call.n == call.k;
  if (call.routine != spec::Routine::gemm || !is_one) return std::nullopt;
  call.pad_b = call.pad_a;
  call.align_b = call.align_a;
  call.place.shift = 0;
  return call;
}

double Matrices::put_near_underflow(spec::Type type, FastRandom& random) {
  // All sums vanish: whether alpha is fused with a +0 shows in the sign beside a C of -0 alone.
  if (random.below(3) == 0) {
    std::fill(c.begin(), c.end(), -0.0);
    const double least = spec::least_subnormal(type.input);
    return random.bits() % 2 == 0 ? least : -least;
  }
  const double alpha = near_underflow(type, random);
  const bool is_zero = random.below(4) == 0;
  for (double& value : c) {
    value = near_underflow(type, random);
    if (is_zero) value = random.bits() % 2 == 0 ? 0.0 : -0.0;
  }
  return alpha;
}

void Matrices::put_vanishing_products(spec::Type type, FastRandom& random) {
  const int below = (spec::is_f32(type) ? 76 : 540) + static_cast<int>(random.below(8));
  // All products may be -0, which random signs would hide.
  const bool is_negative = random.bits() % 2 == 0;
  const auto shrink = [&](std::span<double> factors, bool negative) {
    for (double& value : factors) {
      if (value == 0) continue;
      const bool sign = is_negative ? negative : random.bits() % 2 == 0;
      value = std::ldexp(sign ? -0.5 - random.unit() : 0.5 + random.unit(), -below);
      if (spec::is_f32(type)) value = static_cast<double>(static_cast<float>(value));
    }
  };
  shrink(a, false);
  shrink(b, true);
  const bool is_mixed = random.below(3) == 0;
  for (double& value : c) value = is_mixed && random.bits() % 2 == 0 ? 0.0 : -0.0;
}

std::pair<double, double> random_scalars(spec::Type type, const ScalarLimits& limits,
                                         FastRandom& random) {
  const std::uint64_t pair = random.bits();
  const auto draw = [&](std::uint64_t bits) {
    if ((bits >> 8) % kRareScalars == 0) return rare_scalar(type, limits, random);
    return scalar(type, static_cast<std::int64_t>(bits % 256 % 6), random);
  };
  double alpha = limits.is_alpha_one ? 1 : draw(pair);
  if (alpha == 0 && !limits.may_alpha_be_zero) alpha = -1;
  return {alpha, draw(pair >> 32)};
}

}  // namespace reprosum::reveal
