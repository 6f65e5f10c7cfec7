// The program of a chain that adds several terms at once (Chain::fused).
#pragma once

#include <vector>

#include "spec/tree.h"

namespace reprosum::spec {

// Takes the copies of the chain one after the other, each as a program. In a node the sum so far
// stands first, then values, then products that are not rounded; canonical() sorts them further,
// for their sum is exact and their sequence means nothing. All of it takes linear time.
class FusedGroups {
 public:
  explicit FusedGroups(const Fused& fused) : fused_(fused) {}

  // is_constant: the item is a zero leaf or an output, which is no term.
  void take(std::vector<TreeOp> copy, bool is_constant);
  // The program of the whole chain. @pre a copy was taken.
  std::vector<TreeOp> finish();

 private:
  void close();

  Fused fused_;
  std::vector<TreeOp> sum_;                    // so far; empty: none
  std::vector<std::vector<TreeOp>> operands_;  // of the node that is open, besides the sum
  std::int64_t terms_ = 0;                     // of these
};

}  // namespace reprosum::spec
