// Lanes whose leaves have an order of their own: levels that carry, say, where a vector is the
// summand.
//
// Summands l, l + W, l + 2W, ... of lane l are one subtree each. Their order is inferred as that of
// a family, T(q) being the tree of a lane of q leaves. Then every lane is rewritten as a plain
// chain, marked by a format that no sum of the rewritten tree has, so that the rewritten tree is a
// loop like any other. Finally the marked chains become runs that a sub-order adds.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "reveal/infer/engine.h"
#include "reveal/infer/loop_search.h"
#include "reveal/infer/tree_store.h"
#include "reveal/infer/tree_tools.h"
#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr int kMaxDepth = 1;            // lanes of lanes
constexpr std::int64_t kFewLeaves = 8;  // of a lane whose order is to be seen
constexpr std::size_t kMaxWidths = 4;   // widths tried, widest first
constexpr std::int64_t kMaxWidth = 1024;
constexpr int kCostOfLanes = 100'000;  // a plain loop wins if both explain a tree: it has kernels
constexpr double kShareOfTime = 0.5;   // of the remaining time, for the order of a lane

// Where the lanes of a tree stand in its program: [first, last] of each; empty if they are no
// subtrees. Lane l has the leaves l + W*t, t < q = n/W; the remaining leaves belong to no lane.
std::vector<std::pair<std::size_t, std::size_t>> places_of_lanes(const spec::Tree& tree,
                                                                 std::int64_t width) {
  struct Part {
    std::size_t first = 0;
    std::int64_t leaves = 0, lane = -1;  // -1: of several lanes, or of none
  };
  const std::int64_t q = tree.n / width, main = q * width;
  std::vector<std::pair<std::size_t, std::size_t>> places(static_cast<std::size_t>(width));
  std::int64_t found = 0;
  std::vector<Part> stack;
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const spec::TreeOp& op = tree.ops[k];
    if (op.kind == spec::TreeOp::Kind::leaf) {
      const std::int64_t index = op.index;
      stack.push_back({k, 1, index < main ? index % width : -1});
    } else {
      const Part right = stack.back();
      stack.pop_back();
      Part& left = stack.back();
      left.leaves += right.leaves;
      if (left.lane != right.lane) left.lane = -1;
    }
    const Part& part = stack.back();
    if (part.lane < 0 || part.leaves != q) continue;
    places[static_cast<std::size_t>(part.lane)] = {part.first, k};
    ++found;
  }
  if (found != width) places.clear();
  return places;
}

// Distances between two leaves that are added to one another first: a split into halves shows in no
// run.
std::set<std::int64_t> distances_of_pairs(const spec::Tree& tree) {
  std::set<std::int64_t> distances;
  const auto is_leaf = [&](std::size_t k) { return tree.ops[k].kind == spec::TreeOp::Kind::leaf; };
  for (std::size_t k = 2; k < tree.ops.size(); ++k)
    if (!is_leaf(k) && is_leaf(k - 1) && is_leaf(k - 2))
      distances.insert(std::abs(std::int64_t{tree.ops[k - 1].index} - tree.ops[k - 2].index));
  return distances;
}

// The tree of one lane, its leaves numbered from 0.
spec::Tree lane_of(const spec::Tree& tree, std::pair<std::size_t, std::size_t> place,
                   std::int64_t width) {
  spec::Tree lane{tree.n / width, {}};
  for (std::size_t k = place.first; k <= place.second; ++k) {
    lane.ops.push_back(tree.ops[k]);
    lane.ops.back().index = static_cast<std::uint32_t>(lane.ops.back().index / width);
  }
  // As the first of a lane a fused leaf is a rounded product.
  return spec::canonical(std::move(lane));
}

// Whether leaves of one kind are added one by one, in whatever order: NumPy's einsum goes backwards
// in blocks.
bool is_chain(const spec::Tree& tree) {
  std::set<spec::Leaf> kinds;  // but of the first product, which nothing is fused with
  for (const spec::TreeOp& op : tree.ops)
    if (op.kind == spec::TreeOp::Kind::leaf && &op != &tree.ops[0]) kinds.insert(op.leaf);
  if (kinds.size() > 1) return false;
  std::vector<std::int64_t> leaves;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind != spec::TreeOp::Kind::add) {
      leaves.push_back(1);
      continue;
    }
    const std::int64_t right = leaves.back();
    leaves.pop_back();
    if (leaves.back() > 1 && right > 1) return false;
    leaves.back() += right;
  }
  return true;
}

// The family with every lane as a chain of exact leaves in the wide format. What has other lanes
// than `order` says stays as it is, and fits no loop.
class StraightLanes final : public Source {
 public:
  StraightLanes(Source& lanes, std::int64_t width, const spec::Order& order)
      : Source(lanes.session(), [&lanes](std::int64_t l) { return lanes.where(l); }),
        lanes_(lanes),
        width_(width),
        order_(order) {}

  const spec::Tree* reveal(std::int64_t l) override {
    const spec::Tree* tree = lanes_.reveal(l);
    if (tree == nullptr) return nullptr;
    const auto [it, is_new] = straight_.try_emplace(l);
    if (is_new) it->second = straightened(*tree);
    return &it->second;
  }

