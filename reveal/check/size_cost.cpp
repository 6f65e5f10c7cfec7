#include "reveal/check/size_cost.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr double kDear = 0.02;  // seconds
constexpr std::int64_t kSizesOfDear = 1000;

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
  // The first call of all may load what it needs, and on a busy machine any may be late.
  for (std::int64_t n = 409; n < 409 + 16; ++n) {
    call.k = std::min(n, n_max);
    const double first = seconds_of(target, call);
    least = std::min(least, first - seconds_of(target, call));
    if (least < kDear) break;
  }
  return std::max(least, 0.0);
}

std::int64_t sizes_worth_trying(double seconds_each, std::int64_t wanted) {
  if (seconds_each < kDear) return wanted;
  return std::min(kSizesOfDear, wanted);
}

}  // namespace reprosum::reveal
