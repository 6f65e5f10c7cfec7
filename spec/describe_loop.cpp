#include "spec/describe_loop.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kMaxViewed = 1 << 16;  // summands of a tree that is looked at
constexpr std::int64_t kPeriods = 7;  // blocks in the tree: a length divisible by 7 grows with n

constexpr std::size_t kMaxLanes = 2048;  // whose fold is looked at

std::string text(std::int64_t value) { return std::to_string(value); }

struct Node {
  std::int64_t left = -1, right = -1, parent = -1;  // node numbers; -1 for a leaf
  std::int64_t least = 0;
  Leaf leaf = Leaf::rounded;
  NodeFormat format = NodeFormat::narrow;
  bool is_unit = false;  // a summand, or a small group that stands for one
};

// The sums without their zero leaves: they change signs of zero, not the order.
Tree without_zeros(const Tree& whole) {
  const Tree tree = without_update(whole);
  Tree result{tree.n, {}};
  std::vector<bool> present;
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      present.push_back(op.leaf != Leaf::zero);
      if (present.back()) result.ops.push_back(op);
      continue;
    }
    const bool right = present.back();
    present.pop_back();
    if (present.back() && right) result.ops.push_back(op);
    if (!present.back() && right && result.ops.back().leaf == Leaf::fused)
      result.ops.back().leaf = Leaf::rounded;
    present.back() = present.back() || right;
  }
  return canonical(std::move(result));
}

std::vector<Node> nodes_of(const Tree& tree) {
  std::vector<Node> nodes;
  std::vector<std::int64_t> stack;
  for (const TreeOp& op : tree.ops) {
    const auto self = static_cast<std::int64_t>(nodes.size());
    Node node;
    if (op.kind == TreeOp::Kind::leaf) {
      node.least = op.index;
      node.leaf = op.leaf;
      node.is_unit = true;
    } else {
      node.right = stack.back();
      stack.pop_back();
      node.left = stack.back();
      stack.pop_back();
      node.format = op.format;
      Node &left = nodes[std::size_t(node.left)], &right = nodes[std::size_t(node.right)];
      node.least = std::min(left.least, right.least);
      left.parent = right.parent = self;
    }
    stack.push_back(self);
    nodes.push_back(node);
  }
  return nodes;
}

// A maximal left chain of units at a constant distance.
struct Run {
  std::int64_t top = 0, length = 0, first = 0, stride = 0;
};

class View {
 public:
  explicit View(const Tree& tree) : nodes_(nodes_of(tree)) {}

  // "" if the tree is no set of equal lanes.
  std::string describe() {
    for (int round = 0; round < 2; ++round) {
      std::vector<Run> runs = find_runs();
      if (runs.empty() || !all_equal(runs)) return "";
      if (runs[0].length % kPeriods == 0) return name_lanes(runs);
      if (runs[0].length < 2) return "";
      group_ = " of groups of " + text(runs[0].length);
      for (const Run& run : runs) make_unit(run);
    }
    return "";
  }

 private:
  Node& at(std::int64_t index) { return nodes_[std::size_t(index)]; }

