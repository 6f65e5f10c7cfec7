// FPRev (Algorithms 3 and 4), level by level, with a pivot that copes with reversed chains.
#include "reveal/tree/fprev.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "reveal/refused.h"
#include "reveal/tree/random.h"

namespace reprosum::reveal {
namespace {

constexpr std::size_t kPilots = 4;       // probes that judge a pivot
constexpr std::size_t kPilotAbove = 16;  // smaller sets are not worth them

// A set of leaves whose subtree is wanted.
struct Task {
  std::vector<std::int64_t> leaves;  // ascending
  std::int64_t count_above = 0;      // the count at the node that joins it to its pivot's side
  bool suspicious = false;           // the last pivot separated little: look before probing
  std::int64_t pivot = -1;
  std::map<std::int64_t, std::int64_t> known;  // leaf -> count, from pilot probes of `pivot`
  // Found: the sets that join the pivot one after another, each a task or a single leaf.
  struct Join {
    std::int64_t leaf = -1;
    std::size_t task = 0;
  };
  std::vector<Join> joins;
  std::int64_t complete = 1;  // count at the last join
  std::int64_t size = 0;
};

[[noreturn]] void contradiction(std::int64_t pivot, std::int64_t count, std::int64_t size) {
  throw Refused("not_a_tree", "leaf " + std::to_string(pivot) + " meets others among " +
                                  std::to_string(count) + " leaves where " + std::to_string(size) +
                                  " were found");
}

class Fprev {
 public:
  Fprev(std::int64_t n, const PairCounts& counts, Pivot pivot, std::uint64_t seed)
      : n_(n), counts_(counts), adaptive_(pivot == Pivot::adaptive), random_(seed) {}

  MultiwayTree run() {
    Task root;
    for (std::int64_t k = 0; k < n_; ++k) root.leaves.push_back(k);
    root.count_above = n_;
    root.suspicious = true;
    tasks_.push_back(std::move(root));
    for (std::size_t begin = 0; begin < tasks_.size();) {
      const std::size_t end = tasks_.size();
      choose_pivots(begin, end);
      probe(begin, end);
      begin = end;
    }
    return assemble();
  }

 private:
  // Two candidates, judged by the number of distinct counts among a few partners: a pivot near the
  // root of a chain meets all others in one node and would separate nothing.
  void choose_pivots(std::size_t begin, std::size_t end) {
    std::vector<Pair> pairs;
    std::vector<std::size_t> piloted;
    for (std::size_t t = begin; t < end; ++t) {
      Task& task = tasks_[t];
      task.pivot = task.leaves.front();
      if (!adaptive_ || !task.suspicious || task.leaves.size() < kPilotAbove) continue;
      piloted.push_back(t);
      for (const std::int64_t candidate : candidates(task)) {
        std::vector<std::int64_t> used{candidate};
        while (used.size() <= kPilots) {
          const std::int64_t partner =
              task.leaves[std::size_t(below(random_, std::int64_t(task.leaves.size())))];
          if (std::find(used.begin(), used.end(), partner) != used.end()) continue;
          used.push_back(partner);
          pairs.push_back({candidate, partner});
        }
      }
    }
    if (pairs.empty()) return;
    const std::vector<std::int64_t> found = counts_(pairs);
    std::size_t at = 0;
    for (const std::size_t t : piloted) {
      Task& task = tasks_[t];
      std::size_t best = 0;
      for (std::size_t c = 0; c < kCandidates; ++c) {
        std::map<std::int64_t, std::int64_t> known;
        std::vector<std::int64_t> distinct;
        const std::int64_t pivot = pairs[at].i;
        for (std::size_t p = 0; p < kPilots; ++p, ++at) {
          known[pairs[at].j] = found[at];
          distinct.push_back(found[at]);
        }
        std::sort(distinct.begin(), distinct.end());
        const auto kinds = static_cast<std::size_t>(std::unique(distinct.begin(), distinct.end()) -
                                                    distinct.begin());
        if (kinds <= best) continue;
        best = kinds;
        task.pivot = pivot;
        task.known = std::move(known);
      }
    }
  }

