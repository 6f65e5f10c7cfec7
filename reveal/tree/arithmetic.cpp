// Arithmetic probes. e is chosen so that (1+e)^2 = 1 + 2e + e^2 needs more than the narrow format.
//
// Product: x = y = 1+e at a leaf, -(1+2e) at a leaf of its sibling subtree, all else zero. The node
// above gives e^2 if it sees the unrounded product (fused, or exact in a wide node), otherwise 0.
// Carry: 1 and a tiny t in the two children of a node v, -1 in v's sibling. The node above gives t
// if both it and v are wide, otherwise 0.
// Both answers are never negative and travel exactly to the root (every other value is zero), so
// the answers of disjoint subtrees add up and a call can ask all nodes of one height.
#include "reveal/tree/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reveal/refused.h"
#include "reveal/tree/count_tests.h"
#include "reveal/tree/linked_tree.h"
#include "reveal/tree/random.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Leaf;
using spec::NodeFormat;

constexpr std::size_t kSampled = 64;  // fused products that are asked for double rounding first

class Arithmetic {
 public:
  Arithmetic(Prober& prober, const spec::Tree& bare, std::int64_t lo, std::uint64_t seed)
      : prober_(prober),
        tree_(bare),
        lo_(lo),
        single_(spec::is_f32(prober.call().type)),
        random_(seed),
        wide_(std::size_t(tree_.nodes()), false),
        unrounded_(std::size_t(tree_.nodes()), false) {}

  spec::Tree run() {
    find_carries();
    if (prober_.is_dot()) {
      if (prober_.other_is_shared()) {
        find_products_of_shared_operand();
      } else {
        find_products();
      }
      separate_exact_from_fused();
    }
    return build();
  }

 private:
  std::int64_t summand(std::int32_t node) const { return lo_ + tree_.first_leaf(node); }

  template <class Visit>
  void for_each_child(Visit visit) {
    for (std::int32_t u = 0; u < tree_.nodes(); ++u) {
      if (tree_.is_leaf(u)) continue;
      visit(u, tree_.left(u), tree_.right(u), 0);
      visit(u, tree_.right(u), tree_.left(u), 1);
    }
  }

  // Groups by height of the node above and side: disjoint subtrees, one test in each.
  std::vector<std::vector<CountTest>> empty_groups() const {
    return std::vector<std::vector<CountTest>>(2 * std::size_t(tree_.height(tree_.root())) + 2);
  }
  std::size_t group_of(std::int32_t u, int side) const {
    return 2 * std::size_t(tree_.height(u)) + std::size_t(side);
  }

  void find_carries() {
    const double tiny = single_ ? 0x1p-30 : 0x1p-60;
    auto groups = empty_groups();
    for_each_child([&](std::int32_t u, std::int32_t v, std::int32_t other, int side) {
      if (tree_.is_leaf(v)) return;
      groups[group_of(u, side)].push_back({carry_of(v, other, tiny), std::size_t(v)});
    });
    const auto carried = count_tests(prober_, groups, wide_.size(), 0, tiny);
    for (std::int32_t v = 0; v < tree_.root(); ++v) {
      if (!carried[std::size_t(v)]) continue;
      if (!single_) refuse_width(v);
      wide_[std::size_t(v)] = wide_[std::size_t(tree_.parent(v))] = true;
    }
    if (single_) refuse_wider_than_double();
  }

  // Wide sums that keep 2^-53 beside 1 are not f64.
  void refuse_wider_than_double() {
    constexpr double below = 0x1p-53;
    auto groups = empty_groups();
    for_each_child([&](std::int32_t u, std::int32_t v, std::int32_t other, int side) {
      if (tree_.is_leaf(v) || !wide_[std::size_t(v)] || !wide_[std::size_t(u)]) return;
      groups[group_of(u, side)].push_back({carry_of(v, other, below), std::size_t(v)});
    });
    const auto carried = count_tests(prober_, groups, wide_.size(), 0, below);
    for (std::int32_t v = 0; v < tree_.root(); ++v)
      if (carried[std::size_t(v)]) refuse_width(v);
  }