  // In postorder, by their tops. The operand with the least summand stands left, so a chain that
  // goes down has its accumulator on the right.
  std::vector<Run> find_runs() {
    std::vector<Run> ending(nodes_.size());  // the run that ends at a node; length 0: none
    std::vector<std::int64_t> last(nodes_.size(), 0);
    std::vector<bool> is_inner(nodes_.size(), false), is_hidden(nodes_.size(), false);
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Node& node = nodes_[k];
      if (node.is_unit) {
        ending[k] = {static_cast<std::int64_t>(k), 1, node.least, 0};
        last[k] = node.least;
        continue;
      }
      const bool right_is_unit = at(node.right).is_unit;
      if (!right_is_unit && !at(node.left).is_unit) continue;
      const auto chain = std::size_t(right_is_unit ? node.left : node.right);
      const std::int64_t unit = at(right_is_unit ? node.right : node.left).least;
      Run run = ending[chain];
      if (run.length == 0) continue;
      std::int64_t step = unit - last[chain];
      if (run.length == 2 && step != run.stride && unit - run.first == -run.stride) {
        std::swap(run.first, last[chain]);  // the pair was the other way round
        run.stride = -run.stride;
        step = run.stride;
      }
      if (run.length > 1 && step != run.stride) continue;
      ending[k] = {static_cast<std::int64_t>(k), run.length + 1, run.first, step};
      last[k] = unit;
      is_inner[std::size_t(node.left)] = is_inner[std::size_t(node.right)] = true;
    }
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      const std::int64_t parent = nodes_[k].parent;
      is_hidden[k] =
          parent >= 0 && (at(parent).is_unit || is_hidden[static_cast<std::size_t>(parent)]);
    }
    std::vector<Run> runs;
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (ending[k].length > 0 && !is_inner[k] && !is_hidden[k]) runs.push_back(ending[k]);
    return runs;
  }

  static bool all_equal(const std::vector<Run>& runs) {
    return std::all_of(runs.begin(), runs.end(), [&](const Run& run) {
      return run.length == runs[0].length && run.stride == runs[0].stride;
    });
  }

  void make_unit(const Run& run) { at(run.top).is_unit = true; }

  std::string name_lanes(const std::vector<Run>& runs) {
    const auto lanes = static_cast<std::int64_t>(runs.size());
    std::string out;
    if (lanes == 1) {
      out = runs[0].stride < 0 ? "sequential from the end" : "sequential";
      if (runs[0].stride != 1 && runs[0].stride != -1 && group_.empty())
        out += " at stride " + text(runs[0].stride);
      if (const std::string kind = leaf_kind(); !kind.empty()) out += " (" + kind + ")";
      return out + group_ + format_suffix();
    }
    out = text(lanes);
    if (const std::string kind = leaf_kind(); !kind.empty()) out += " " + kind;
    out += " lanes" + group_;
    for (const Run& run : runs) {
      make_unit(run);
      at(run.top).least = run.first;
    }
    count_units();
    return out + fold(runs[0].top) + format_suffix();
  }

  std::string leaf_kind() const {
    std::size_t fused = 0, exact = 0, leaves = 0;
    for (const Node& node : nodes_) {
      if (node.left >= 0) continue;
      ++leaves;
      fused += node.leaf == Leaf::fused;
      exact += node.leaf == Leaf::exact;
    }
    if (fused == 0 && exact == 0) return "";
    if (exact == leaves) return "exact-product";
    // The first summand of a chain has nothing to be fused with.
    return exact == 0 && 2 * fused >= leaves ? "fma" : "partly fma";
  }

  std::string format_suffix() const {
    const bool wide = std::any_of(nodes_.begin(), nodes_.end(),
                                  [](const Node& node) { return node.format == NodeFormat::wide; });
    return wide ? " in f64" : "";
  }

  // The tree above the lanes, from its root: each level adds `count` equal parts at `distance`.
  struct Level {
    std::int64_t distance = 0, count = 0;
    bool operator==(const Level&) const = default;
  };

  // Depth is bounded by the logarithm of the number of lanes: every level has equal parts.
  std::optional<std::vector<Level>> levels(std::int64_t node) {
    if (at(node).is_unit) return std::vector<Level>{};
    std::optional<std::vector<Level>> best;
    std::vector<std::int64_t> parts{node};  // parts[0] is unrolled further and further
    while (!at(parts[0]).is_unit) {
      const std::int64_t opened = parts[0];
      parts[0] = at(opened).left;
      parts.insert(parts.begin() + 1, at(opened).right);
      if (const auto found = equal_parts(parts)) best = found;
      if (parts.size() > kMaxLanes) break;
    }
    return best;
  }

  std::optional<std::vector<Level>> equal_parts(const std::vector<std::int64_t>& parts) {
    const std::int64_t units = units_below(parts[0]);
    const std::int64_t distance = at(parts[1]).least - at(parts[0]).least;
    for (std::size_t k = 1; k < parts.size(); ++k)
      if (units_below(parts[k]) != units || at(parts[k]).least - at(parts[k - 1]).least != distance)
        return std::nullopt;
    auto inner = levels(parts[0]);
    if (!inner) return std::nullopt;
    for (std::size_t k = 1; k < parts.size(); ++k)
      if (levels(parts[k]) != inner) return std::nullopt;
    inner->insert(inner->begin(), {distance, static_cast<std::int64_t>(parts.size())});
    return inner;
  }

  void count_units() {
    units_.assign(nodes_.size(), 1);
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (!nodes_[k].is_unit)
        units_[k] = units_[std::size_t(nodes_[k].left)] + units_[std::size_t(nodes_[k].right)];
  }
  std::int64_t units_below(std::int64_t node) const { return units_[std::size_t(node)]; }

  std::string fold(std::int64_t any_lane) {
    std::int64_t root = any_lane;
    while (at(root).parent >= 0) root = at(root).parent;
    if (units_below(root) > std::int64_t{kMaxLanes}) return ", own fold";
    const auto found = levels(root);
    if (!found) return ", own fold";
    if (found->size() == 1 && found->front().count > 2 && found->front().distance == 1)
      return ", folded from the left";
    std::string out = ", fold ";
    for (auto level = found->rbegin(); level != found->rend(); ++level) {
      if (level != found->rbegin()) out += ',';
      out += text(level->distance);
      if (level->count > 2) out += "x" + text(level->count);
    }
    return out;
  }

  std::vector<Node> nodes_;
  std::vector<std::int64_t> units_;  // below each node
  std::string group_;
};

