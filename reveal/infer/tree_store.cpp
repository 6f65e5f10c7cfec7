// Hash-consing and the description of a tree as a chain of runs.
#include "reveal/infer/tree_store.h"

#include <algorithm>
#include <cstdlib>

#include "spec/error.h"

namespace reprosum::reveal::generalize {
namespace {

// Merges neighbours of equal shape whose origins are in arithmetic progression.
std::vector<Run> merge_items(const std::vector<Run>& items) {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < items.size();) {
    Run run = items[k];
    std::size_t end = k + 1;
    if (end < items.size() && items[end].shape == run.shape) {
      run.step = items[end].at - run.at;
      while (end < items.size() && items[end].shape == run.shape &&
             items[end].at - items[end - 1].at == run.step)
        ++end;
      run.times = static_cast<std::int64_t>(end - k);
    }
    runs.push_back(run);
    k = end;
  }
  return runs;
}

// Merges equal runs whose origins are in arithmetic progression: reversed groups inside blocks and
// the like grow in number with n, so a schema needs this second level.
std::vector<Run> merge_runs(const std::vector<Run>& runs) {
  const auto follows = [](const Run& a, const Run& b) {
    return a.times > 1 && a.shape == b.shape && a.step == b.step && a.times == b.times;
  };
  std::vector<Run> merged;
  for (std::size_t k = 0; k < runs.size();) {
    Run run = runs[k];
    std::size_t end = k + 1;
    if (end < runs.size() && follows(run, runs[end])) {
      run.step2 = runs[end].at - run.at;
      while (end < runs.size() && follows(run, runs[end]) &&
             runs[end].at - runs[end - 1].at == run.step2)
        ++end;
      run.times2 = static_cast<std::int64_t>(end - k);
    }
    merged.push_back(run);
    k = end;
  }
  return merged;
}

// The leaves are the first nodes; those of plain orders have skips of a factor itself only.
TreeId leaf_id(spec::Leaf leaf, spec::Skip skip) {
  return 3 * static_cast<TreeId>(skip) + static_cast<TreeId>(leaf);
}

}  // namespace

TreeStore::TreeStore() {
  for (const spec::Skip skip : {spec::Skip::none, spec::Skip::x, spec::Skip::y})
    for (const spec::Leaf leaf : {spec::Leaf::rounded, spec::Leaf::fused, spec::Leaf::exact}) {
      Node node;
      node.leaf = leaf;
      node.skip = skip;
      nodes_.push_back(node);
    }
}

std::size_t TreeStore::KeyHash::operator()(const Key& key) const {
  std::size_t hash = static_cast<std::size_t>(key.left);
  for (const auto part : {static_cast<std::size_t>(key.right), static_cast<std::size_t>(key.delta),
                          static_cast<std::size_t>(key.format)})
    hash = (hash ^ (hash >> 29)) * 0x9e3779b97f4a7c15U + part;
  return hash ^ (hash >> 32);
}

TreeId TreeStore::add(const spec::Tree& tree) {
  struct Placed {
    TreeId id;
    std::int64_t at;
  };
  std::vector<Placed> stack;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      if (op.leaf == spec::Leaf::zero || op.skip == spec::Skip::scaled)
        throw InternalError("TreeStore: a leaf of no plain order");
      stack.push_back({leaf_id(op.leaf, op.skip), static_cast<std::int64_t>(op.index)});
      continue;
    }
    const Placed right = stack.back();
    stack.pop_back();
    const Placed left = stack.back();
    const std::int64_t least = std::min(left.at, right.at);
    const Key key{left.id, right.id, right.at - left.at, op.format};
    const auto [it, is_new] = ids_.try_emplace(key, static_cast<TreeId>(nodes_.size()));
    if (is_new) {
      Node node;
      node.left = left.id;
      node.right = right.id;
      node.left_at = left.at - least;
      node.right_at = right.at - least;
      node.size = this->node(left.id).size + this->node(right.id).size;
      node.format = op.format;
      nodes_.push_back(node);
    }
    stack.back() = {it->second, least};
  }
  return stack.back().id;
}

// The chain of a node: its larger child is followed (ties: the left one, which holds the least leaf
// or the accumulator of a fused leaf) as long as the format stays the same.
std::vector<Run> TreeStore::items_of(TreeId id) const {
  std::vector<Run> items;
  const auto push = [&](TreeId shape, std::int64_t at) {
    Run run;
    run.shape = shape;
    run.at = at;
    items.push_back(run);
  };
  const spec::NodeFormat format = node(id).format;
  std::int64_t base = 0;
  while (!node(id).is_leaf() && node(id).format == format) {
    const Node& here = node(id);
    if (node(here.right).size > node(here.left).size) {
      push(here.left, base + here.left_at);
      base += here.right_at;
      id = here.right;
    } else {
      push(here.right, base + here.right_at);
      base += here.left_at;
      id = here.left;
    }
  }
  push(id, base);
  std::reverse(items.begin(), items.end());
  // A rounded product that fused ones follow is the first of their run (see spec::Chain).
  if (items.size() > 1 && node(items[0].shape).is_leaf() && node(items[1].shape).is_leaf() &&
      node(items[0].shape).leaf == spec::Leaf::rounded &&
      node(items[1].shape).leaf == spec::Leaf::fused)
    items[0].shape = leaf_id(spec::Leaf::fused, node(items[0].shape).skip);
  return items;
}

const Description& TreeStore::describe(TreeId id) {
  std::unique_ptr<Description>& description = descriptions_[id];
  if (!description) {
    description = std::make_unique<Description>();
    description->format = node(id).format;
    description->runs = merge_runs(merge_items(items_of(id)));
  }
  return *description;
}

std::set<std::int64_t> TreeStore::strides(TreeId id) {
  std::set<std::int64_t> found;
  std::set<TreeId> seen{id};
  std::vector<TreeId> todo{id};
  while (!todo.empty()) {
    const TreeId here = todo.back();
    todo.pop_back();
    if (node(here).is_leaf()) continue;
    for (const Run& run : describe(here).runs) {
      if (run.times >= 3) found.insert(std::abs(run.step));
      if (run.times2 >= 2) found.insert(std::abs(run.step2));
      if (seen.insert(run.shape).second) todo.push_back(run.shape);
    }
  }
  found.erase(0);
  return found;
}

std::int64_t TreeStore::first_border(TreeId id) {
  const std::vector<Run>& runs = describe(id).runs;
  if (runs.size() < 2 || !node(runs[0].shape).is_leaf() || !node(runs[1].shape).is_leaf()) return 0;
  return runs[0].at == 0 && runs[0].step == 1 && runs[1].at == runs[0].times ? runs[0].times : 0;
}

}  // namespace reprosum::reveal::generalize
