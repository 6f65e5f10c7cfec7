#include "tests/reveal/infer/tree_builder.h"

#include "spec/expand.h"

namespace reprosum::reveal::test {

TreeBuilder::Value TreeBuilder::leaf(std::int64_t index, spec::Leaf kind) {
  Node node;
  node.op.leaf = kind;
  node.op.index = static_cast<std::uint32_t>(index);
  nodes_.push_back(node);
  return static_cast<Value>(nodes_.size()) - 1;
}

TreeBuilder::Value TreeBuilder::add(Value a, Value b, spec::NodeFormat format) {
  if (a == kNone) return b;
  if (b == kNone) return a;
  Node node;
  node.left = a;
  node.right = b;
  node.op.kind = spec::TreeOp::Kind::add;
  node.op.format = format;
  nodes_.push_back(node);
  return static_cast<Value>(nodes_.size()) - 1;
}

TreeBuilder::Value TreeBuilder::fma(Value a, std::int64_t index, spec::NodeFormat format) {
  if (a == kNone) return leaf(index);
  return add(a, leaf(index, spec::Leaf::fused), format);
}

TreeBuilder::Value TreeBuilder::chain(std::int64_t lo, std::int64_t hi, Value start) {
  for (std::int64_t k = lo; k < hi; ++k) start = add(start, leaf(k));
  return start;
}

TreeBuilder::Value TreeBuilder::fold(const std::vector<Value>& values) {
  Value sum = kNone;
  for (const Value value : values) sum = add(sum, value);
  return sum;
}

std::vector<TreeBuilder::Value> TreeBuilder::lanes(std::int64_t lo, std::int64_t hi,
                                                   std::int64_t width, bool fused) {
  std::vector<Value> sums(static_cast<std::size_t>(width), kNone);
  for (std::int64_t k = lo; k < hi; ++k) {
    Value& sum = sums[static_cast<std::size_t>((k - lo) % width)];
    sum = fused ? fma(sum, k) : add(sum, leaf(k));
  }
  return sums;
}

TreeBuilder::Value TreeBuilder::butterfly(std::vector<Value> values,
                                          const std::vector<std::size_t>& distances) {
  std::size_t gone = 0;
  for (const std::size_t distance : distances) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if ((i & (distance | gone)) == 0) values[i] = add(values[i], values[i | distance]);
    gone |= distance;
  }
  return values[0];
}

TreeBuilder::Value TreeBuilder::pairwise(std::vector<Value> values) {
  std::erase(values, kNone);
  if (values.empty()) return kNone;
  while (values.size() > 1) {
    std::vector<Value> next;
    for (std::size_t i = 0; i < values.size(); i += 2)
      next.push_back(i + 1 < values.size() ? add(values[i], values[i + 1]) : values[i]);
    values = std::move(next);
  }
  return values[0];
}

spec::Tree TreeBuilder::tree(Value root) const {
  spec::Tree tree;
  std::vector<Value> stack{root};  // ~v: emit v, its operands are done
  while (!stack.empty()) {
    const Value value = stack.back();
    stack.pop_back();
    const Node& node = nodes_[static_cast<std::size_t>(value < 0 ? ~value : value)];
    if (value >= 0 && node.left != kNone) {
      stack.insert(stack.end(), {~value, node.right, node.left});
    } else {
      tree.ops.push_back(node.op);
    }
    if (value >= 0 && node.left == kNone) ++tree.n;
  }
  return spec::canonical(std::move(tree));
}

}  // namespace reprosum::reveal::test
