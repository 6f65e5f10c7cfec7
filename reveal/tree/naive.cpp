// Enumerates the trees on leaves 0..k by inserting leaf k above every node of those on 0..k-1.
#include "reveal/tree/naive.h"

#include <cmath>
#include <string>

#include "reveal/tree/evaluate.h"
#include "reveal/tree/random.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

struct Node {
  int left = -1, right = -1, leaf = -1;
};

class Enumeration {
 public:
  Enumeration(std::int64_t n, spec::Type type, std::vector<double> rows,
              std::vector<double> outputs)
      : n_(n),
        type_(type),
        rows_(std::move(rows)),
        outputs_(std::move(outputs)),
        ones_(std::size_t(n), 1.0) {}

  std::optional<spec::Tree> run() {
    nodes_ = {{-1, -1, 0}};
    std::optional<spec::Tree> found;
    insert(1, 0, found);
    return found;
  }

 private:
  // Depth n <= kNaiveLimit.
  void insert(int leaf, int root, std::optional<spec::Tree>& found) {
    if (leaf == n_) {
      const spec::Tree tree = program(root);
      if (reproduces(tree)) found = tree;
      return;
    }
    const int size = static_cast<int>(nodes_.size());
    for (int at = 0; at < size && !found; ++at) {
      nodes_.push_back({-1, -1, leaf});
      nodes_.push_back({at, size, -1});
      int* link = above(at, size);
      if (link != nullptr) *link = size + 1;
      insert(leaf + 1, link == nullptr ? size + 1 : root, found);
      link = above(size + 1, size);
      if (link != nullptr) *link = at;
      nodes_.resize(std::size_t(size));
    }
  }

  // The link to `node` in one of the first `size` nodes.
  int* above(int node, int size) {
    for (int k = 0; k < size; ++k) {
      Node& parent = nodes_[std::size_t(k)];
      if (parent.left == node) return &parent.left;
      if (parent.right == node) return &parent.right;
    }
    return nullptr;
  }

  spec::Tree program(int root) const {
    spec::Tree tree{n_, {}};
    std::vector<int> stack{root};
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      spec::TreeOp op;
      if (at < 0) {
        op.kind = spec::TreeOp::Kind::add;
        tree.ops.push_back(op);
        continue;
      }
      const Node& node = nodes_[std::size_t(at)];
      if (node.leaf >= 0) {
        op.index = static_cast<std::uint32_t>(node.leaf);
        tree.ops.push_back(op);
      } else {
        stack.insert(stack.end(), {~at, node.right, node.left});
      }
    }
    return spec::canonical(std::move(tree));
  }

  bool reproduces(const spec::Tree& tree) const {
    const auto width = static_cast<std::size_t>(n_);
    for (std::size_t row = 0; row < outputs_.size(); ++row)
      if (evaluate(tree, type_, std::span(rows_).subspan(row * width, width), ones_) !=
          outputs_[row])
        return false;
    return true;
  }

  std::int64_t n_;
  spec::Type type_;
  std::vector<double> rows_, outputs_, ones_;
  std::vector<Node> nodes_;
};

}  // namespace

std::optional<spec::Tree> naive_enumeration(std::int64_t n, spec::Type type, const SumRows& sums,
                                            int rows, std::uint64_t seed) {
  if (n < 1 || n > kNaiveLimit)
    throw UserError("naive enumeration of the trees of " + std::to_string(n) + " leaves: at most " +
                    std::to_string(kNaiveLimit) + " can be enumerated");
  Random random(seed);
  std::vector<double> values(std::size_t(rows) * std::size_t(n));
  for (double& value : values) {
    const double unit = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
    value = random_sign(random) * std::ldexp(unit, static_cast<int>(below(random, 4)));
    if (spec::is_f32(type)) value = static_cast<float>(value);
  }
  std::vector<double> outputs = sums(values);
  return Enumeration(n, type, std::move(values), std::move(outputs)).run();
}

}  // namespace reprosum::reveal
