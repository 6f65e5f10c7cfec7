// The all-node check. Nodes of equal height are disjoint subtrees: one call gives each +M at a leaf
// of one child and -M at a leaf of the other, random weights everywhere else, and must output the
// weight outside the tested nodes. Repetitions test random halves of a level with random signs and
// other weights, because errors that permute leaves inside a union hide from the full level.
#include "reveal/all_nodes.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "reveal/refused.h"
#include "reveal/tree/linked_tree.h"
#include "reveal/tree/mask_probes.h"
#include "reveal/tree/masks.h"
#include "reveal/tree/prober.h"
#include "reveal/tree/random.h"

namespace reprosum::reveal {
namespace {

constexpr std::size_t kTopLevels = 64;
constexpr std::size_t kBatchProbes = 256;
constexpr std::size_t kBatchNodes = std::size_t{1} << 18;
constexpr std::int64_t kLargestWeight = std::int64_t{1} << 16;

using Nodes = std::vector<std::int32_t>;

class AllNodes {
 public:
  AllNodes(Target& target, const Call& call, const spec::Tree& predicted, int repetitions,
           std::uint64_t seed)
      : target_(target),
        prober_(target, call),
        tree_(predicted),
        mask_(masks(call.type)),
        repetitions_(std::max(1, repetitions)),
        random_(seed),
        weights_(std::size_t(predicted.n)) {
    levels_.resize(std::size_t(tree_.height(tree_.root())) + 1);
    for (std::int32_t node = 0; node < tree_.nodes(); ++node)
      if (!tree_.is_leaf(node) && tree_.size(tree_.left(node)) > 0 &&
          tree_.size(tree_.right(node)) > 0)
        levels_[std::size_t(tree_.height(node))].push_back(node);
    std::erase_if(levels_, [](const Nodes& level) { return level.empty(); });
  }

  AllNodesResult run(std::int64_t max_calls) {
    const std::int64_t before = target_.calls();
    AllNodesResult result;
    std::vector<Nodes> batch;
    std::size_t batched = 0;
    bool right = true;
    const auto flush = [&] {
      right = right && test(batch, result);
      batch.clear();
      batched = 0;
    };
    for (const std::size_t level : chosen_levels(max_calls)) {
      const Nodes& nodes = levels_[level];
      for (int repetition = 0; repetition < cost(level); ++repetition) {
        batch.push_back(repetition == 0 ? nodes : random_half(nodes));
        batched += batch.back().size();
        if (batch.size() >= kBatchProbes || batched >= kBatchNodes) flush();
        if (!right) break;
      }
      if (!right) break;
      result.nodes += static_cast<std::int64_t>(nodes.size());
    }
    if (right && !batch.empty()) flush();
    result.right = right;
    result.calls = target_.calls() - before;
    return result;
  }

 private:
  // A single node needs no random halves: alone it is exposed or not.
  int cost(std::size_t level) const { return levels_[level].size() == 1 ? 1 : repetitions_; }

  // Root downwards, then leaves upwards; within the budget.
  std::vector<std::size_t> chosen_levels(std::int64_t max_calls) {
    std::int64_t total = 0;
    for (std::size_t level = 0; level < levels_.size(); ++level) total += cost(level);
    std::vector<std::size_t> order;
    const std::size_t top = std::min(kTopLevels, levels_.size());
    for (std::size_t k = 0; k < top; ++k) order.push_back(levels_.size() - 1 - k);
    for (std::size_t level = 0; level + top < levels_.size(); ++level) order.push_back(level);
    if (total <= max_calls) return order;
    std::vector<std::size_t> chosen;
    std::int64_t spent = 0;
    const auto take = [&](std::size_t level, std::int64_t budget) {
      if (spent >= budget) return false;
      spent += cost(level);
      chosen.push_back(level);
      return true;
    };
    std::size_t from_top = 0, from_bottom = 0;
    while (from_top < top && take(levels_.size() - 1 - from_top, max_calls / 3)) ++from_top;
    while (from_bottom + from_top < levels_.size() && take(from_bottom, 2 * max_calls / 3))
      ++from_bottom;
    std::vector<std::size_t> rest;
    for (std::size_t level = from_bottom; level + from_top < levels_.size(); ++level)
      rest.push_back(level);
    while (!rest.empty()) {
      std::swap(rest[std::size_t(below(random_, std::int64_t(rest.size())))], rest.back());
      if (!take(rest.back(), max_calls)) break;
      rest.pop_back();
    }
    return chosen;
  }