 private:
  spec::Tree straightened(const spec::Tree& tree) const {
    const std::int64_t q = tree.n / width_;
    const auto predicted = q < 1 ? std::nullopt : predict(order_, q);
    const auto places = places_of_lanes(tree, width_);
    if (!predicted || places.empty()) return tree;
    std::map<std::size_t, std::pair<std::size_t, std::int64_t>> ends;  // first -> last, lane
    for (std::size_t lane = 0; lane < places.size(); ++lane) {
      if (!same_function(lane_of(tree, places[lane], width_), *predicted)) return tree;
      ends[places[lane].first] = {places[lane].second, static_cast<std::int64_t>(lane)};
    }
    spec::Tree result{tree.n, {}};
    for (std::size_t k = 0; k < tree.ops.size(); ++k) {
      const auto it = ends.find(k);
      if (it == ends.end()) {
        result.ops.push_back(tree.ops[k]);
        continue;
      }
      append_chain(it->second.second, q, result.ops);
      k = it->second.first;
    }
    return spec::canonical(std::move(result));
  }

  void append_chain(std::int64_t lane, std::int64_t q, std::vector<spec::TreeOp>& ops) const {
    for (std::int64_t t = 0; t < q; ++t) {
      spec::TreeOp leaf, add;
      leaf.leaf = spec::Leaf::exact;
      leaf.index = static_cast<std::uint32_t>(lane + t * width_);
      ops.push_back(leaf);
      add.kind = spec::TreeOp::Kind::add;
      add.format = spec::NodeFormat::wide;
      if (t > 0) ops.push_back(add);
    }
  }

  Source& lanes_;
  const std::int64_t width_;
  const spec::Order& order_;
  std::map<std::int64_t, spec::Tree> straight_;
};

// The marked chains become runs of the sub-order. Returns how many there were.
int name_sub(spec::Schema& schema, std::int64_t width, std::int32_t sub) {
  int named = 0;
  for (spec::Chain& chain : schema.chains) {
    if (chain.format != spec::NodeFormat::wide || chain.items.size() != 1) continue;
    spec::Item& item = chain.items[0];
    if (!item.shape.is_leaf() || item.shape.leaf != spec::Leaf::exact ||
        item.step != spec::Linear{0, 0, width} || item.times != spec::Linear{1, 0, 0} ||
        item.times2 != spec::Linear{0, 0, 1})
      continue;
    chain.format = spec::NodeFormat::narrow;
    item.shape = {};
    item.shape.sub = sub;
    ++named;
  }
  return named;
}

}  // namespace

std::vector<Hypothesis> Engine::lanes_of_width(std::int64_t width, std::int64_t base) {
  Session& session = source_.session();
  const std::int64_t most = longest_ / width;
  const auto oracle = session.oracle().lanes([this, width](std::int64_t q) -> Oracle::Lane {
    const auto place = source_.where(q * width).value();  // `family` asks for no other
    return {place.n, place.lo, width};
  });
  // A family of pieces may lack short ones; lanes begin with one leaf.
  if (oracle == nullptr || !source_.has(width) || !source_.has(most * width)) return {};
  InferOptions options = session.options();
  options.n_max = most;
  options.known.clear();
  options.time_limit_s = session.seconds_left() * kShareOfTime;
  session.log("lanes of width " + std::to_string(width));
  Session inner(*oracle, options);
  Source family(inner, [this, width](std::int64_t q) -> std::optional<Place> {
    if (q < 1 || !source_.has(q * width)) return std::nullopt;
    return Place{q, 0, q};
  });
  Found found = Engine(family, 1, most, depth_ + 1).run();
  if (found.reached * width < 2 * base) return {};
  if (found.reached == most) found.order.regimes.back().hi = spec::kMaxLeaves;
  StraightLanes straight(source_, width, found.order);
  auto loop = LoopSearch(straight, base, longest_, {}, 0).run(width);
  if (!loop || loop->pad) return {};
  const auto sub = static_cast<std::int32_t>(order_.subs.size());
  for (spec::Loop::Case& one : loop->cases)
    if (name_sub(one.schema, width, sub) == 0) return {};
  std::vector<Hypothesis> hypotheses{open_ended(std::move(*loop), base)};
  hypotheses[0].order.subs.push_back(std::move(found.order));
  return hypotheses;
}

std::vector<Hypothesis> Engine::lanes(std::int64_t base) {
  const std::int64_t far = std::min(4 * base + 5, longest_);
  if (!source_.session().options().lanes || depth_ > kMaxDepth) return {};
  const spec::Tree* tree = source_.reveal(far);
  if (tree == nullptr) return {};
  TreeStore store;
  std::set<std::int64_t> strides = store.strides(store.add(*tree));
  strides.merge(distances_of_pairs(*tree));
  std::size_t tried = 0;
  for (auto width = strides.rbegin(); width != strides.rend(); ++width) {
    if (*width < 2 || *width > kMaxWidth || far / *width < kFewLeaves) continue;
    const auto places = places_of_lanes(*tree, *width);
    // Lanes that are chains are a loop's business.
    if (places.empty() || is_chain(lane_of(*tree, places[0], *width))) continue;
    if (++tried > kMaxWidths) break;
    std::vector<Hypothesis> found = lanes_of_width(*width, base);
    for (Hypothesis& hypothesis : found) hypothesis.cost += kCostOfLanes;
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace reprosum::reveal::generalize
