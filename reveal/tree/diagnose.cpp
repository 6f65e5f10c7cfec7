// Rooted triples: 1, h = half an ulp of 1, and a third value at three leaves in every arrangement.
//
// A fixed binary tree rounds 1 + h + h up exactly where it adds the two h first: in one arrangement
// of three. A sum that sorts by magnitude always does, or never does; so does an exact sum. The
// third value h * 2^-p (p the precision) then separates these: h + h 2^-p is lost in any rounded
// addition but is above the tie for an exact sum.
#include "reveal/tree/diagnose.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "reveal/tree/determinism.h"
#include "reveal/tree/random.h"

namespace reprosum::reveal {
namespace {

constexpr int kTriples = 4;

}  // namespace

Refused diagnose(Prober& prober, std::int64_t lo, std::int64_t hi, const Refused& found,
                 std::uint64_t seed) {
  try {
    check_deterministic(prober, seed, kTurnsAtContradiction);
  } catch (const Refused& refused) {
    return refused;
  }
  if (hi - lo < 3) return found;
  Random random(seed);
  const int precision = spec::is_f32(prober.call().type) ? 24 : 53;
  const double half = std::ldexp(1.0, -precision), tiny = std::ldexp(half, -precision);
  std::vector<Probe> probes;
  for (int t = 0; t < kTriples; ++t) {
    std::array<std::int64_t, 3> leaf{};
    leaf[0] = lo + below(random, hi - lo);
    do leaf[1] = lo + below(random, hi - lo);
    while (leaf[1] == leaf[0]);
    do leaf[2] = lo + below(random, hi - lo);
    while (leaf[2] == leaf[0] || leaf[2] == leaf[1]);
    for (std::size_t one = 0; one < 3; ++one)
      for (const double third : {half, tiny})
        probes.push_back(
            {{{leaf[one], 1.0}, {leaf[(one + 1) % 3], half}, {leaf[(one + 2) % 3], third}}, {}});
  }
  const std::vector<double> zeros(static_cast<std::size_t>(prober.n()), 0.0);
  const std::vector<double> outputs = prober.run(zeros, probes);
  int ups = 0, tiny_ups = 0;
  for (std::size_t k = 0; k < outputs.size(); k += 2) {
    ups += outputs[k] > 1;
    tiny_ups += outputs[k + 1] > 1;
  }
  constexpr int kAll = 3 * kTriples;
  if (ups == kAll && tiny_ups == kAll)
    return found.reason == "unknown_arithmetic"
               ? found
               : Refused("exact", "small terms are never lost: the sum is exact and has no order");
  if (ups == kAll)
    return found.reason == "exact"
               ? Refused("compensated", "more accurate than any tree, but not correctly rounded")
               : Refused("input_dependent", "small terms are always added first: sorted by value");
  if (ups == 0)
    return Refused("input_dependent", "small terms are always added last: sorted by value");
  return found;
}

}  // namespace reprosum::reveal