  Probe carry_of(std::int32_t v, std::int32_t other, double tiny) const {
    return {
        {{summand(tree_.left(v)), 1.0}, {summand(tree_.right(v)), tiny}, {summand(other), -1.0}},
        {}};
  }

  // 1 and 2^-b are added at v, and the 1 is taken away again: the greatest b that leaves something.
  [[noreturn]] void refuse_width(std::int32_t v) {
    const int most = single_ ? 120 : 1000;
    std::vector<Probe> probes;
    for (int b = 1; b <= most; ++b)
      probes.push_back(carry_of(v, tree_.sibling(v), std::ldexp(1.0, -b)));
    const std::vector<double> zeros(static_cast<std::size_t>(prober_.n()), 0.0);
    const std::vector<double> left = prober_.run(zeros, probes);
    int bits = 1;
    while (bits <= most && left[std::size_t(bits) - 1] != 0) ++bits;
    const std::string width =
        bits > most ? "more than " + std::to_string(most) : std::to_string(bits);
    throw Refused("unknown_arithmetic",
                  "it accumulates in " + width + " significant bits, and orders have " +
                      (single_ ? "24 (f32) and 53 (f64)" : "53 (f64)") + " only");
  }

  void find_products() {
    const double e = single_ ? 0x1p-13 : 0x1p-28;
    auto groups = empty_groups();
    for_each_child([&](std::int32_t u, std::int32_t v, std::int32_t other, int side) {
      if (!tree_.is_leaf(v)) return;
      groups[group_of(u, side)].push_back(
          {{{{summand(v), 1 + e}, {summand(other), -(1 + 2 * e)}}, {{summand(v), 1 + e}}},
           std::size_t(v)});
    });
    unrounded_ = count_tests(prober_, groups, unrounded_.size(), 0, e * e);
  }

  // With one factor 1+e for all summands no two products cancel to e^2. Instead the sibling holds
  // s, so large that s + (1+2e) is a tie that rounds down; the e^2 of an unrounded product lifts
  // it. The answer s + ... is not zero, so each leaf takes a call of its own.
  void find_products_of_shared_operand() {
    const double e = single_ ? 0x1p-13 : 0x1p-28;
    const double large = single_ ? 0x1p12 : 0x1p26;
    const double ulp = single_ ? 0x1p-11 : 0x1p-26;
    const double down = large * (1 + e) + 1 + 2 * e - ulp / 2;
    std::vector<std::vector<CountTest>> groups;
    for_each_child([&](std::int32_t, std::int32_t v, std::int32_t other, int) {
      if (tree_.is_leaf(v))
        groups.push_back({{{{{summand(v), 1 + e}, {summand(other), large}}, {}}, std::size_t(v)}});
    });
    unrounded_ = count_tests(prober_, groups, unrounded_.size(), down, ulp, 1 + e);
  }

  // A leaf whose product is not rounded is fused if the node above is narrow, exact if it is wide.
  // A wide node with two narrow operands and a narrow reader passed no carry; there the product
  // 2^-24 (1 - 2^-40) tells: beside 1 + 2^-23 it is below the tie, but f64 rounds it onto the tie.
  void separate_exact_from_fused() {
    std::vector<std::int32_t> open;
    for_each_child([&](std::int32_t u, std::int32_t v, std::int32_t other, int) {
      if (!unrounded_[std::size_t(v)] || wide_[std::size_t(u)]) return;
      if (!unrounded_[std::size_t(other)]) {
        open.push_back(v);
      } else if (single_) {
        wide_[std::size_t(u)] = true;  // two unrounded products in one addition
      } else {
        throw Refused("unknown_arithmetic",
                      "two unrounded products are added at once: multi-term fused addition");
      }
    });
    if (!single_ || prober_.other_is_shared() || open.empty()) return;
    std::vector<std::int32_t> sample = open;
    for (std::size_t k = 0; k < std::min(kSampled, sample.size()); ++k)
      std::swap(sample[k],
                sample[k + std::size_t(below(random_, std::int64_t(sample.size() - k)))]);
    if (sample.size() > kSampled) sample.resize(kSampled);
    if (mark_double_rounding(sample) && sample.size() < open.size()) mark_double_rounding(open);
  }

