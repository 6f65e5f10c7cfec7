#include "spec/region_word.h"

#include <algorithm>
#include <string>

#include "spec/error.h"

namespace reprosum::spec {
namespace {

struct WordAt {
  const Word& word;
  std::int64_t periods = 0;
};

// @pre the segment is valid and holds the size.
WordAt word_at(const Segment& segment, std::int64_t size) {
  if (size < segment.base) return {segment.words[std::size_t(size - segment.from)], 0};
  const std::int64_t above = size - segment.base;
  return {segment.schemas[std::size_t(above % segment.period)], above / segment.period};
}

void append(std::vector<Stretch>& stretches, std::int32_t type, std::int64_t count) {
  if (count <= 0) return;
  if (!stretches.empty() && stretches.back().type == type) {
    stretches.back().count += count;
    return;
  }
  const std::int64_t first =
      stretches.empty() ? 0 : stretches.back().first + stretches.back().count;
  stretches.push_back({first, count, type});
}

}  // namespace

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  return a > kSaturated - b ? kSaturated : a + b;
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kSaturated / b ? kSaturated : a * b;
}

WordLength length_of(const Word& word) {
  WordLength total;
  for (const WordItem& item : word) {
    Count once;
    for (const TypeRun& run : item.runs) {
      once.c = saturating_sum(once.c, run.length.c);
      once.q = saturating_sum(once.q, run.length.q);
    }
    const Count& times = item.times;
    total.constant = saturating_sum(total.constant, saturating_product(times.c, once.c));
    total.linear = saturating_sum(total.linear, saturating_product(times.c, once.q));
    total.linear = saturating_sum(total.linear, saturating_product(times.q, once.c));
    total.square = saturating_sum(total.square, saturating_product(times.q, once.q));
  }
  return total;
}

const Segment* segment_of(const Axis& axis, std::int64_t size) {
  const auto it = std::upper_bound(axis.begin(), axis.end(), size,
                                   [](std::int64_t s, const Segment& g) { return s < g.from; });
  if (it == axis.begin()) return nullptr;
  const Segment& segment = *std::prev(it);
  return size <= segment.to ? &segment : nullptr;
}

std::int64_t run_count(const Segment& segment, std::int64_t size) {
  const WordAt at = word_at(segment, size);
  std::int64_t count = 0;
  for (const WordItem& item : at.word) {
    const auto runs = static_cast<std::int64_t>(item.runs.size());
    const std::int64_t times = item.times.at(at.periods);
    count = saturating_sum(count, runs < 2 ? runs : saturating_product(times, runs));
  }
  return count;
}

std::optional<std::vector<Stretch>> stretches(const Axis& axis, std::int64_t size) {
  const Segment* segment = segment_of(axis, size);
  if (segment == nullptr) return std::nullopt;
  if (run_count(*segment, size) > kMaxStretches)
    throw UserError("the word of size " + std::to_string(size) + " has more than 2^22 runs");
  const WordAt at = word_at(*segment, size);
  std::vector<Stretch> out;
  for (const WordItem& item : at.word) {
    const std::int64_t times = item.times.at(at.periods);
    if (item.runs.size() == 1) {
      append(out, item.runs[0].type, times * item.runs[0].length.at(at.periods));
      continue;
    }
    if (item.runs.empty()) continue;
    for (std::int64_t t = 0; t < times; ++t)
      for (const TypeRun& run : item.runs) append(out, run.type, run.length.at(at.periods));
  }
  return out;
}

}  // namespace reprosum::spec
