// Tests of a hypothesis at sizes it was not fitted on.
#include "reveal/infer/trial.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

// Trees up to this size are compared whole near thresholds: a reveal costs little there and random
// probes are weak.
constexpr std::int64_t kExact = 40;
constexpr std::int64_t kDear =
    100'000;  // above, a probe costs so much that sizes are chosen sparsely

}  // namespace

std::optional<spec::Tree> predict(const spec::Order& order, std::int64_t n) {
  try {
    return spec::expand(order, n);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

bool Trial::holds(std::int64_t n, int probes) const {
  if (!source_.has(n)) return true;
  const auto tree = predict(order_, n);
  return tree && source_.agrees(n, *tree, probes);
}

bool Trial::holds_exactly(std::int64_t n) const {
  if (!source_.has(n)) return true;
  const auto tree = predict(order_, n);
  return tree && source_.window_agrees(n, *tree, 0, n);
}

bool Trial::holds_around(std::int64_t n, std::int64_t base, std::int64_t bad) const {
  // Several sizes, so that residues on which a wrong rule happens to be right do not deceive.
  const std::set<std::int64_t> sizes{n, n + 1, n - 1, n - session().random(2, 17),
                                     n - session().random(17, 60)};
  for (const std::int64_t size : sizes)
    if (base <= size && size < bad && !holds(size, 10)) return false;
  return true;
}

std::int64_t Trial::reach(std::int64_t base) const {
  std::int64_t good = base, bad = 0;
  for (std::int64_t n = base; n < longest_ && bad == 0;) {
    const double factor = n < kDear ? session().uniform(1.05, 1.25) : session().uniform(1.2, 1.8);
    n = std::min(longest_, std::max(n + 1, static_cast<std::int64_t>(double(n) * factor)));
    std::set<std::int64_t> sizes{n};
    if (n < kDear) sizes.insert({n + 1, n + session().random(2, 40)});
    for (const std::int64_t size : sizes)
      if (bad == 0 && size <= longest_ && !holds(size, 8)) bad = size;
    if (bad == 0) good = n;
  }
  return bad == 0 ? longest_ : last_holding(base, good, bad);
}

std::int64_t Trial::last_holding(std::int64_t base, std::int64_t good, std::int64_t bad) const {
  std::int64_t lo = good, hi = bad;
  while (hi - lo > 1) {
    const std::int64_t middle = std::midpoint(lo, hi);
    (holds_around(middle, base, bad) ? lo : hi) = middle;
  }
  std::int64_t n = std::max(base, lo - 70);
  while (n < bad && holds(n, session().options().probes)) ++n;
  // The last summand alone in a piece of its own gives the same tree as one more of the chain; only
  // how its product is rounded can differ.
  std::int64_t last = n - 1;
  for (int back = 0; back < 4 && last > base && !last_leaves_hold(last); ++back) --last;
  return last;
}

bool Trial::last_leaves_hold(std::int64_t n) const {
  const auto tree = source_.has(n) ? predict(order_, n) : std::nullopt;
  return !tree || source_.window_agrees(n, *tree, n - 4, n);
}

bool Trial::windows_hold(std::int64_t n) const {
  constexpr std::int64_t kWidth = 10;
  const auto tree = predict(order_, n);
  if (!tree) return false;
  const std::int64_t somewhere = session().random(0, n - 1);
  return source_.window_agrees(n, *tree, n - kWidth, n) &&
         source_.window_agrees(n, *tree, somewhere, somewhere + kWidth) &&
         source_.window_agrees(n, *tree, n / 2 - kWidth / 2, n / 2 + kWidth / 2);
}

std::int64_t Trial::arithmetic_border(std::int64_t base, std::int64_t wrong) const {
  if (!holds(wrong, session().options().probes) || windows_hold(wrong) || !windows_hold(base))
    return 0;
  std::int64_t good = base, bad = wrong;
  while (bad - good > 1) {
    const std::int64_t middle = std::midpoint(good, bad);
    (windows_hold(middle) ? good : bad) = middle;
  }
  // Single residues that differ are no border.
  std::set<std::int64_t> above{bad + 1, bad + 2, bad + 3};
  for (int k = 0; k < 4; ++k) above.insert(session().random(bad, wrong));
  for (const std::int64_t n : above)
    if (n < wrong && windows_hold(n)) return 0;
  return good;
}

std::optional<std::int64_t> Trial::refute(std::int64_t base, std::int64_t reach) const {
  std::set<std::int64_t> sizes;
  for (std::int64_t d = 0; d < (base < 100 ? 70 : 32); ++d) sizes.insert(base + d);
  // At a threshold every size counts; the end of what was asked for is a size like any other.
  for (std::int64_t d = 0; d < (reach < longest_ ? 8 : 1); ++d) sizes.insert(reach - d);
  const double low = std::log(double(base)), high = std::log(double(reach));
  for (int k = 0; k < 48; ++k) {
    const auto n = static_cast<std::int64_t>(std::exp(session().uniform(low, high)));
    if (n < kDear || k % 6 == 0) sizes.insert(n);
  }
  const int probes = session().options().probes * 2 / 3;
  std::int64_t tested = 0;
  for (const std::int64_t n : sizes) {
    if (n < base || n > reach || !source_.has(n)) continue;
    if (n <= kExact ? !holds_exactly(n) : !holds(n, n < kDear ? probes : probes / 2)) return n;
    if (++tested % 16 == 0 && !windows_hold(n)) return n;
  }
  // Few of these sizes are large ones.
  for (std::int64_t n = reach; n > base; n /= 2)
    if (source_.has(n) && !windows_hold(n)) return n;
  return std::nullopt;
}

std::int64_t Trial::down(std::int64_t floor, std::int64_t base) const {
  const int probes = session().options().probes;
  const auto good = [&](std::int64_t n) {
    return n <= kExact ? holds_exactly(n) : holds(n, probes);
  };
  std::int64_t x = base, step = 1;
  while (x > floor) {
    const std::int64_t y = std::max(floor, x - step);
    if (good(y) && good(std::midpoint(x, y)) && (y + 1 >= x || good(y + 1))) {
      x = y;
      step *= 2;
    } else if (step == 1) {
      break;
    } else {
      step = std::max<std::int64_t>(1, step / 4);
    }
  }
  std::int64_t least = x;
  for (std::int64_t n = x; n < std::min(base, x + 200); ++n)
    if (!good(n)) least = n + 1;
  return least;
}

std::int64_t Trial::failure_period(std::int64_t bad) const {
  std::vector<std::int64_t> failing;
  for (std::int64_t n = bad; n < std::min(bad + 600, longest_); ++n)
    if (!holds(n, 6)) failing.push_back(n);
  std::int64_t common = 0;
  for (std::size_t k = 1; k < failing.size(); ++k)
    common = std::gcd(common, failing[k] - failing[k - 1]);
  if (common > 1) return common;
  if (failing.size() < 20) return 0;
  const std::set<std::int64_t> all(failing.begin(), failing.end());
  std::int64_t best = 0, most = 0;
  for (std::int64_t period = 2; period <= 256; ++period) {
    std::int64_t hits = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(40, failing.size()); ++k)
      hits += static_cast<std::int64_t>(all.count(failing[k] + period));
    if (hits > most) {
      most = hits;
      best = period;
    }
  }
  return best;
}

}  // namespace reprosum::reveal::generalize
