// Rewrites schemas and split rules so that chains start at +0.
#include "reveal/tree/zero_placements.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

namespace reprosum::reveal {
namespace {

using spec::Chain;
using spec::Child;
using spec::Item;
using spec::Leaf;
using spec::NodeFormat;
using spec::Order;
using spec::Schema;

constexpr std::int32_t kAbsent = -2;

Item zero_item() {
  Item item;
  item.shape.leaf = Leaf::zero;
  return item;
}

bool is_summand(const Item& item) { return item.shape.is_leaf() && item.shape.leaf != Leaf::zero; }

// A wide chain adds a product as it is: there is nothing to fuse.
void start_at_zero(Chain& chain, Start start) {
  if (start == Start::product) return;
  Item& first = chain.items.front();
  if (start == Start::fused && chain.format == NodeFormat::narrow &&
      first.shape.leaf == Leaf::rounded)
    first.shape.leaf = Leaf::fused;
  chain.items.insert(chain.items.begin(), zero_item());
}

// Each rounded leaf of a narrow chain beside other operands becomes a chain (+0, leaf) of its own;
// chain indices shift by one as that chain is put in front of all others.
void give_lone_leaves_a_zero(Schema& schema, Start start) {
  if (start == Start::product) return;
  Chain lone;
  lone.items.push_back(zero_item());
  Item leaf;
  leaf.shape.leaf = start == Start::fused ? Leaf::fused : Leaf::rounded;
  lone.items.push_back(leaf);
  for (Chain& chain : schema.chains)
    for (Item& item : chain.items) {
      if (!item.shape.is_leaf()) {
        ++item.shape.chain;
      } else if (item.shape.leaf == Leaf::rounded && chain.format == NodeFormat::narrow &&
                 item.shape.skip == spec::Skip::none) {
        item.shape.chain = 0;
      }
    }
  schema.chains.insert(schema.chains.begin(), std::move(lone));
}

// [a b c] as [0 (a b) c], b being the last item whose copies grow with q: a sum that starts at +0
// takes in whole groups, then single summands. (One +0 before each group gives the same bits as
// one before the first.)
void start_main_part_at_zero(Schema& schema) {
  const auto grows = [](const Item& item) { return item.times.q != 0 || item.times2.q != 0; };
  const auto& items = schema.chains.back().items;
  const auto last = std::find_if(items.rbegin(), items.rend(), grows);
  if (last == items.rend() || last == items.rbegin()) return;
  const auto count = items.rend() - last;
  Chain root = std::move(schema.chains.back());
  Chain main{root.format, {root.items.begin(), root.items.begin() + count}};
  root.items.erase(root.items.begin(), root.items.begin() + count);
  Item whole;
  whole.shape.chain = static_cast<std::int32_t>(schema.chains.size()) - 1;
  root.items.insert(root.items.begin(), {zero_item(), whole});
  schema.chains.back() = std::move(main);
  schema.chains.push_back(std::move(root));
}

// The item without its first copy, or nothing if it has one alone. @pre it has no second run.
std::vector<Item> rest_of(Item item) {
  if (item.times == spec::Linear{0, 0, 1}) return {};
  item.at = {item.at.q + item.step.q, item.at.r + item.step.r, item.at.c + item.step.c};
  --item.times.c;
  return {item};
}

// (+0 + x0), or fma(x0, y0, +0), in place of x0, which the first copies of items that begin at 0
// lead to; its chains are copied for it, and the schema is left as it is where nothing leads there.
// The first product of a run of fused ones is a rounded one.
void start_first_at_zero(Schema& schema, Start start) {
  const auto leads_there = [](const Chain& chain, const Item& item) {
    const spec::Linear once{0, 0, 1};
    const bool is_there = item.at == spec::Linear{} && item.times2 == once;
    const bool is_rounded = item.shape.leaf == Leaf::rounded ||
                            (item.shape.leaf == Leaf::fused && &item == &chain.items.front());
    return is_there && (!item.shape.is_leaf() || is_rounded) && !item.shape.is_sub() &&
           (item.times == once || item.times.c > 0);
  };
  std::vector<std::pair<std::size_t, std::size_t>> path;  // a chain and its item
  for (std::size_t chain = schema.chains.size() - 1;;) {
    const Chain& here = schema.chains[chain];
    const auto& items = here.items;
    const auto at = std::find_if(items.begin(), items.end(),
                                 [&](const Item& item) { return leads_there(here, item); });
    if (at == items.end()) return;
    path.emplace_back(chain, static_cast<std::size_t>(at - items.begin()));
    if (at->shape.is_leaf()) break;
    chain = static_cast<std::size_t>(at->shape.chain);
  }
  Chain below;  // what stands for x0, then for the chains above it
  below.items = {zero_item(), {}};
  if (start == Start::fused) below.items.back().shape.leaf = Leaf::fused;
  std::vector<Chain> copies{below};
  for (std::size_t k = path.size(); k-- > 0;) {
    Chain chain = schema.chains[path[k].first];
    const auto item = chain.items.begin() + static_cast<std::ptrdiff_t>(path[k].second);
    std::vector<Item> rest = rest_of(*item);
    Item first;
    first.shape.chain = static_cast<std::int32_t>(schema.chains.size() + copies.size()) - 1;
    *item = first;
    chain.items.insert(item + 1, rest.begin(), rest.end());
    copies.push_back(std::move(chain));
  }
  schema.chains.insert(schema.chains.end(), copies.begin(), copies.end());
}

void place(Schema& schema, const ZeroPlacement& placement) {
  if (placement.first != Start::product) return start_first_at_zero(schema, placement.first);
  if (placement.main_part) return start_main_part_at_zero(schema);
  for (Chain& chain : schema.chains) {
    const Item& first = chain.items.front();
    if (!is_summand(first)) continue;
    // A rounded leaf that becomes a chain of its own starts that chain, not this one.
    if (placement.lone_leaves != Start::product && first.shape.leaf == Leaf::rounded &&
        chain.format == NodeFormat::narrow)
      continue;
    const bool grows = std::any_of(chain.items.begin(), chain.items.end(), [](const Item& item) {
      return is_summand(item) && (item.times.q != 0 || item.times2.q != 0);
    });
    start_at_zero(chain, grows ? placement.accumulators : placement.tails);
  }
  give_lone_leaves_a_zero(schema, placement.lone_leaves);
  if (placement.root) {
    Chain root;
    Item whole;
    whole.shape.chain = static_cast<std::int32_t>(schema.chains.size()) - 1;
    root.items = {zero_item(), whole};
    schema.chains.push_back(std::move(root));
  }
}

// A copy of what a piece follows, as an order of its own whose result gets one +0. Adding +0 to
// a piece or to the sum of the pieces gives the same bits: it turns -0 into +0 and nothing else.
Child started_child(Order& order, std::size_t k, const Child& child) {
  Order piece;
  if (child.kind == Child::Kind::sub) {
    piece = order.subs[std::size_t(child.index)];
  } else {
    const std::size_t last = child.kind == Child::Kind::regime ? std::size_t(child.index) : k;
    piece.regimes.assign(order.regimes.begin(), order.regimes.begin() + std::ptrdiff_t(last) + 1);
    piece.regimes.back().hi = std::max(piece.regimes.back().hi, order.regimes[k].hi);
    piece.subs = order.subs;
  }
  piece.zero_start = true;
  order.subs.push_back(std::move(piece));
  return {Child::Kind::sub, static_cast<std::int32_t>(order.subs.size()) - 1};
}

void place_in_sub(Order& order, const Child& child, const ZeroPlacement& placement) {
  if (child.kind != Child::Kind::sub) return;
  Order& sub = order.subs[std::size_t(child.index)];
  for (std::size_t k = 0; k < sub.regimes.size(); ++k) sub = with_zeros(sub, k, placement);
}

// In the sub-orders that add the leaves of runs.
void place_in_runs(Order& order, const spec::Loop& loop, const ZeroPlacement& placement) {
  std::set<std::int32_t> subs;
  for (const auto& one : loop.cases)
    for (const Chain& chain : one.schema.chains)
      for (const Item& item : chain.items)
        if (item.shape.is_sub()) subs.insert(item.shape.sub);
  for (const std::int32_t sub : subs) place_in_sub(order, {Child::Kind::sub, sub}, placement);
}

// Keeps the items that have a copy at q = 0 for some r in the case, and the chains they name.
Schema without_main_part(const Schema& schema, std::int64_t r_lo, std::int64_t r_hi) {
  Schema result;
  std::vector<std::int32_t> renamed;  // by chain
  for (const Chain& chain : schema.chains) {
    Chain kept{chain.format, {}};
    for (Item item : chain.items) {
      const auto present = [&](const spec::Linear& times) {
        return times.at(0, r_lo) > 0 || times.at(0, r_hi) > 0;
      };
      if (!present(item.times) || !present(item.times2)) continue;
      if (!item.shape.is_leaf()) {
        item.shape.chain = renamed[std::size_t(item.shape.chain)];
        if (item.shape.chain == kAbsent) continue;
      }
      kept.items.push_back(item);
    }
    renamed.push_back(kept.items.empty() ? kAbsent
                                         : static_cast<std::int32_t>(result.chains.size()));
    if (!kept.items.empty()) result.chains.push_back(std::move(kept));
  }
  return result;
}

void shift_regimes(Child& child, std::size_t from) {
  if (child.kind == Child::Kind::regime && std::size_t(child.index) >= from) ++child.index;
}

// Regime k is about to be cut in two. A child that names it means it beyond its range, which is the
// upper part.
void shift_children(Order& order, std::size_t k) {
  for (spec::Regime& other : order.regimes) {
    if (auto* split = std::get_if<spec::Split>(&other.rule)) {
      shift_regimes(split->left, k);
      shift_regimes(split->right, k);
    } else if (auto* windows = std::get_if<spec::Windows>(&other.rule)) {
      shift_regimes(windows->values, k);
    } else if (auto* parts = std::get_if<spec::Parts>(&other.rule)) {
      shift_regimes(parts->child, k);
    }
  }
}

}  // namespace

Order cut_below_block(const Order& order, std::size_t k) {
  const spec::Regime regime = order.regimes[k];
  const auto* loop = std::get_if<spec::Loop>(&regime.rule);
  if (loop == nullptr || loop->pad || regime.lo >= loop->block || regime.hi < loop->block)
    return order;
  Order result = order;
  shift_children(result, k);
  spec::Loop below = *loop;
  for (auto& c : below.cases) {
    // Residue 0 has no size below one block.
    Schema cut = without_main_part(c.schema, std::max<std::int64_t>(c.r_lo, 1), c.r_hi);
    if (!cut.chains.empty()) c.schema = std::move(cut);
  }
  result.regimes[k].lo = loop->block;
  result.regimes.insert(result.regimes.begin() + std::ptrdiff_t(k),
                        {regime.lo, loop->block - 1, std::move(below)});
  return result;
}

Order cut_at(const Order& order, std::size_t k, std::int64_t border) {
  const spec::Regime regime = order.regimes[k];
  if (!std::holds_alternative<spec::Loop>(regime.rule) || border < regime.lo || border >= regime.hi)
    return order;
  Order result = order;
  shift_children(result, k);
  result.regimes[k].lo = border + 1;
  result.regimes.insert(result.regimes.begin() + std::ptrdiff_t(k),
                        {regime.lo, border, regime.rule});
  return result;
}

Order cut_first_size(const Order& order, std::size_t k) {
  const spec::Regime regime = order.regimes[k];
  if (regime.lo != 1 || regime.hi == 1 || !std::holds_alternative<spec::Loop>(regime.rule))
    return order;
  Order result = order;
  shift_children(result, k);
  result.regimes[k].lo = 2;
  Item leaf;
  const Schema single{{{NodeFormat::narrow, {leaf}}}};
  result.regimes.insert(result.regimes.begin() + std::ptrdiff_t(k),
                        {1, 1, spec::Explicit{{{1, single}}}});
  return result;
}

std::vector<ZeroPlacement> zero_placements(bool products) {
  std::vector<Start> starts{Start::product, Start::fused, Start::added};
  if (!products) starts = {Start::product, Start::added};
  std::vector<ZeroPlacement> all;
  for (const Start accumulators : starts)
    for (const Start tails : starts)
      for (const Start lone : starts)
        for (const bool root : {false, true})
          for (const bool in_runs : {false, true})
            all.push_back({accumulators, tails, lone, root, false, Start::product, in_runs});
  ZeroPlacement main_part;
  main_part.main_part = true;
  all.push_back(main_part);
  for (const Start start : starts)
    for (const bool in_runs : {false, true})
      if (start != Start::product) {
        ZeroPlacement first;
        first.first = start;
        first.in_runs = in_runs;
        all.push_back(first);
      }
  const auto cost = [](const ZeroPlacement& p) {
    return (p.accumulators != Start::product) + (p.tails != Start::product) +
           3 * (p.lone_leaves != Start::product) + (p.root ? 1 : 0) + (p.main_part ? 1 : 0) +
           (p.first == Start::fused   ? 2
            : p.first == Start::added ? 1
                                      : 0) +
           (p.in_runs ? 1 : 0);
  };
  std::stable_sort(all.begin(), all.end(), [&](const ZeroPlacement& a, const ZeroPlacement& b) {
    return cost(a) < cost(b);
  });
  return all;
}

Schema with_zeros(const Schema& schema, const ZeroPlacement& placement) {
  Schema result = schema;
  place(result, placement);
  return result;
}

Order with_zeros(const Order& order, std::size_t k, const ZeroPlacement& placement,
                 std::int64_t only) {
  Order result = order;
  spec::Rule rule = result.regimes[k].rule;
  if (auto* listed = std::get_if<spec::Explicit>(&rule)) {
    for (auto& entry : listed->entries)
      if (only == 0 || entry.n == only) place(entry.tree, placement);
  } else if (auto* loop = std::get_if<spec::Loop>(&rule)) {
    if (placement.in_runs) place_in_runs(result, *loop, placement);
    for (auto& c : loop->cases) place(c.schema, placement);
  } else if (auto* split = std::get_if<spec::Split>(&rule)) {
    ZeroPlacement inner = placement;
    inner.root = false;
    place_in_sub(result, split->left, inner);
    // What goes on from a sum starts nothing.
    if (split->right != split->left && !split->through) place_in_sub(result, split->right, inner);
    if (placement.root) split->left = started_child(result, k, split->left);
  } else if (auto* windows = std::get_if<spec::Windows>(&rule)) {
    // Where +0 is added to the whole, a zero_start says so: a sub-order has no windows.
    ZeroPlacement inner = placement;
    inner.root = false;
    place_in_sub(result, windows->piece, inner);
  } else if (auto* parts = std::get_if<spec::Parts>(&rule)) {
    ZeroPlacement inner = placement;
    inner.root = false;
    place_in_sub(result, parts->child, inner);
    if (placement.root) parts->child = started_child(result, k, parts->child);
  }
  result.regimes[k].rule = std::move(rule);
  return result;
}

}  // namespace reprosum::reveal
