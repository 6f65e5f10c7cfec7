// Builds annotated trees the way a summation routine would: values are added, nothing is inferred.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/tree.h"

namespace reprosum::reveal::test {

class TreeBuilder {
 public:
  using Value = std::int32_t;  // kNone: nothing yet, adding to it gives the other operand
  static constexpr Value kNone = -1;

  Value leaf(std::int64_t index, spec::Leaf kind = spec::Leaf::rounded);
  Value add(Value a, Value b, spec::NodeFormat format = spec::NodeFormat::narrow);
  // fma(x[index], y[index], a): a rounded product if there is no a.
  Value fma(Value a, std::int64_t index, spec::NodeFormat format = spec::NodeFormat::narrow);

  Value chain(std::int64_t lo, std::int64_t hi, Value start = kNone);
  Value fold(const std::vector<Value>& values);
  // [lo, hi) dealt to `width` accumulators.
  std::vector<Value> lanes(std::int64_t lo, std::int64_t hi, std::int64_t width,
                           bool fused = false);
  // values[i] += values[i ^ d] for every d in turn; the result is values[0].
  Value butterfly(std::vector<Value> values, const std::vector<std::size_t>& distances);
  // Neighbours are added level by level.
  Value pairwise(std::vector<Value> values);

  spec::Tree tree(Value root) const;  // canonical

 private:
  struct Node {
    Value left = kNone, right = kNone;
    spec::TreeOp op;
  };
  std::vector<Node> nodes_;
};

}  // namespace reprosum::reveal::test
