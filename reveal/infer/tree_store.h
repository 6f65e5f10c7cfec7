// Hash-consed annotated trees and what they look like as chains of runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "spec/order.h"
#include "spec/tree.h"

namespace reprosum::reveal::generalize {

// Equal shape (annotations included, position excluded) <=> equal id.
using TreeId = std::int32_t;

// Equal items in arithmetic progression, in two levels, as spec::Item but with plain numbers.
struct Run {
  TreeId shape = 0;
  std::int64_t at = 0, step = 0, times = 1, step2 = 0, times2 = 1;
};

// A tree read along its larger children: a chain of runs, added from left to right.
struct Description {
  spec::NodeFormat format = spec::NodeFormat::narrow;
  std::vector<Run> runs;
};

class TreeStore {
 public:
  struct Node {
    TreeId left = -1, right = -1;            // -1: a leaf
    std::int64_t left_at = 0, right_at = 0;  // least leaves, relative to the node's
    std::int64_t size = 1;
    spec::NodeFormat format = spec::NodeFormat::narrow;
    spec::Leaf leaf = spec::Leaf::rounded;
    spec::Skip skip = spec::Skip::none;
    bool is_leaf() const { return left < 0; }
  };

  TreeStore();
  // @pre canonical, no zero leaves.
  TreeId add(const spec::Tree& tree);
  const Node& node(TreeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const Description& describe(TreeId id);
  // Every stride of a run of three or more and of a run of runs, at any depth of the description.
  std::set<std::int64_t> strides(TreeId id);
  // The summand from which on a plain chain has another arithmetic; 0: it has one throughout. A
  // block and the remainder behind it may differ in arithmetic alone, and then no stride shows
  // where the block ends.
  std::int64_t first_border(TreeId id);

 private:
  struct Key {
    TreeId left, right;
    std::int64_t delta;
    spec::NodeFormat format;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  std::vector<Run> items_of(TreeId id) const;

  std::vector<Node> nodes_;
  std::unordered_map<Key, TreeId, KeyHash> ids_;
  std::unordered_map<TreeId, std::unique_ptr<Description>> descriptions_;
};

}  // namespace reprosum::reveal::generalize
