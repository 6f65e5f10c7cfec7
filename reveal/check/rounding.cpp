#include "reveal/check/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "reveal/check/replay_check.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kSums = 96, kTies = 32;

double next(double value, double towards, bool is_f32) {
  return is_f32 ? static_cast<double>(
                      std::nextafter(static_cast<float>(value), static_cast<float>(towards)))
                : std::nextafter(value, towards);
}

struct Direction {
  const char* name;
  // Whether the neighbour on the side of the exact result is given instead of the nearest number.
  bool (*moves)(const Rounded& one, double neighbour);
};

constexpr Direction kDirections[] = {
    {"toward zero", [](const Rounded& one, double) { return one.nearest * one.missing < 0; }},
    {"upward", [](const Rounded& one, double) { return one.missing > 0; }},
    {"downward", [](const Rounded& one, double) { return one.missing < 0; }},
    {"away from zero", [](const Rounded& one, double) { return one.nearest * one.missing > 0; }},
    {"to nearest, ties away from zero",
     [](const Rounded& one, double neighbour) {
       return one.nearest * one.missing > 0 && 2 * one.missing == neighbour - one.nearest;
     }},
};

double rounded(const Rounded& one, const Direction& direction, bool is_f32) {
  if (one.missing == 0) return one.nearest;
  const double infinity = std::numeric_limits<double>::infinity();
  const double neighbour = next(one.nearest, one.missing > 0 ? infinity : -infinity, is_f32);
  return direction.moves(one, neighbour) ? neighbour : one.nearest;
}

// A number in [1, 2) of all bits, and one that reaches from its bits to below them, or is half of
// its last bit.
std::pair<double, double> summands(bool is_tie, int bits, FastRandom& random) {
  const auto significand = [&] {
    return 1 +
           std::ldexp(static_cast<double>(random.below(std::int64_t{1} << (bits - 1))), 1 - bits);
  };
  const auto sign = [&] { return random.below(2) == 0 ? 1.0 : -1.0; };
  const double first = sign() * significand();
  if (is_tie) return {first, sign() * std::ldexp(1.0, -bits)};
  return {first, sign() * std::ldexp(significand(), -1 - static_cast<int>(random.below(bits)))};
}

// The nearest number to a sum, and the rest of it: of two f32 the sum in f64 is exact here.
Rounded sum_of(double a, double b, bool is_f32) {
  const double sum = a + b;
  if (is_f32) {
    const auto nearest = static_cast<double>(static_cast<float>(sum));
    return {nearest, sum - nearest};
  }
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

}  // namespace

std::optional<std::string> direction_of(std::span<const Rounded> all, bool is_f32) {
  if (std::all_of(all.begin(), all.end(),
                  [](const Rounded& one) { return one.got == one.nearest; }))
    return std::nullopt;
  for (const Direction& direction : kDirections)
    if (std::all_of(all.begin(), all.end(),
                    [&](const Rounded& one) { return one.got == rounded(one, direction, is_f32); }))
      return direction.name;
  return std::nullopt;
}

void check_rounding(Target& target, const Call& context, std::uint64_t seed) {
  const bool dot = context.routine == spec::Routine::dot, is_f32 = spec::is_f32(context.type);
  if (context.incx == 0 || (dot && context.incy == 0)) return;
  Call call = context;
  call.k = 2;
  FastRandom random(seed ^ 0x2545f491u);
  Vectors data;
  std::vector<Rounded> all;
  for (std::int64_t k = 0; k < kSums + kTies; ++k) {
    const auto [a, b] = summands(k >= kSums, is_f32 ? 24 : 53, random);
    data.x.insert(data.x.end(), {a, b});
    all.push_back(sum_of(a, b, is_f32));
  }
  if (dot) data.y.assign(data.x.size(), 1.0);
  std::vector<double> got;
  try {
    got = run(target, call, data, std::ssize(all));
  } catch (const TargetError& declined) {
    if (declined.reason != "declined") throw;
    return;  // a class of outputs may have no sums of two
  }
  for (std::size_t k = 0; k < all.size(); ++k) all[k].got = got[k];
  const auto direction = direction_of(all, is_f32);
  if (!direction) return;
  const auto other = [](const Rounded& one) { return one.got != one.nearest; };
  const auto example =
      static_cast<std::size_t>(std::find_if(all.begin(), all.end(), other) - all.begin());
  throw Refused(
      "directed_rounding",
      fmt::format("{}: sums are rounded {}: all of {} sums of two are, and {} of them "
                  "are not the nearest number: {} + {} gave {}, nearest is {}; only "
                  "rounding to nearest, ties to even, is replayed",
                  describe(call), *direction, all.size(),
                  std::count_if(all.begin(), all.end(), other), hex(data.x[2 * example]),
                  hex(data.x[2 * example + 1]), hex(all[example].got), hex(all[example].nearest)));
}

}  // namespace reprosum::reveal
