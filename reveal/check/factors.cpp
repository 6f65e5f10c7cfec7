#include "reveal/check/factors.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "reveal/check/replay_check.h"
#include "reveal/check/rounding.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kProducts = 64;
// What is rounded to a wider format first differs once in some thousand products; that has a reason
// of its own, found later.
constexpr int kTwiceRounded = 3;

bool applies(const Call& context) {
  return context.routine == spec::Routine::dot && context.incx != 0 && context.incy != 0;
}

int bits_of(const Call& context) { return spec::is_f32(context.type) ? 24 : 53; }

// x[k]*1 or 1*x[k], each by itself.
std::vector<double> alone(Target& target, Call call, const std::vector<double>& values, bool in_y) {
  call.k = 1;
  const std::vector<double> ones(values.size(), 1.0);
  Vectors data;
  data.x = in_y ? ones : values;
  data.y = in_y ? values : ones;
  return run(target, call, data, static_cast<std::int64_t>(values.size()));
}

// Some classes of outputs have few sizes, or one: what cannot be asked is no reason to refuse.
// Whether orders give the bits of random data is asked later in any case.
template <class Check>
void where_it_can_be_asked(Check&& check) {
  try {
    check();
  } catch (const TargetError& declined) {
    if (declined.reason != "declined") throw;
  }
}

// The bits that are kept of a factor, or 0 where it does not look rounded: of 1 + 2^-j all is left
// up to some j, and from there on a neighbour of 1 that so many bits can say.
int kept_bits(Target& target, const Call& context, bool in_y) {
  const int bits = bits_of(context);
  std::vector<double> values;
  for (int j = 1; j < bits; ++j) values.push_back(1 + std::ldexp(1.0, -j));
  const std::vector<double> got = alone(target, context, values, in_y);
  std::size_t kept = 0;
  while (kept < got.size() && got[kept] == values[kept]) ++kept;
  if (kept == got.size() || kept < 2) return 0;
  const double next = values[kept - 1];
  for (std::size_t k = kept; k < got.size(); ++k)
    if (got[k] != 1 && got[k] != next) return 0;
  return static_cast<int>(kept) + 1;
}

const char* format_of(int bits) {
  return bits == 11 ? ", as TF32 and half precision have" : bits == 8 ? ", as BF16 has" : "";
}

void check_single(Target& target, Call call, std::uint64_t seed) {
  const bool narrow = spec::is_f32(call.type);
  call.k = 1;
  FastRandom random(seed ^ 0x9e3779b9U);
  const Vectors data = random_vectors(call, kProducts, Data::ordinary, random);
  const std::vector<double> got = run(target, call, data, kProducts);
  int wrong = 0;
  std::string example;
  std::vector<Rounded> all;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double x = data.x[k], y = data.y[k];
    const double rounded = narrow ? static_cast<double>(static_cast<float>(x * y)) : x * y;
    // The product of two f32 is exact in f64; of two f64, fma gives what is missing.
    all.push_back({rounded, narrow ? x * y - rounded : std::fma(x, y, -rounded), got[k]});
    if (got[k] == rounded || wrong++ > 0) continue;
    example = fmt::format("{:a} times {:a} gave {:a}, not the rounded product {:a}", x, y, got[k],
                          rounded);
  }
  if (const auto direction = direction_of(all, narrow))
    throw Refused("directed_rounding",
                  fmt::format("{}: products are rounded {}: all of {} are, and {} of them are not "
                              "the nearest number: {}; only rounding to nearest, ties to even, is "
                              "replayed",
                              describe(call), *direction, all.size(), wrong, example));
  if (wrong > kTwiceRounded)
    throw Refused("unknown_arithmetic",
                  fmt::format("{}: {}: it is put together from parts of the factors, as BF16x9 "
                              "does; that is not replayed",
                              describe(call), example));
}

// Two summands, the larger of whose factors meets a zero.
void check_beside_zero(Target& target, Call call) {
  const bool narrow = spec::is_f32(call.type);
  call.k = 2;
  const double small = narrow ? 0x1p-60 : 0x1p-200;
  for (const bool in_y : {false, true}) {
    const std::vector<double> factors{small, 1.0}, others{1.0, 0.0};
    Vectors pair;
    pair.x = in_y ? others : factors;
    pair.y = in_y ? factors : others;
    if (run(target, call, pair, 1)[0] == small) continue;
    throw Refused("unknown_arithmetic",
                  fmt::format("{}: a factor {:a} is lost beside a factor 1 that is multiplied by "
                              "0: factors are in fixed point, as emulations of double precision "
                              "have them; that is not replayed",
                              describe(call), small));
  }
}

}  // namespace

void check_factor_width(Target& target, const Call& context) {
  if (!applies(context)) return;
  for (const bool in_y : {false, true}) {
    int bits = 0;
    where_it_can_be_asked([&] { bits = kept_bits(target, context, in_y); });
    if (bits == 0) continue;
    throw Refused("unknown_arithmetic",
                  fmt::format("{}: factors are rounded to {} significant bits{}; that is not "
                              "replayed",
                              describe(context), bits, format_of(bits)));
  }
}

void check_products(Target& target, const Call& context, std::uint64_t seed) {
  if (!applies(context)) return;
  where_it_can_be_asked([&] { check_single(target, context, seed); });
  where_it_can_be_asked([&] { check_beside_zero(target, context); });
}

}  // namespace reprosum::reveal
