// The increments of a guard to and from JSON values.
#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;

// Specs that list single pairs may list many; intervals are cut at one another's ends.
constexpr std::size_t kMostParts = 256;

json json_of(const IncrementRange& range) {
  if (range.is_single()) return range.least;
  return text_of(range);
}

IncrementRange range_from(const Place& place) {
  if (!place.is_text()) return place.integer(-kMaxInteger, kMaxInteger);
  const auto range = increment_range_from(place.text());
  if (!range || range->is_single() || text_of(*range) != place.text())
    place.fail("expected an integer or integers, such as \"2..\", \"..-2\" or \"2..64\"");
  const auto is_beyond = [](std::int64_t bound, std::int64_t none) {
    return bound != none && (bound < -kMaxInteger || bound > kMaxInteger);
  };
  if (is_beyond(range->least, IncrementRange::kLeast) ||
      is_beyond(range->greatest, IncrementRange::kGreatest))
    place.fail("a bound is out of range");
  return *range;
}

}  // namespace

json json_of(const std::vector<Increments>& increments) {
  json out = json::array();
  for (const Increments& one : increments) out.push_back({json_of(one.x), json_of(one.y)});
  return out;
}

std::vector<Increments> increments_from(const Place& place) {
  std::vector<Increments> increments;
  increments.reserve(place.size());
  bool has_ranges = false;
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Place pair = place[k];
    if (pair.size() != 2) pair.fail("expected a pair");
    increments.push_back({range_from(pair[std::size_t{0}]), range_from(pair[1])});
    has_ranges |= !increments.back().x.is_single() || !increments.back().y.is_single();
    if (has_ranges && k >= kMostParts)
      place.fail("more than " + std::to_string(kMostParts) + " parts, some of them intervals");
  }
  expect_ascending(place, increments);
  if (increments.empty()) place.fail("no increments are admitted");
  return increments;
}

}  // namespace reprosum::spec
