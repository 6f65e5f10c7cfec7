#include "spec/reach.h"

#include <algorithm>
#include <variant>

#include "spec/error.h"

namespace reprosum::spec {
namespace {

constexpr int kMostPasses = 8;  // a regime that names one that names one ...

// Bounds on the pieces of n <= most summands.
std::int64_t longest_left(const Split& split, std::int64_t most) {
  switch (split.kind) {
    case Split::Kind::half_down:
    case Split::Kind::pow2_half:
      return most / 2;
    case Split::Kind::half_up:
    case Split::Kind::ceil_half_up:
    case Split::Kind::half_near:
      return most / 2 + 1 + split.m;
    case Split::Kind::first:
    case Split::Kind::first_rest:
      return split.m;
    case Split::Kind::pow2_below:
    case Split::Kind::last:
    case Split::Kind::last_const:
    case Split::Kind::remainder:
      return most;
  }
  throw InternalError("reaches: unknown split");
}

std::int64_t longest_right(const Split& split, std::int64_t most) {
  switch (split.kind) {
    case Split::Kind::half_down:
    case Split::Kind::half_near:
      return most / 2 + 1 + split.m;
    case Split::Kind::half_up:
    case Split::Kind::ceil_half_up:
    case Split::Kind::pow2_below:
      return most / 2 + 1;
    case Split::Kind::last:
    case Split::Kind::last_const:
      return split.m;
    case Split::Kind::remainder:
      return split.m - 1;
    case Split::Kind::first:
    case Split::Kind::first_rest:
    case Split::Kind::pow2_half:
      return most;
  }
  throw InternalError("reaches: unknown split");
}

std::int64_t longest(const Parts& parts, std::int64_t most) {
  switch (parts.kind) {
    case Parts::Kind::fixed:
      return parts.m;
    case Parts::Kind::balanced_up:
      return std::max(parts.m, (parts.m - 1 + parts.u - 1) / parts.u * parts.u);
    case Parts::Kind::balanced_ceil:
      return parts.m;
    case Parts::Kind::ceil:
    case Parts::Kind::rest:
      return most / parts.count + 1 + parts.m;
    case Parts::Kind::even:
    case Parts::Kind::proportional:
      return most / parts.count + 1;
    case Parts::Kind::floor:
      return most;
  }
  throw InternalError("reaches: unknown parts");
}

// The least n in 2..most that no regime holds.
std::optional<std::int64_t> gap(const Order& order, std::int64_t most) {
  std::int64_t next = 2;
  const auto holds = [&](std::int64_t lo, std::int64_t hi) {
    if (lo <= next) next = std::max(next, hi + 1);
  };
  for (const Regime& regime : order.regimes) {
    if (const auto* listed = std::get_if<Explicit>(&regime.rule))
      for (const auto& entry : listed->entries) holds(entry.n, entry.n);
    else
      holds(regime.lo, regime.hi);
  }
  return next <= most ? std::optional(next) : std::nullopt;
}

// The least n from which on every cut leaves summands on both sides.
std::int64_t least_whole(const Split& split) {
  switch (split.kind) {
    case Split::Kind::half_down:
    case Split::Kind::pow2_half:
      return 2 * split.m;
    case Split::Kind::remainder:
      return split.m;
    case Split::Kind::half_up:
    case Split::Kind::ceil_half_up:
    case Split::Kind::half_near:
    case Split::Kind::pow2_below:
    case Split::Kind::last:
    case Split::Kind::last_const:
    case Split::Kind::first:
    case Split::Kind::first_rest:
      return split.m + 1;
  }
  throw InternalError("undefined_piece: unknown split");
}

// The least n from which on pieces have summands and end with the last one. All of n is a piece
// only where it meets alpha or the output.
std::int64_t least_whole(const Parts& parts) {
  const bool is_plain = parts.onto == Parts::Onto::none && parts.scale == Scale::none;
  const std::int64_t shorter = is_plain ? parts.m + 1 : 1;
  switch (parts.kind) {
    case Parts::Kind::balanced_up:
      return std::max(shorter, parts.u > parts.m ? kMaxLeaves : 1);
    case Parts::Kind::balanced_ceil:
    case Parts::Kind::fixed:
    case Parts::Kind::ceil:
    case Parts::Kind::rest:
      return shorter;
    case Parts::Kind::floor:
      return parts.count > kMaxLeaves / parts.m ? kMaxLeaves : parts.count * parts.m;
    case Parts::Kind::even:
    case Parts::Kind::proportional:
      return parts.count;
  }
  throw InternalError("undefined_piece: unknown parts");
}

// As undefined_piece(), where the order is asked for up to `most` summands, those that its own
// regimes must hold if it is a sub-order.
std::optional<std::int64_t> undefined_piece(const Order& order, std::int64_t most, bool is_sub) {
  std::int64_t own = is_sub ? most : 0;
  std::vector<std::int64_t> subs(order.subs.size());
  const auto hand = [&](const Child& child, std::int64_t length) {
    const auto index = static_cast<std::size_t>(child.index);
    if (child.kind == Child::Kind::regime)
      length = std::min(length, order.regimes[index].lo - 1);  // others are asked of the regime
    std::int64_t& longest = child.kind == Child::Kind::sub ? subs[index] : own;
    longest = std::max(longest, length);
  };
  const std::vector<std::int64_t> reach = reaches(order);
  for (std::size_t k = 0; k < order.regimes.size(); ++k) {
    const std::int64_t whole = std::min(most, reach[k]);
    const Rule& rule = order.regimes[k].rule;
    const std::int64_t least = order.regimes[k].lo;
    if (least > whole) continue;
    if (const auto* split = std::get_if<Split>(&rule)) {
      if (least < least_whole(*split)) return least;
      hand(split->left, std::min(whole, longest_left(*split, whole)));
      hand(split->right, std::min(whole, longest_right(*split, whole)));
    } else if (const auto* parts = std::get_if<Parts>(&rule)) {
      if (least < least_whole(*parts)) return least;
      hand(parts->child, std::min(whole, longest(*parts, whole)));
    }
  }
  if (const auto found = gap(order, own)) return found;
  for (std::size_t k = 0; k < subs.size(); ++k)
    if (const auto found = undefined_piece(order.subs[k], subs[k], true)) return found;
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> reaches(const Order& order) {
  std::vector<std::int64_t> reach;
  for (const Regime& regime : order.regimes) reach.push_back(regime.hi);
  const std::int64_t whole = order.regimes.back().hi;
  bool changed = true;
  for (int pass = 0; changed; ++pass) {
    changed = false;
    const auto hand = [&](const Child& child, std::int64_t length) {
      if (child.kind != Child::Kind::regime) return;
      std::int64_t& known = reach[static_cast<std::size_t>(child.index)];
      length = pass < kMostPasses ? std::min(length, whole) : whole;
      changed = changed || length > known;
      known = std::max(known, length);
    };
    for (std::size_t k = 0; k < order.regimes.size(); ++k) {
      const Rule& rule = order.regimes[k].rule;
      if (const auto* split = std::get_if<Split>(&rule)) {
        hand(split->left, std::min(reach[k], longest_left(*split, reach[k])));
        hand(split->right, std::min(reach[k], longest_right(*split, reach[k])));
      } else if (const auto* parts = std::get_if<Parts>(&rule)) {
        hand(parts->child, std::min(reach[k], longest(*parts, reach[k])));
      } else if (const auto* windows = std::get_if<Windows>(&rule)) {
        hand(windows->values, (reach[k] - 1) / windows->width + 1);
      }
    }
  }
  return reach;
}

std::optional<std::int64_t> undefined_piece(const Order& order, std::int64_t most) {
  return undefined_piece(order, most, false);
}

}  // namespace reprosum::spec
