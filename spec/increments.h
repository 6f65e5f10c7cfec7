// Which increments of two vectors a guard admits: intervals of x's and of y's.
//
// Libraries tell few kinds of increments apart (1, -1, other positive ones, ...), and programs have
// any: the leading dimension of a matrix is the increment of its rows.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprosum::spec {

// The increments of one vector from `least` to `greatest`, both included.
struct IncrementRange {
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  std::int64_t least = 1, greatest = 1;  // kLeast, kGreatest: there is no bound

  constexpr IncrementRange() = default;
  constexpr IncrementRange(std::int64_t only) : least(only), greatest(only) {}
  constexpr IncrementRange(std::int64_t first, std::int64_t last) : least(first), greatest(last) {}

  constexpr bool admits(std::int64_t increment) const {
    return least <= increment && increment <= greatest;
  }
  constexpr bool is_single() const { return least == greatest; }
  // 1 if it is admitted, else the one next to 0.
  std::int64_t plainest() const;
  auto operator<=>(const IncrementRange&) const = default;
};

// Pairs (incx, incy). For a sum, y is 0.
struct Increments {
  IncrementRange x, y;

  constexpr bool admits(std::int64_t incx, std::int64_t incy) const {
    return x.admits(incx) && y.admits(incy);
  }
  bool contains(const Increments& other) const;
  std::pair<std::int64_t, std::int64_t> plainest() const { return {x.plainest(), y.plainest()}; }
  auto operator<=>(const Increments&) const = default;
};

// What libraries may tell apart: 1, -1, 0, 2 and more, -2 and less.
inline constexpr IncrementRange kIncrementKinds[] = {
    1, {2, IncrementRange::kGreatest}, -1, {IncrementRange::kLeast, -2}, 0};

bool admits(const std::vector<Increments>& increments, std::int64_t incx, std::int64_t incy);

// The same pairs as few disjoint parts, neighbours joined. Equal sets of pairs give equal results.
std::vector<Increments> merged(const std::vector<Increments>& increments);
// Disjoint parts, ascending, such that each of the given ones is the union of some of them.
std::vector<Increments> refined(const std::vector<Increments>& increments);

// "1", "2..", "..-2", "3..17", "any".
std::string text_of(const IncrementRange& range);
// The range that the text names; nullopt if it names none, or an empty one.
std::optional<IncrementRange> increment_range_from(std::string_view text);
// "1:2.."; "2.." for a sum.
std::string text_of(const Increments& increments, bool has_y);
// "1:1 2..:1".
std::string text_of(const std::vector<Increments>& increments, bool has_y);

}  // namespace reprosum::spec