enum class Tail { appended, apart, either, other };

// How the tree of n = main.n + r extends the tree `main` of whole blocks.
Tail tail_of(const Tree& main, const Tree& tree, std::string& suffix) {
  if (tree.ops.size() <= main.ops.size() ||
      !std::equal(main.ops.begin(), main.ops.end(), tree.ops.begin()))
    return Tail::other;
  const std::vector<TreeOp> rest(tree.ops.begin() + std::ptrdiff_t(main.ops.size()),
                                 tree.ops.end());
  const auto is_add = [](const TreeOp& op) { return op.kind == TreeOp::Kind::add; };
  std::vector<std::uint32_t> places;
  bool all_fused = true;
  for (const TreeOp& op : rest) {
    if (is_add(op)) continue;
    all_fused = all_fused && (op.leaf == Leaf::fused || places.empty());
    places.push_back(op.index);
  }
  suffix = rest.back().format == NodeFormat::wide ? " in f64" : "";
  if (all_fused && places.size() > 1) suffix += " (fma)";
  if (!std::is_sorted(places.begin(), places.end())) return Tail::other;
  bool appended = true, apart = true;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    appended = appended && is_add(rest[k]) == (k % 2 == 1);
    // leaf, (leaf, add) ..., add
    apart = apart && is_add(rest[k]) == (k > 0 && (k % 2 == 0 || k + 1 == rest.size()));
  }
  if (appended && apart) return Tail::either;
  return appended ? Tail::appended : apart ? Tail::apart : Tail::other;
}

std::string describe_tail(const Loop& loop, std::int64_t q, const Tree& main) {
  if (loop.block == 1) return "";
  if (loop.pad) return "; tail within the lanes";
  std::vector<std::int64_t> residues{1, 2, 3, loop.block / 2, loop.block - 1};
  for (const auto& c : loop.cases) {
    residues.push_back(c.r_lo);
    residues.push_back(c.r_hi);
  }
  std::sort(residues.begin(), residues.end());
  residues.erase(std::unique(residues.begin(), residues.end()), residues.end());
  Tail tail = Tail::either;
  std::string suffix;
  for (const std::int64_t r : residues) {
    if (r <= 0 || r >= loop.block) continue;
    for (const auto& c : loop.cases) {
      if (r < c.r_lo || r > c.r_hi) continue;
      const Tree tree = without_zeros(expand(c.schema, q, r, main.n + r));
      const Tail found = tail_of(main, tree, suffix);
      if (tail == Tail::either) {
        tail = found;
      } else if (found != Tail::either && found != tail) {
        tail = Tail::other;
      }
    }
    if (tail == Tail::other) break;
  }
  switch (tail) {
    case Tail::appended:
    case Tail::either:
      return "; tail appended" + suffix;
    case Tail::apart:
      return "; tail apart" + suffix;
    case Tail::other:
      break;
  }
  if (loop.cases.size() == 1) return "; tail of its own";
  return "; " + text(static_cast<std::int64_t>(loop.cases.size())) + " residue cases";
}

}  // namespace

std::string describe(const Loop& loop, std::int64_t hi) {
  const std::string plain = "period " + text(loop.block) + ", " +
                            text(static_cast<std::int64_t>(loop.cases.size())) + " residue case" +
                            (loop.cases.size() == 1 ? "" : "s");
  if (loop.block > kMaxViewed / kPeriods || kPeriods * loop.block > hi) return plain;
  try {
    const Tree main =
        without_zeros(expand(loop.cases[0].schema, kPeriods, 0, kPeriods * loop.block));
    const std::string lanes = View(main).describe();
    return lanes.empty() ? plain : lanes + describe_tail(loop, kPeriods, main);
  } catch (const UserError&) {
    return plain;  // defined for some sizes only: no view
  }
}

}  // namespace reprosum::spec
