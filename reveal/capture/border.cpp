#include "reveal/capture/border.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "reveal/check/replay_check.h"
#include "reveal/check/telling_data.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

// Vectors for one tree: a swap of two neighbours shows in two of five.
constexpr std::int64_t kRows = 24, kLeastRows = 4;
constexpr std::int64_t kRowElements = 1'000'000;    // at one size
constexpr std::int64_t kNearElements = 20'000'000;  // at all sizes near the border
constexpr std::int64_t kNear = 300;
constexpr int kBelow = 40;       // sizes tried between what was tried one by one and the border
constexpr int kMostBorders = 4;  // after which the wrong sizes have none

class Border {
 public:
  Border(Target& target, const Call& context, const spec::Order& order, std::uint64_t seed)
      : target_(target), context_(context), order_(order), random_(seed ^ 0x9e3779b9u) {}

  std::int64_t search(std::int64_t tried_to, std::int64_t wrong) {
    std::int64_t right = tried_to;
    while (wrong - right > 1) {
      const std::int64_t middle = right + (wrong - right) / 2;
      // A rule that is wrong may be right at some residues.
      std::int64_t least = wrong;
      for (const std::int64_t n : {middle, middle + 1, middle - 1, middle + 2 + random_.below(60),
                                   middle - 2 - random_.below(60)})
        if (n > right && n < least && is_wrong(n, kRows)) least = n;
      (least < wrong ? wrong : right) = least < wrong ? least : middle;
    }
    int borders = 0;
    for (std::int64_t n = wrong - 1; n > std::max(tried_to, wrong - near(wrong)); --n) {
      if (!is_wrong(n, kRows)) continue;
      // Many sizes may be wrong beside each other, but not one here and one there.
      if (n < wrong - 1 && ++borders > kMostBorders) return tried_to + 1;
      wrong = n;
    }
    return is_right_below(tried_to, wrong) ? wrong : tried_to + 1;
  }

 private:
  static std::int64_t near(std::int64_t n) {
    return std::clamp<std::int64_t>(kNearElements / (kRows * n), 8, kNear);
  }

  bool is_right_below(std::int64_t tried_to, std::int64_t wrong) {
    const double ratio = static_cast<double>(wrong) / static_cast<double>(tried_to + 1);
    for (int k = 0; k < kBelow; ++k) {
      const auto n = static_cast<std::int64_t>(static_cast<double>(tried_to + 1) *
                                               std::exp(random_.unit() * std::log(ratio)));
      if (n > tried_to && n < wrong && is_wrong(n, kRows / 3)) return false;
    }
    return true;
  }

  bool is_wrong(std::int64_t n, std::int64_t most_rows) {
    if (!spec::covers(order_, n)) return false;
    Call call = context_;
    call.k = n;
    const std::int64_t rows = std::clamp<std::int64_t>(kRowElements / n, kLeastRows, most_rows);
    Vectors data = random_vectors(call, rows, Data::wide, random_);
    const bool is_varied = call.incx != 0 && (call.routine == spec::Routine::sum || call.incy != 0);
    if (is_varied && n <= spec::kMaxExplicitLeaves)
      fill_telling(spec::expand(order_, n), call.type, random_, rows, data.x, data.y);
    ReplayResult result;
    return !agrees(target_, call, data, rows, order_, 0, result);
  }

  Target& target_;
  const Call context_;
  const spec::Order& order_;
  FastRandom random_;
};

}  // namespace

std::int64_t first_wrong(Target& target, const Call& context, const spec::Order& order,
                         std::int64_t tried_to, std::int64_t wrong, std::uint64_t seed) {
  return Border(target, context, order, seed).search(std::min(tried_to, wrong - 1), wrong);
}

}  // namespace reprosum::reveal
