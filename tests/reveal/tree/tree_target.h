// Targets that add in the order of a given annotated tree, with an evaluator of their own.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "reveal/target/function_target.h"
#include "spec/tree.h"

namespace reprosum::reveal {

// One value on the evaluation stack: wide values are carried as double, narrow ones too (exactly).
template <class Narrow>
double evaluate_by_hand(const spec::Tree& tree, const double* x, const double* y) {
  struct Value {
    double number;
    bool is_pending_product;  // a fused leaf waits for its accumulator
    std::uint32_t index;
  };
  const auto narrow = [](double v) { return static_cast<double>(static_cast<Narrow>(v)); };
  std::vector<Value> stack;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      const std::uint32_t k = op.index;
      if (op.leaf == spec::Leaf::zero) {
        stack.push_back({0.0, false, 0});
      } else if (op.leaf == spec::Leaf::fused) {
        stack.push_back({0.0, true, k});
      } else {
        const double product = x[k] * y[k];  // exact for float data
        stack.push_back({op.leaf == spec::Leaf::exact ? product : narrow(product), false, k});
      }
      continue;
    }
    const Value right = stack.back();
    stack.pop_back();
    Value& left = stack.back();
    if (op.format == spec::NodeFormat::wide) {
      left.number = left.number + right.number;
    } else if (right.is_pending_product) {
      left.number = static_cast<double>(std::fma(static_cast<Narrow>(x[right.index]),
                                                 static_cast<Narrow>(y[right.index]),
                                                 static_cast<Narrow>(left.number)));
    } else {
      left.number = static_cast<double>(static_cast<Narrow>(static_cast<Narrow>(left.number) +
                                                            static_cast<Narrow>(right.number)));
    }
  }
  return narrow(stack.back().number);
}

using TreeOfSize = std::function<spec::Tree(std::int64_t n)>;

// Adds in the order trees(n).
inline FunctionTarget tree_target(TreeOfSize trees) {
  auto last = std::make_shared<spec::Tree>();
  return FunctionTarget([trees, last](const Call& call, const double* x, const double* y) {
    if (last->n != call.k) *last = trees(call.k);
    return spec::is_f32(call.type) ? evaluate_by_hand<float>(*last, x, y)
                                   : evaluate_by_hand<double>(*last, x, y);
  });
}

}  // namespace reprosum::reveal
