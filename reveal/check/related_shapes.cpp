#include "reveal/check/related_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "reveal/check/random_data.h"

namespace reprosum::reveal {
namespace {

using spec::Shape3;
using Sides = std::vector<std::int64_t Shape3::*>;

constexpr std::int64_t kEverySize = 96, kRound[] = {50, 64};
constexpr int kRandomSizes = 24;
// Beside equal sizes and long ones: few outputs, and summands enough to tell orders apart.
constexpr std::int64_t kFewOutputs = 8, kFewTerms = 8, kMoreTerms = 24;
constexpr double kCheap = 0x1p15;  // multiplications: the interpreter does them all
constexpr std::int64_t kTellingOfDear = 3;
constexpr double kDearest = 6;  // a shape costs at most this part of the work that is left

const std::vector<Sides>& relations(bool is_gemv) {
  // Never destroyed: a program may call to its very end.
  static const auto& of_gemv = *new const std::vector<Sides>{{&Shape3::m, &Shape3::k}};
  static const auto& of_gemm = *new const std::vector<Sides>{{&Shape3::m, &Shape3::n},
                                                             {&Shape3::m, &Shape3::k},
                                                             {&Shape3::n, &Shape3::k},
                                                             {&Shape3::m, &Shape3::n, &Shape3::k}};
  return is_gemv ? of_gemv : of_gemm;
}

Shape3 thin(bool is_gemv, const Shape3& largest, FastRandom& random) {
  const auto few = [&](std::int64_t most) { return std::min(most, 1 + random.below(kFewOutputs)); };
  return {few(largest.m), is_gemv ? 1 : few(largest.n),
          std::min(largest.k, kFewTerms + random.below(kMoreTerms))};
}

void shuffle(std::vector<Shape3>& shapes, FastRandom& random) {
  std::shuffle(shapes.begin(), shapes.end(), std::mt19937_64(random.bits()));
}

}  // namespace

std::vector<Shape3> plan_related(bool is_gemv, const Shape3& largest, double work,
                                 std::uint64_t salt) {
  FastRandom random(salt);
  std::vector<Shape3> all;
  for (const Sides& sides : relations(is_gemv)) {
    std::int64_t most = largest.*sides[0];
    for (const auto side : sides) most = std::min(most, largest.*side);
    std::set<std::int64_t> sizes;
    for (std::int64_t size = 1; size <= std::min(kEverySize, most); ++size) sizes.insert(size);
    for (const std::int64_t step : kRound)
      for (std::int64_t size = step; size <= most; size += step) sizes.insert(size);
    for (int turn = 0; turn < kRandomSizes; ++turn)
      sizes.insert(static_cast<std::int64_t>(
          std::exp(random.unit() * std::log(static_cast<double>(most) + 0.999))));
    double left = work / static_cast<double>(relations(is_gemv).size());
    for (const std::int64_t size : sizes) {
      Shape3 shape = thin(is_gemv, largest, random);
      for (const auto side : sides) shape.*side = size;
      const double cost = static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
      if (cost > left / kDearest) continue;
      left -= cost;
      all.push_back(shape);
    }
  }
  shuffle(all, random);
  return all;
}

std::string sizes_not_checked(bool is_gemv, const Shape3& largest) {
  const std::string names = is_gemv ? "m and k" : "m, n and k";
  return names + ": every size up to " +
         std::to_string(is_gemv ? std::max(largest.m, largest.k)
                                : std::max({largest.m, largest.n, largest.k})) +
         " was tried beside short other ones, and shapes with " +
         (is_gemv ? "m = k" : "m = n, m = k, n = k and m = n = k") + " up to " +
         std::to_string(kEverySize) +
         ", in fifties, multiples of 64 and some others as far as the work allowed; another order "
         "at one size alone where the others are long, at other equal sizes, or where sizes have "
         "another relation, such as m = 2 n, would not have been found";
}

std::vector<Shape3> plan_thin(bool is_gemv, const Shape3& largest, std::int64_t from,
                              std::uint64_t salt) {
  FastRandom random(salt);
  std::vector<Shape3> all;
  for (const auto side : {&Shape3::m, &Shape3::n, &Shape3::k})
    for (std::int64_t size = from; size <= (is_gemv && side == &Shape3::n ? 0 : largest.*side);
         ++size) {
      // One column may be another routine's.
      Shape3 shape{2 + random.below(2), is_gemv ? 1 : 2 + random.below(2),
                   kFewTerms + random.below(kFewTerms)};
      for (const auto each : {&Shape3::m, &Shape3::n, &Shape3::k})
        shape.*each = std::min(shape.*each, largest.*each);
      shape.*side = size;
      all.push_back(shape);
    }
  shuffle(all, random);
  return all;
}

MatrixReplayResult check_sizes(Target& target, const Call& context,
                               const std::vector<spec::MatrixRegime>& regimes,
                               const std::vector<spec::Order>& orders,
                               const std::vector<Shape3>& shapes, MatrixCheck check) {
  std::vector<Shape3> cheap, dear;
  for (const Shape3& shape : shapes)
    (static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k) <= kCheap ? cheap : dear)
        .push_back(shape);
  check.telling_outputs = 1;
  MatrixReplayResult result = check_matrices(target, context, regimes, orders, cheap, check);
  if (result.wrong) return result;
  check.is_uniform = true;
  check.telling_outputs = kTellingOfDear;
  add(result, check_matrices(target, context, regimes, orders, dear, check));
  return result;
}

}  // namespace reprosum::reveal
