#include "reveal/region/axis_learner.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace reprosum::reveal::region {
namespace {

constexpr std::int64_t first_window = 24;
constexpr std::int64_t longest_period = 192;
constexpr std::int64_t longest_window = 4 * longest_period;
// A stretch without any period is listed up to this many sizes, and the axis ends there.
constexpr std::int64_t longest_list = 128;
// Blocks this long and longer may look like segments of their own, from so many of these on.
constexpr std::int64_t shortest_block = 8, longest_block = 384;
constexpr std::size_t several_segments = 4;
// So many whole blocks are needed before the words of three sizes have one form, if the first block
// is apart and the last two share the remaining rows.
constexpr std::int64_t blocks_without_form = 3;
constexpr std::int64_t blocks_to_show = 4;  // with the sizes below the first whole one

// Three sizes agree by chance now and then: this many more than a period must.
std::int64_t needed_triples(std::int64_t period) { return period + (period < 8 ? 8 : 2); }

// Many words below a short period are no rule: the period is one of sizes that show little, and the
// words are guesses.
std::int64_t most_listed(std::int64_t period) { return 4 * period + 64; }

}  // namespace

const Runs& AxisLearner::runs(std::int64_t size) {
  const auto it = runs_.find(size);
  return it != runs_.end() ? it->second : runs_.emplace(size, source_(size)).first->second;
}

const spec::Word& AxisLearner::word(std::int64_t size) {
  const auto it = words_.find(size);
  return it != words_.end() ? it->second : words_.emplace(size, compress(runs(size))).first->second;
}

// The smallest period whose triples reach from `to` far enough down.
bool AxisLearner::fit(std::int64_t from, std::int64_t to, spec::Segment& segment) {
  for (std::int64_t period = 1; period <= longest_period && 3 * period <= to - from + 1; ++period)
    if (fit(from, to, period, segment)) return true;
  return false;
}

bool AxisLearner::fit(std::int64_t from, std::int64_t to, std::int64_t period,
                      spec::Segment& segment) {
  std::int64_t base = to - 2 * period + 1;
  while (base > from &&
         progression(word(base - 1), word(base - 1 + period), word(base - 1 + 2 * period))) {
    --base;
  }
  if (to - 2 * period - base + 1 < needed_triples(period)) return false;
  if (base - from > most_listed(period)) return false;
  segment = {from, to, base, period, {}, {}};
  for (std::int64_t r = 0; r < period; ++r) {
    segment.schemas.push_back(
        *progression(word(base + r), word(base + r + period), word(base + r + 2 * period)));
  }
  return true;
}

bool AxisLearner::agrees(const spec::Segment& segment, std::int64_t size) {
  const auto expected = word_of(segment, size);
  return expected && fits_(size, *expected);
}

// The first size above segment.to that does not follow it, as far as samples tell; last_ + 1 if
// none. Consecutive sizes for a period, then random ones in growing steps, then bisection. A
// failure may hide at sizes without edges, so the two periods below one are looked at one by one,
// as often as there is another in them.
std::int64_t AxisLearner::first_failure(const spec::Segment& segment) {
  const std::int64_t dense =
      std::min(last_, segment.to + std::max<std::int64_t>(16, segment.period));
  for (std::int64_t size = segment.to + 1; size <= dense; ++size) {
    if (!agrees(segment, size)) return size;
  }
  std::int64_t good = dense, bad = 0;
  while (good < last_ && bad == 0) {
    const std::int64_t step = std::max(segment.period + 3, good / 8);
    const std::int64_t high = std::min(last_, good + step);
    std::vector<std::int64_t> sizes{high};
    for (int i = 0; i < 3; ++i) {
      sizes.push_back(
          good + 1 +
          static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - good)));
    }
    std::sort(sizes.begin(), sizes.end());
    for (const std::int64_t size : sizes) {
      if (!agrees(segment, size)) {
        bad = size;
        break;
      }
      good = size;
    }
  }
  if (bad == 0) return last_ + 1;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (agrees(segment, middle) ? good : bad) = middle;
  }
  for (std::int64_t size = bad - 1; size > dense && size >= bad - 2 * segment.period; --size) {
    if (!agrees(segment, size)) bad = size;
  }
  return bad;
}

