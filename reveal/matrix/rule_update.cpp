#include "reveal/matrix/rule_update.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "reveal/matrix/schema_update.h"

namespace reprosum::reveal {
namespace {

using spec::Child;
using spec::Order;
using spec::Parts;
using spec::Scale;
using spec::Split;

struct Way {
  Parts::Onto onto;
  Scale scale;  // x and y: of the leaves
};

std::vector<Way> ways(bool alpha_one) {
  using enum Parts::Onto;
  if (alpha_one) return {{first, Scale::none}, {fused, Scale::none}};
  return {{first, Scale::rounded}, {first, Scale::fused}, {fused, Scale::rounded},
          {first, Scale::x},       {first, Scale::y},     {fused, Scale::x},
          {fused, Scale::y}};
}

std::string name(const Way& way) {
  std::string text = way.onto == Parts::Onto::first ? "output first" : "output fused";
  const char* scales[] = {"", ", factor x scaled", ", factor y scaled", ", each rounded",
                          ", each fused"};
  return text + scales[static_cast<std::size_t>(way.scale)];
}

RuleUpdate update_of(Parts parts, const Order& piece, const Way& way) {
  const bool factor = way.scale == Scale::x || way.scale == Scale::y;
  parts.onto = way.onto;
  parts.scale = factor ? Scale::none : way.scale;
  parts.child = {Child::Kind::sub, 0};
  return {parts, {factor ? with_scaled_leaves(piece, way.scale) : piece}, name(way)};
}

// A rule that folds contiguous pieces from the left, as parts; its pieces' order in *piece. Many
// rules give the trees of a fold of few pieces: any split whose left piece is split again may be a
// fold, of pieces as long as the largest sum that is not split. Random data decide.
std::optional<Parts> as_fold(const Order& order, std::size_t regime, Order* piece) {
  const spec::Rule& rule = order.regimes[regime].rule;
  if (const auto* parts = std::get_if<Parts>(&rule)) {
    *piece = child_order(order, parts->child);
    return *parts;
  }
  const auto* split = std::get_if<Split>(&rule);
  if (split == nullptr || split->kind == Split::Kind::remainder ||
      split->left.kind == Child::Kind::sub || order.regimes[regime].lo < 2)
    return std::nullopt;
  Parts parts;
  parts.kind = Parts::Kind::fixed;
  parts.m = split->kind == Split::Kind::last ? split->m : order.regimes[regime].lo - 1;
  parts.format = split->format;
  *piece = child_order(order, split->right);
  return parts;
}

// Pieces of at most `longest` summands need no later regimes.
Order shortened(const Order& order, std::int64_t longest) {
  Order result = order;
  while (result.regimes.size() > 1 && result.regimes.back().lo > longest) result.regimes.pop_back();
  return result;
}

}  // namespace

Order child_order(const Order& order, const Child& child) {
  const auto index = static_cast<std::size_t>(child.index);
  switch (child.kind) {
    case Child::Kind::sub:
      return order.subs[index];
    case Child::Kind::self: {
      Order whole = order;
      whole.zero_start = false;  // of the whole sum, not of its pieces
      return whole;
    }
    case Child::Kind::regime:
      break;
  }
  Order result = order;
  result.zero_start = false;
  result.regimes.resize(index + 1);
  result.regimes.back().hi = spec::kMaxLeaves;
  return result;
}

Order clipped(Order order, std::int64_t last) {
  auto& regimes = order.regimes;
  while (regimes.back().lo > last) regimes.pop_back();
  regimes.back().hi = std::min(regimes.back().hi, last);
  if (auto* listed = std::get_if<spec::Explicit>(&regimes.back().rule))
    std::erase_if(listed->entries, [&](const auto& one) { return one.n > last; });
  return order;
}

void renumber_subs(spec::Rule& rule, std::int32_t by) {
  const auto move = [&](Child& child) {
    if (child.kind == Child::Kind::sub) child.index += by;
  };
  if (auto* split = std::get_if<Split>(&rule)) {
    move(split->left);
    move(split->right);
  }
  if (auto* parts = std::get_if<Parts>(&rule)) move(parts->child);
}

RuleUpdate whole_sum(const Order& sum, Parts::Onto onto, Scale scale) {
  Parts parts;
  parts.kind = Parts::Kind::fixed;
  parts.m = spec::kMaxLeaves;
  return update_of(parts, sum, {onto, scale});
}

std::vector<RuleUpdate> rule_updates(const Order& plain, std::size_t regime, bool alpha_one) {
  std::vector<RuleUpdate> found;
  Order piece;
  if (const auto fold = as_fold(plain, regime, &piece)) {
    const bool bounded = fold->count == 0;
    Order pieces = bounded ? shortened(piece, fold->m) : piece;
    // A sum of pieces that start at +0 each looks like one +0: nothing but the place of C tells.
    if (plain.zero_start) pieces = with_zero_start(std::move(pieces));
    for (const Way& way : ways(alpha_one)) {
      found.push_back(update_of(*fold, pieces, way));
      found.back().name = "pieces: " + found.back().name;
    }
  }
  for (const Way& way : ways(alpha_one)) {
    found.push_back(whole_sum(plain, way.onto, way.scale));
    found.back().name = "whole: " + found.back().name;
  }
  return found;
}

}  // namespace reprosum::reveal
