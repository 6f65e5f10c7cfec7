#include "reveal/check/far_check.h"

#include <algorithm>
#include <span>

#include "reveal/check/telling_data.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kLongest = 50'000;  // summands
constexpr std::int64_t kFew = 24;          // up to here a size may stand alone
constexpr std::int64_t kRows = 3;          // of one call

// Made for the tree; where a vector is one number over and over, hostile.
Vectors vectors_for(const Call& call, const spec::Order& order, FastRandom& random) {
  Vectors data = random_vectors(call, kRows, Data::wide, random);
  if (call.incx == 0 || (!data.y.empty() && call.incy == 0)) return data;
  const spec::Tree tree = spec::expand(order, call.k);
  const auto made = static_cast<std::size_t>((kRows - 1) * call.k);
  fill_telling(tree, call.type, random, kRows - 1, std::span(data.x).first(made),
               data.y.empty() ? std::span<double>{} : std::span(data.y).first(made));
  return data;
}

}  // namespace

ReplayResult check_far(DrawnIncrements& drawn, const Call& context, const spec::Order& order,
                       std::int64_t n_max, std::uint64_t seed) {
  const FarIncrements far(drawn);
  FastRandom random(seed);
  ReplayResult result;
  const std::int64_t last = std::min(n_max, kLongest);
  for (std::int64_t n = 2; n <= last; n += std::max<std::int64_t>(1, n / 8)) {
    if (!spec::covers(order, n)) continue;
    Call call = context;
    call.k = n;
    const std::int64_t draws = drawn.kinds() * (n <= kFew ? 6 : 2);
    for (std::int64_t draw = 0; draw < draws; ++draw) {
      const Vectors data = vectors_for(call, order, random);
      if (!agrees(drawn, call, data, kRows, order, seed, result)) return result;
    }
  }
  return result;
}

}  // namespace reprosum::reveal
