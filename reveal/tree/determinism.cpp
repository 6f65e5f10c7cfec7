// The determinism check: the same rows asked twice in different company.
#include "reveal/tree/determinism.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "reveal/refused.h"
#include "reveal/tree/prober.h"
#include "reveal/tree/random.h"

namespace reprosum::reveal {
namespace {

constexpr std::size_t kRows = 6;

// Wide exponents and both signs, so that almost every change of order changes the output.
double random_value(Random& random, bool single) {
  const double unit = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
  const double value = random_sign(random) * std::ldexp(unit, int(below(random, 24)));
  return single ? static_cast<double>(static_cast<float>(value)) : value;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

}  // namespace

void check_deterministic(Target& target, const Call& call, std::uint64_t seed) {
  Prober prober(target, call);
  check_deterministic(prober, seed);
}

void check_deterministic(Prober& prober, std::uint64_t seed, int turns) {
  const Call& call = prober.call();
  Random random(seed);
  const auto width = static_cast<std::size_t>(call.k);
  std::vector<double> rows(kRows * width);
  for (double& value : rows) value = random_value(random, spec::is_f32(call.type));
  std::vector<double> reversed;
  for (std::size_t row = kRows; row-- > 0;)
    reversed.insert(reversed.end(), rows.begin() + std::ptrdiff_t(row * width),
                    rows.begin() + std::ptrdiff_t((row + 1) * width));
  const std::vector<double> first = prober.run_rows(rows);
  for (int turn = 0; turn < turns; ++turn) {
    const std::vector<double> second = prober.run_rows(reversed);
    const std::vector<double> third = prober.run_rows(rows);
    for (std::size_t row = 0; row < kRows; ++row)
      if (!same(first[row], second[kRows - 1 - row]) || !same(first[row], third[row]))
        throw Refused("not_deterministic",
                      "equal inputs gave different outputs at n = " + std::to_string(call.k));
  }
}

}  // namespace reprosum::reveal