  bool mark_double_rounding(const std::vector<std::int32_t>& leaves) {
    const std::vector<bool> twice = rounds_onto_the_tie(leaves, 0x1p-20);
    std::vector<std::int32_t> marked;
    for (const std::int32_t v : leaves)
      if (twice[std::size_t(v)]) marked.push_back(v);
    if (marked.empty()) return false;
    // A wider format than f64 sees this one below the tie.
    const std::vector<bool> in_double = rounds_onto_the_tie(marked, 0x1p-17);
    for (const std::int32_t v : marked) {
      if (!in_double[std::size_t(v)])
        throw Refused("unknown_arithmetic",
                      "sums are rounded twice, from more than the 53 significant bits of f64");
      wide_[std::size_t(tree_.parent(v))] = true;
    }
    return true;
  }

  // Which leaves' product 2^-24 (1 - d^2) is rounded up beside 1 + 2^-23.
  std::vector<bool> rounds_onto_the_tie(const std::vector<std::int32_t>& leaves, double d) {
    std::vector<std::vector<CountTest>> groups;
    for (const std::int32_t v : leaves)
      groups.push_back(
          {{{{{summand(v), 0x1p-12 * (1 + d)}, {summand(tree_.sibling(v)), 1 + 0x1p-23}},
             {{summand(v), 0x1p-12 * (1 - d)}}},
            std::size_t(v)}});
    return count_tests(prober_, groups, unrounded_.size(), 1 + 0x1p-23, 0x1p-23);
  }

  spec::Tree build() const {
    spec::Tree result{tree_.n(), {}};
    result.ops.reserve(std::size_t(tree_.nodes()));
    std::vector<std::int32_t> stack{tree_.root()};
    while (!stack.empty()) {
      const std::int32_t at = stack.back();
      stack.pop_back();
      const std::int32_t node = at < 0 ? ~at : at;
      spec::TreeOp op = tree_.op(node);
      if (at < 0) {
        op.format = wide_[std::size_t(node)] ? NodeFormat::wide : NodeFormat::narrow;
        result.ops.push_back(op);
      } else if (tree_.is_leaf(node)) {
        if (unrounded_[std::size_t(node)])
          op.leaf = wide_[std::size_t(tree_.parent(node))] ? Leaf::exact : Leaf::fused;
        result.ops.push_back(op);
      } else {
        std::int32_t first = tree_.left(node), second = tree_.right(node);
        // A fused leaf is the addend, so it must be the right operand.
        if (unrounded_[std::size_t(first)] && !wide_[std::size_t(node)]) std::swap(first, second);
        stack.push_back(~node);
        stack.push_back(second);
        stack.push_back(first);
      }
    }
    return normal_formats(spec::canonical(std::move(result)));
  }

  Prober& prober_;
  LinkedTree tree_;
  std::int64_t lo_;
  bool single_;
  Random random_;
  std::vector<bool> wide_;       // by node
  std::vector<bool> unrounded_;  // by node, leaves only
};

}  // namespace

spec::Tree annotate(Prober& prober, const spec::Tree& bare, std::int64_t lo, std::uint64_t seed) {
  if (bare.n == 1) return bare;
  return Arithmetic(prober, bare, lo, seed).run();
}

spec::Tree normal_formats(const spec::Tree& tree) {
  const LinkedTree links(tree);
  const auto carries_wide = [&](std::int32_t node) {
    const spec::TreeOp& op = links.op(node);
    return links.is_leaf(node) ? op.leaf == Leaf::exact : op.format == NodeFormat::wide;
  };
  spec::Tree result = tree;
  for (std::int32_t u = 0; u < links.nodes(); ++u) {
    if (links.is_leaf(u) || links.op(u).format == NodeFormat::narrow) continue;
    const bool wide_reader = u != links.root() && carries_wide(links.parent(u));
    if (!wide_reader && !carries_wide(links.left(u)) && !carries_wide(links.right(u)))
      result.ops[std::size_t(u)].format = NodeFormat::narrow;
  }
  return result;
}

}  // namespace reprosum::reveal