// Windows of growing length compete: a short false period inside a long true one reaches less far
// than it costs to write down.
spec::Segment AxisLearner::next_segment(std::int64_t from) {
  spec::Segment best;
  double best_score = -1;
  std::int64_t last_window = 0;
  // Long windows are dear at large sizes, so they grow slowly.
  for (std::int64_t window = first_window; window <= longest_window; window += window / 4) {
    const std::int64_t to = std::min(last_, from + window - 1);
    if (to == last_window) break;
    last_window = to;
    spec::Segment segment;
    if (!fit(from, to, segment)) continue;
    const std::int64_t failure = first_failure(segment);
    segment.to = failure - 1;
    const double cost = static_cast<double>(segment.period + segment.base - from + 20);
    const double reach = static_cast<double>(failure - from) / cost + (failure > last_ ? 3 : 0);
    if (reach > best_score) {
      best_score = reach;
      best = segment;
    }
    if (failure > last_ || segment.to - from + 1 >= 2 * window) break;
  }
  if (best_score >= 0) {
    for (std::int64_t size = from; size < best.base; ++size) best.words.push_back(word(size));
    return best;
  }
  const std::int64_t to = std::min(last_, from + longest_list - 1);
  best = {from, to, to + 1, 1, {}, {}};
  for (std::int64_t size = from; size <= to; ++size) best.words.push_back(word(size));
  return best;
}

std::int64_t AxisLearner::size_that_shows_blocks(const spec::Axis& axis) {
  if (axis.size() < 2) return 0;
  const spec::Segment &last = axis.back(), &before = axis[axis.size() - 2];
  if (last.schemas.empty() || last.period != before.period) return 0;
  // Where the first one begins at the origin, the block is one longer: its last size is a whole
  // one.
  const std::int64_t period = before.to - before.from + 2;
  return period > longest_period ? 0 : before.from + blocks_to_show * period + last.period + 8;
}

// Inside a long block a short period holds, and ends with the block: the axis becomes a list of
// segments. Where their beginnings lie on a grid, samples may have missed blocks between them; the
// grid itself is tried as a period. Nothing if it is none, or reaches no farther than the list.
std::optional<spec::Axis> AxisLearner::in_blocks(const spec::Axis& axis) {
  if (axis.size() < several_segments) return std::nullopt;
  std::int64_t period = 0;
  for (std::size_t k = 2; k < axis.size(); ++k)
    period = std::gcd(period, axis[k].from - axis[1].from);
  if (period < shortest_block || period > longest_block || !tried_.insert(period).second)
    return std::nullopt;
  const bool is_long = period > longest_period;
  const std::int64_t blocks = 3 + (is_long ? blocks_without_form : 0);
  const std::int64_t to = std::min(last_, axis[1].from + blocks * period + needed_triples(period));
  spec::Segment segment;
  if (!fit(first_, to, period, segment)) return std::nullopt;
  segment.to = first_failure(segment) - 1;
  if (segment.to <= axis.back().to) return std::nullopt;
  spec::Axis whole;
  // Its first sizes would be as many words: segments of a short period say the same.
  for (std::size_t k = 0; is_long && k < axis.size() && axis[k].base < segment.base; ++k) {
    whole.push_back(axis[k]);
    whole.back().to = std::min(axis[k].to, segment.base - 1);
  }
  segment.from = whole.empty() ? first_ : whole.back().to + 1;
  for (std::int64_t size = segment.from; size < segment.base; ++size)
    segment.words.push_back(word(size));
  whole.push_back(std::move(segment));
  return whole;
}

spec::Axis AxisLearner::learn() {
  spec::Axis axis;
  while (axis.empty() ? true : axis.back().to < last_) {
    const std::int64_t from = axis.empty() ? first_ : axis.back().to + 1;
    axis.push_back(next_segment(from));
    if (!is_periodic(axis)) break;
    if (auto whole = in_blocks(axis)) axis = *std::move(whole);
  }
  return axis;
}

}  // namespace reprosum::reveal::region
