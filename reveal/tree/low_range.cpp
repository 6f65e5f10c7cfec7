// Algorithm 5 as a hybrid: sets whose counts are exact are split as FPRev does, the rest (whose
// counts are too large to trust) is probed again with the others cleared.
#include "reveal/tree/low_range.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace reprosum::reveal {
namespace {

struct Task {
  std::vector<std::int64_t> leaves;
  std::int64_t context =
      -1;  // one more unit, which stands for the finished subtree beside this set
  std::int64_t pivot = -1;
  std::size_t core = 0;              // task that gives the pivot's own subtree; 0: the pivot alone
  std::vector<std::size_t> joining;  // tasks, innermost first
  bool shares_node_above = false;
};

class LowRange {
 public:
  LowRange(std::int64_t n, const MaskedSums& sums, std::int64_t exact_units)
      : n_(n), sums_(sums), exact_units_(exact_units) {}

  MultiwayTree run() {
    Task root;
    for (std::int64_t k = 0; k < n_; ++k) root.leaves.push_back(k);
    tasks_.push_back(std::move(root));
    for (std::size_t begin = 0; begin < tasks_.size();) {
      const std::size_t end = tasks_.size();
      probe(begin, end);
      begin = end;
    }
    return assemble();
  }

 private:
  void probe(std::size_t begin, std::size_t end) {
    std::vector<MaskedSum> calls;
    for (std::size_t t = begin; t < end; ++t) {
      Task& task = tasks_[t];
      task.pivot = task.leaves[0];
      for (std::size_t k = 1; k < task.leaves.size(); ++k) {
        MaskedSum call{task.pivot, task.leaves[k], {}};
        for (const std::int64_t leaf : task.leaves)
          if (leaf != call.i && leaf != call.j) call.units.push_back(leaf);
        if (task.context >= 0) call.units.push_back(task.context);
        calls.push_back(std::move(call));
      }
    }
    if (calls.empty()) return;
    const std::vector<double> outputs = sums_(calls);
    std::size_t at = 0;
    for (std::size_t t = begin; t < end; ++t) {
      const std::size_t partners = tasks_[t].leaves.size() - 1;
      if (partners > 0) split(t, std::span(outputs).subspan(at, partners));
      at += partners;
    }
  }

  void split(std::size_t t, std::span<const double> outside) {
    const std::vector<std::int64_t> leaves = std::move(tasks_[t].leaves);
    const double least = *std::min_element(outside.begin(), outside.end());
    tasks_[t].shares_node_above = tasks_[t].context >= 0 && least == 0;
    const double limit = std::max(static_cast<double>(exact_units_), least + 1);
    std::map<double, std::vector<std::int64_t>, std::greater<>> sets;  // innermost first
    std::vector<std::int64_t> core{leaves[0]};
    for (std::size_t k = 1; k < leaves.size(); ++k)
      (outside[k - 1] < limit ? sets[outside[k - 1]] : core).push_back(leaves[k]);
    if (core.size() > 1) {
      const std::size_t task = push(std::move(core), -1);
      tasks_[t].core = task;
    }
    for (auto& [count, set] : sets) {
      const std::size_t task = push(std::move(set), leaves[0]);
      tasks_[t].joining.push_back(task);
    }
  }

  std::size_t push(std::vector<std::int64_t> leaves, std::int64_t context) {
    Task task;
    task.leaves = std::move(leaves);
    task.context = context;
    tasks_.push_back(std::move(task));
    return tasks_.size() - 1;
  }

  MultiwayTree assemble() {
    MultiwayTree tree(n_);
    std::vector<std::int32_t> root(tasks_.size());
    for (std::size_t t = tasks_.size(); t-- > 0;) {  // a child stands after its parent
      const Task& task = tasks_[t];
      auto node = task.core != 0 ? root[task.core] : static_cast<std::int32_t>(task.pivot);
      for (const std::size_t joining : task.joining) {
        if (tasks_[joining].shares_node_above) {
          tree.adopt(root[joining], node);
          node = root[joining];
        } else {
          node = tree.join(node, root[joining]);
        }
      }
      root[t] = node;
    }
    tree.root = root[0];
    return tree;
  }

  std::int64_t n_;
  const MaskedSums& sums_;
  std::int64_t exact_units_;
  std::vector<Task> tasks_;
};

}  // namespace

MultiwayTree low_range_fprev(std::int64_t n, const MaskedSums& sums, std::int64_t exact_units) {
  return LowRange(n, sums, exact_units).run();
}

}  // namespace reprosum::reveal
