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
    case Split::Kind::remainder:
      return split.m;
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
    case Parts::Kind::balanced_ceil:
      return 2 * parts.m;
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
      }
    }
  }
  return reach;
}

}  // namespace reprosum::spec
