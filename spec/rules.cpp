// The arithmetic of split rules: where a range of n summands is cut.
#include <algorithm>
#include <string>

#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kMaxPieces = std::int64_t{1} << 24;  // bounds the memory of a hostile rule

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t round_up(std::int64_t a, std::int64_t m) { return ceil_div(a, m) * m; }

std::int64_t raw_split_point(const Split& split, std::int64_t n) {
  const std::int64_t m = split.m;
  switch (split.kind) {
    case Split::Kind::half_down:
      return n / 2 / m * m;
    case Split::Kind::half_up:
      return round_up(n / 2, m);
    case Split::Kind::ceil_half_up:
      return round_up(ceil_div(n, 2), m);
    case Split::Kind::half_near:
      return (n / 2 + m / 2) / m * m;
    case Split::Kind::pow2_below: {
      std::int64_t h = m;
      while (2 * h < n) h *= 2;
      return h;
    }
    case Split::Kind::pow2_half: {
      std::int64_t h = m;
      while (4 * h <= n) h *= 2;
      return 2 * h <= n ? h : 0;
    }
    case Split::Kind::last:
      return (n - 1) / m * m;
    case Split::Kind::last_const:
      return n - m;
    case Split::Kind::first:
      return m;
    case Split::Kind::first_rest:
      return (n - 1) % m + 1;
    case Split::Kind::remainder:
      return n / m * m;
  }
  throw InternalError("split_point: unknown kind");
}

std::vector<std::int64_t> balanced(const Parts& parts, std::int64_t n) {
  const bool up = parts.kind == Parts::Kind::balanced_up;
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = n; left > 0;) {
    std::int64_t length = left;
    if (left >= 2 * parts.m) {
      length = parts.m;
    } else if (left > parts.m) {
      length = up ? round_up(left / 2, parts.u) : ceil_div(left, 2);
    }
    lengths.push_back(length);
    left -= length;
  }
  return lengths;
}

std::vector<std::int64_t> blocks(const Parts& parts, std::int64_t n) {
  if (parts.kind != Parts::Kind::fixed) return balanced(parts, n);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>((n - 1) / parts.m), parts.m);
  lengths.push_back((n - 1) % parts.m + 1);
  return lengths;
}

std::vector<std::int64_t> counted(const Parts& parts, std::int64_t n) {
  const std::int64_t count = parts.count, m = parts.m;
  std::vector<std::int64_t> lengths;
  switch (parts.kind) {
    case Parts::Kind::ceil: {
      const std::int64_t width = round_up(ceil_div(n, count), m);
      for (std::int64_t at = 0; at < n; at += width) lengths.push_back(std::min(width, n - at));
      break;
    }
    case Parts::Kind::floor: {
      const std::int64_t width = n / count / m * m;
      lengths.assign(static_cast<std::size_t>(count - 1), width);
      lengths.push_back(n - width * (count - 1));
      break;
    }
    case Parts::Kind::even:
      for (std::int64_t k = 0; k < count; ++k) lengths.push_back(n / count + (k < n % count));
      break;
    case Parts::Kind::proportional:
      for (std::int64_t k = 0; k < count; ++k)
        lengths.push_back(
            static_cast<std::int64_t>(Int128{n} * (k + 1) / count - Int128{n} * k / count));
      break;
    case Parts::Kind::rest: {
      std::int64_t left = n;
      for (std::int64_t k = count; k > 0 && left > 0; --k) {
        const std::int64_t width = std::min(left, round_up(ceil_div(left, k), m));
        lengths.push_back(width);
        left -= width;
      }
      break;
    }
    case Parts::Kind::balanced_up:
    case Parts::Kind::balanced_ceil:
    case Parts::Kind::fixed:
      throw InternalError("counted: not a counted rule");
  }
  return lengths;
}

}  // namespace

std::optional<std::int64_t> split_point(const Split& split, std::int64_t n) {
  const bool may_be_whole = split.kind == Split::Kind::remainder;
  if (n < (may_be_whole ? 1 : 2)) return std::nullopt;
  const std::int64_t h = raw_split_point(split, n);
  if (h <= 0 || h > n || (h == n && !may_be_whole)) return std::nullopt;
  return h;
}

std::optional<std::vector<std::int64_t>> piece_lengths(const Parts& parts, std::int64_t n) {
  const bool may_be_one = parts.onto != Parts::Onto::none || parts.scale != Scale::none;
  if (n < (may_be_one ? 1 : 2)) return std::nullopt;
  const bool is_blocks = parts.kind == Parts::Kind::balanced_up ||
                         parts.kind == Parts::Kind::balanced_ceil ||
                         parts.kind == Parts::Kind::fixed;
  if (is_blocks ? n / parts.m > kMaxPieces : parts.count > kMaxPieces)
    throw UserError("parts rule gives more than 2^24 pieces for n = " + std::to_string(n));
  // With more pieces than summands one would be empty, except by the rules that then make fewer.
  const bool may_be_fewer = parts.kind == Parts::Kind::ceil || parts.kind == Parts::Kind::rest;
  if (!is_blocks && !may_be_fewer && parts.count > n) return std::nullopt;
  auto lengths = is_blocks ? blocks(parts, n) : counted(parts, n);
  // A balanced rule whose rounding makes the half the whole does not cut n either.
  if (lengths.size() < 2 && (!may_be_one || n > parts.m)) return std::nullopt;
  std::int64_t total = 0;
  for (const std::int64_t length : lengths) {
    if (length <= 0) return std::nullopt;
    total += length;
  }
  if (total != n) return std::nullopt;
  return lengths;
}

std::int64_t number_of_windows(const Windows& rule, std::int64_t n) {
  return ceil_div(n, rule.width);
}

Window window_at(const Windows& rule, std::int64_t n, std::int64_t w) {
  const std::int64_t low = (number_of_windows(rule, n) * rule.width - n) / 2;
  const std::int64_t begin = w * rule.width - low;
  const std::int64_t from = std::max<std::int64_t>(begin, 0);
  return {from, std::min(begin + rule.width, n) - from, from - begin};
}

}  // namespace reprosum::spec
