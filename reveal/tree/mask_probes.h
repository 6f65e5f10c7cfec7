// Mask probes with weights, and what a predicted tree answers to them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reveal/tree/linked_tree.h"

namespace reprosum::reveal {

// A leaf that holds +M or -M.
struct MaskedLeaf {
  std::int64_t leaf = 0;
  int sign = 1;
};

// Sums of weights over ranges of places.
class PlacedWeights {
 public:
  // weights[leaf], all leaves of the tree.
  PlacedWeights(const LinkedTree& tree, std::span<const double> weights);
  double total() const { return before_.back(); }
  double below(const LinkedTree& tree, std::int32_t node) const {
    return before_[std::size_t(tree.end_place(node))] -
           before_[std::size_t(tree.first_place(node))];
  }

 private:
  std::vector<double> before_;
};

// The exact output of the tree when the masked leaves (distinct, signs cancelling in total) hold
// masks and the others their integer weights: a node that adds a mask and its opposite is zero and
// all weight below it is lost; masks absorb every other weight on their way.
double predicted_output(const LinkedTree& tree, const PlacedWeights& weights,
                        std::span<const MaskedLeaf> masked);

}  // namespace reprosum::reveal