  Nodes random_half(const Nodes& nodes) {
    Nodes half;
    for (const std::int32_t node : nodes)
      if ((random_() & 1) != 0) half.push_back(node);
    if (half.empty())
      half.push_back(nodes[std::size_t(below(random_, std::int64_t(nodes.size())))]);
    return half;
  }

  std::int64_t leaf_below(std::int32_t node) {
    return tree_.leaf_at(tree_.first_place(node) + std::int32_t(below(random_, tree_.size(node))));
  }

  // One probe per set of disjoint nodes, all on the same fresh weights.
  std::vector<bool> ask(const std::vector<Nodes>& sets) {
    const std::int64_t exact = (std::int64_t{1} << mask_.exact_bits) - 1;
    const std::int64_t largest = std::min(kLargestWeight, exact / tree_.n());
    for (double& weight : weights_) weight = static_cast<double>(1 + below(random_, largest));
    const PlacedWeights placed(tree_, weights_);
    std::vector<Probe> probes;
    std::vector<double> expected;
    for (const Nodes& nodes : sets) {
      Probe probe;
      double output = placed.total();
      for (const std::int32_t node : nodes) {
        const double mask = random_sign(random_) * mask_.together;
        probe.x.push_back({leaf_below(tree_.left(node)), mask});
        probe.x.push_back({leaf_below(tree_.right(node)), -mask});
        output -= placed.below(tree_, node);
      }
      probes.push_back(std::move(probe));
      expected.push_back(output);
    }
    const std::vector<double> outputs = prober_.run(weights_, probes, 1, fresh_base_id());
    std::vector<bool> right(sets.size());
    for (std::size_t k = 0; k < sets.size(); ++k) right[k] = outputs[k] == expected[k];
    return right;
  }

  bool test(const std::vector<Nodes>& sets, AllNodesResult& result) {
    const std::vector<bool> right = ask(sets);
    const auto wrong = std::find(right.begin(), right.end(), false);
    if (wrong == right.end()) return true;
    result.first_wrong = locate(sets[std::size_t(wrong - right.begin())]);
    return false;
  }

  // Halves the set while a half is seen to be wrong; another choice of leaves may miss the error.
  std::string locate(Nodes nodes) {
    constexpr int kTries = 3;
    while (nodes.size() > 1) {
      const auto middle = nodes.begin() + std::ptrdiff_t(nodes.size() / 2);
      const std::vector<Nodes> halves{Nodes(nodes.begin(), middle), Nodes(middle, nodes.end())};
      bool found = false;
      for (int tries = 0; tries < kTries && !found; ++tries) {
        const std::vector<bool> right = ask(halves);
        found = !right[0] || !right[1];
        if (found) nodes = halves[right[0] ? 1 : 0];
      }
      if (!found) break;
    }
    const std::int32_t node = nodes[0];
    std::string text = "(" + std::to_string(tree_.first_leaf(tree_.left(node)));
    text += " + " + std::to_string(tree_.first_leaf(tree_.right(node)));
    text += ") of height " + std::to_string(tree_.height(node));
    return nodes.size() == 1 ? text : text + " or another of that height";
  }

  Target& target_;
  Prober prober_;
  LinkedTree tree_;
  Masks mask_;
  int repetitions_;
  Random random_;
  std::vector<double> weights_;
  std::vector<Nodes> levels_;  // testable nodes by height, ascending, none empty
};

}  // namespace

AllNodesResult check_some_nodes(Target& target, const Call& context, const spec::Tree& predicted,
                                int repetitions, std::int64_t max_calls, std::uint64_t seed) {
  Call call = context;
  call.k = predicted.n;
  if (call.k > largest_countable(call.type))
    throw Refused("not_probed", "counts up to n = " + std::to_string(call.k) +
                                    " are not exact in an output of this type");
  return AllNodes(target, call, predicted, repetitions, seed).run(max_calls);
}

AllNodesResult check_all_nodes(Target& target, const Call& context, const spec::Tree& predicted,
                               int repetitions, std::uint64_t seed) {
  return check_some_nodes(target, context, predicted, repetitions,
                          std::numeric_limits<std::int64_t>::max(), seed);
}

}  // namespace reprosum::reveal
