#include "reveal/check/size_cost.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr double kDear = 0.02, kWorth = 180;  // seconds

double seconds_of(Target& target, const Call& call) {
  Vectors data;
  data.x.assign(static_cast<std::size_t>(call.k), 1.0);
  if (call.routine == spec::Routine::dot) data.y = data.x;
  const auto start = std::chrono::steady_clock::now();
  run(target, call, data, 1);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double seconds_of_new_size(Target& target, Call call, std::int64_t n_max) {
  double least = std::numeric_limits<double>::infinity();
  // The first call of all may load what it needs.
  for (const std::int64_t n : {std::int64_t{409}, std::int64_t{421}, std::int64_t{431}}) {
    call.k = std::min(n, n_max);
    const double first = seconds_of(target, call);
    least = std::min(least, first - seconds_of(target, call));
    if (least < kDear) break;
  }
  return std::max(least, 0.0);
}

std::int64_t sizes_worth_trying(double seconds_each, std::int64_t wanted) {
  if (seconds_each < kDear) return wanted;
  for (const std::int64_t sizes : {std::int64_t{3000}, std::int64_t{1000}, std::int64_t{300}})
    if (static_cast<double>(sizes) * seconds_each <= kWorth) return std::min(sizes, wanted);
  return std::min<std::int64_t>(100, wanted);
}

}  // namespace reprosum::reveal
