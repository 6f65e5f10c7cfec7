#include "spec/increments.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace reprosum::spec {
namespace {

using Ranges = std::vector<IncrementRange>;

// The parts of the line between the ends of the ranges that some range covers, ascending.
Ranges cut(const Ranges& ranges) {
  std::set<std::int64_t> starts;  // of parts
  for (const IncrementRange& range : ranges) {
    starts.insert(range.least);
    if (range.greatest < IncrementRange::kGreatest) starts.insert(range.greatest + 1);
  }
  Ranges parts;
  for (auto at = starts.begin(); at != starts.end(); ++at) {
    const auto next = std::next(at);
    const IncrementRange part{*at, next == starts.end() ? IncrementRange::kGreatest : *next - 1};
    if (std::any_of(ranges.begin(), ranges.end(), [&](const auto& r) { return r.admits(*at); }))
      parts.push_back(part);
  }
  return parts;
}

bool are_neighbours(const IncrementRange& a, const IncrementRange& b) {
  return a.greatest < b.least && a.greatest + 1 == b.least;
}

Ranges joined(const Ranges& ascending) {
  Ranges out;
  for (const IncrementRange& range : ascending) {
    if (!out.empty() && are_neighbours(out.back(), range))
      out.back().greatest = range.greatest;
    else
      out.push_back(range);
  }
  return out;
}

// Parts of x, ascending, and those of y that the pairs with such an x have.
std::vector<std::pair<IncrementRange, Ranges>> slabs(const std::vector<Increments>& increments) {
  Ranges all;
  for (const Increments& one : increments) all.push_back(one.x);
  std::vector<std::pair<IncrementRange, Ranges>> out;
  for (const IncrementRange& x : cut(all)) {
    Ranges of_y;
    for (const Increments& one : increments)
      if (one.x.admits(x.least)) of_y.push_back(one.y);
    out.emplace_back(x, cut(of_y));
  }
  return out;
}

std::vector<Increments> flat(const std::vector<std::pair<IncrementRange, Ranges>>& slabs) {
  std::vector<Increments> out;
  for (const auto& [x, of_y] : slabs)
    for (const IncrementRange& y : of_y) out.push_back({x, y});
  return out;
}

std::optional<std::int64_t> integer_from(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::int64_t IncrementRange::plainest() const {
  if (admits(1)) return 1;
  if (admits(0)) return 0;
  return least > 0 ? least : greatest;
}

bool Increments::contains(const Increments& other) const {
  return admits(other.x.least, other.y.least) && admits(other.x.greatest, other.y.greatest);
}

bool admits(const std::vector<Increments>& increments, std::int64_t incx, std::int64_t incy) {
  return std::any_of(increments.begin(), increments.end(),
                     [&](const Increments& one) { return one.admits(incx, incy); });
}

std::vector<Increments> merged(const std::vector<Increments>& increments) {
  auto all = slabs(increments);
  std::vector<std::pair<IncrementRange, Ranges>> out;
  for (auto& [x, of_y] : all) {
    of_y = joined(of_y);
    if (!out.empty() && out.back().second == of_y && are_neighbours(out.back().first, x))
      out.back().first.greatest = x.greatest;
    else
      out.emplace_back(x, of_y);
  }
  return flat(out);
}

std::vector<Increments> refined(const std::vector<Increments>& increments) {
  return flat(slabs(increments));
}

std::string text_of(const IncrementRange& range) {
  if (range.is_single()) return std::to_string(range.least);
  std::string text;
  if (range.least > IncrementRange::kLeast) text += std::to_string(range.least);
  text += "..";
  if (range.greatest < IncrementRange::kGreatest) text += std::to_string(range.greatest);
  return text == ".." ? "any" : text;
}

std::optional<IncrementRange> increment_range_from(std::string_view text) {
  if (text == "any") return IncrementRange{IncrementRange::kLeast, IncrementRange::kGreatest};
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto only = integer_from(text);
    return only ? std::optional(IncrementRange(*only)) : std::nullopt;
  }
  const std::string_view before = text.substr(0, dots), after = text.substr(dots + 2);
  if (before.empty() && after.empty()) return std::nullopt;
  const auto least = before.empty() ? IncrementRange::kLeast : integer_from(before);
  const auto greatest = after.empty() ? IncrementRange::kGreatest : integer_from(after);
  if (!least || !greatest || *least > *greatest) return std::nullopt;
  return IncrementRange{*least, *greatest};
}

std::string text_of(const Increments& increments, bool has_y) {
  return text_of(increments.x) + (has_y ? ":" + text_of(increments.y) : std::string());
}

std::string text_of(const std::vector<Increments>& increments, bool has_y) {
  std::string text;
  for (const Increments& one : increments) text += (text.empty() ? "" : " ") + text_of(one, has_y);
  return text;
}

}  // namespace reprosum::spec
