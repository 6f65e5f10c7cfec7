#include "spec/diff_orders.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "spec/diff_nodes.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kTreeBudget = 20'000'000;  // summands of all the trees built

std::string text(std::int64_t value) { return std::to_string(value); }

Tree tree_of(const Order& order, std::int64_t k, bool plain) {
  Tree tree = expand(order, k);
  if (!plain) return tree;
  for (TreeOp& op : tree.ops) {
    if (op.skip == Skip::scaled) op.skip = op.scale == Scale::x ? Skip::x : Skip::y;
    op.scale = Scale::none;
  }
  return canonical(std::move(tree));
}

// The rule that cuts k into blocks, or nullptr.
const Parts* blocks_at(const Order& order, std::int64_t k) {
  const Regime* regime = regime_of(order, k);
  const auto* parts = regime == nullptr ? nullptr : std::get_if<Parts>(&regime->rule);
  return parts == nullptr || parts->count != 0 ? nullptr : parts;
}

// "448 + 224 + 224", "not cut", "320 + 320 + ... + 17".
std::string cut(const Parts& parts, std::int64_t k) {
  constexpr std::size_t kShown = 4;
  const auto lengths = piece_lengths(parts, k);
  if (!lengths || lengths->size() < 2) return "not cut";
  std::string out;
  for (std::size_t piece = 0; piece < lengths->size(); ++piece) {
    const bool left_out = lengths->size() > kShown && piece >= 2 && piece + 1 < lengths->size();
    if (left_out && piece > 2) continue;
    out.append(piece > 0 ? " + " : "").append(left_out ? "..." : text((*lengths)[piece]));
  }
  return out;
}

}  // namespace

const std::optional<OrderDifference>& OrderPairs::difference(std::size_t x, std::size_t y) {
  const std::pair key{x, y};
  const auto known = differences_.find(key);
  if (known != differences_.end()) return known->second;
  return differences_.emplace(key, diff(a_.orders[x], b_.orders[y])).first->second;
}

bool OrderPairs::differ(std::size_t x, std::size_t y, std::int64_t k, bool plain) {
  const auto& orders = difference(x, y);
  if (!orders || k < orders->n || k > kMaxExplicitLeaves) return false;
  const std::tuple key{x, y, k, plain};
  if (const auto known = differ_.find(key); known != differ_.end()) return known->second;
  if (spent_ + k > kTreeBudget) return false;
  spent_ += k;
  bool differs = false;
  try {
    differs = tree_of(a_.orders[x], k, plain) != tree_of(b_.orders[y], k, plain);
  } catch (const UserError&) {
    // One order is not defined there: no claim about bits.
  }
  return differ_[key] = differs;
}

std::pair<std::string, std::string> OrderPairs::nodes(std::size_t x, std::size_t y, std::int64_t k,
                                                      bool plain) const {
  return first_parting_nodes(tree_of(a_.orders[x], k, plain), tree_of(b_.orders[y], k, plain));
}

std::string OrderPairs::parting(std::size_t x, std::size_t y, std::int64_t k) {
  const auto& orders = difference(x, y);
  const std::string from = orders ? " from k = " + text(orders->n) : "";
  const Parts *in_a = blocks_at(a_.orders[x], k), *in_b = blocks_at(b_.orders[y], k);
  if (in_a == nullptr || in_b == nullptr || in_a->m == in_b->m) return "another order" + from;
  const std::string blocks = "K blocks of " + text(in_a->m) + " against " + text(in_b->m);
  // Blocks make no difference before the shorter one is full.
  if (orders && orders->n <= std::min(in_a->m, in_b->m))
    return "another order" + from + ", and " + blocks;
  const std::string cut_a = cut(*in_a, k), cut_b = cut(*in_b, k);
  if (cut_a == cut_b) return blocks + from;
  return blocks + from + " (k = " + text(k) + ": " + cut_a + " against " + cut_b + ")";
}

}  // namespace reprosum::spec
