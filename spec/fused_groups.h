// The program of a chain that adds several terms at once (Chain::fused).
#pragma once

#include <vector>

#include "spec/tree.h"

namespace reprosum::spec {

// Takes the copies of the chain one after the other, each as a program. The operands of a node are
// written as tree.h has them: values first, then products that are not rounded, each by their least
// summand; their sum is exact, so their sequence means nothing.
class FusedGroups {
 public:
  explicit FusedGroups(const Fused& fused) : fused_(fused) {}

  void take(std::vector<TreeOp> copy);
  // The program of the whole chain. @pre a copy was taken.
  std::vector<TreeOp> finish();

 private:
  void close();

  Fused fused_;
  std::vector<std::vector<TreeOp>> operands_;  // of the node that is open
  std::int64_t terms_ = 0;                     // of these
};

}  // namespace reprosum::spec