  static constexpr std::size_t kCandidates = 3;
  std::vector<std::int64_t> candidates(const Task& task) {
    const auto size = static_cast<std::int64_t>(task.leaves.size());
    return {task.leaves.front(), task.leaves.back(),
            task.leaves[std::size_t(below(random_, size))]};
  }

  void probe(std::size_t begin, std::size_t end) {
    std::vector<Pair> pairs;
    for (std::size_t t = begin; t < end; ++t)
      for (const std::int64_t j : tasks_[t].leaves)
        if (j != tasks_[t].pivot && !tasks_[t].known.contains(j))
          pairs.push_back({tasks_[t].pivot, j});
    const std::vector<std::int64_t> found =
        pairs.empty() ? std::vector<std::int64_t>{} : counts_(pairs);
    std::size_t at = 0;
    for (std::size_t t = begin; t < end; ++t) {
      std::vector<std::pair<std::int64_t, std::int64_t>> by_count;  // (count, leaf)
      for (const std::int64_t j : tasks_[t].leaves) {
        if (j == tasks_[t].pivot) continue;
        const auto known = tasks_[t].known.find(j);
        by_count.emplace_back(known != tasks_[t].known.end() ? known->second : found[at++], j);
      }
      std::sort(by_count.begin(), by_count.end());
      group(t, by_count);
    }
  }

  // Leaves of equal count form the set that joins the pivot's side at one node.
  void group(std::size_t t, const std::vector<std::pair<std::int64_t, std::int64_t>>& by_count) {
    const std::size_t total = tasks_[t].leaves.size();
    const std::int64_t pivot = tasks_[t].pivot, above = tasks_[t].count_above;
    tasks_[t].size = static_cast<std::int64_t>(total);
    tasks_[t].leaves = {};
    tasks_[t].known = {};
    if (total >= 3 && by_count.back().first == 2)
      throw Refused("exact", "every leaf meets only each other leaf: an exact sum has no order");
    std::int64_t joined = 1;
    for (std::size_t first = 0; first < by_count.size();) {
      std::size_t last = first;
      while (last < by_count.size() && by_count[last].first == by_count[first].first) ++last;
      const std::int64_t count = by_count[first].first;
      const auto size = static_cast<std::int64_t>(last - first);
      joined += size;
      // A set may also be part of the fused node above it, which ends the set's own growth.
      const bool shares_node_above = last == by_count.size() && count == above && joined < count;
      if (joined != count && !shares_node_above) contradiction(pivot, count, joined);
      Task::Join join;
      if (size == 1) {
        join.leaf = by_count[first].second;
      } else {
        Task child;
        for (std::size_t k = first; k < last; ++k) child.leaves.push_back(by_count[k].second);
        child.count_above = count;
        child.suspicious = 4 * std::size_t(size) >= 3 * total;
        join.task = tasks_.size();
        tasks_.push_back(std::move(child));
      }
      tasks_[t].joins.push_back(join);
      tasks_[t].complete = count;
      first = last;
    }
  }

  MultiwayTree assemble() {
    MultiwayTree tree(n_);
    std::vector<std::int32_t> root(tasks_.size());
    for (std::size_t t = tasks_.size(); t-- > 0;) {  // a child stands after its parent
      auto node = static_cast<std::int32_t>(tasks_[t].pivot);
      for (const Task::Join& join : tasks_[t].joins) {
        if (join.leaf >= 0) {
          node = tree.join(node, static_cast<std::int32_t>(join.leaf));
        } else if (tasks_[join.task].complete == tasks_[join.task].size) {
          node = tree.join(node, root[join.task]);
        } else {
          tree.adopt(root[join.task], node);
          node = root[join.task];
        }
      }
      root[t] = node;
    }
    tree.root = root[0];
    return tree;
  }

  std::int64_t n_;
  const PairCounts& counts_;
  bool adaptive_;
  Random random_;
  std::vector<Task> tasks_;
};

}  // namespace

MultiwayTree fprev(std::int64_t n, const PairCounts& counts, Pivot pivot, std::uint64_t seed) {
  if (n == 1) return MultiwayTree(1);
  return Fprev(n, counts, pivot, seed).run();
}

}  // namespace reprosum::reveal
