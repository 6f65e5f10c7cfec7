// Evaluation over an explicit stack. Narrow values are kept in double, which holds them exactly.
#include "reveal/tree/evaluate.h"

#include <cmath>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/flushed.h"

namespace reprosum::reveal {
namespace {

bool left_out(const spec::TreeOp& op, std::span<const double> x, std::span<const double> y) {
  return (op.skip == spec::Skip::x && x[op.index] == 0) ||
         (op.skip == spec::Skip::y && y[op.index] == 0);
}

template <class Narrow>
double run(const spec::Tree& tree, std::span<const double> x, std::span<const double> y) {
  const spec::Flushed<Narrow> arithmetic(tree.flush);
  std::vector<double> stack;
  for (std::size_t k = 0; k < tree.ops.size(); ++k) {
    const spec::TreeOp& op = tree.ops[k];
    if (op.kind == spec::TreeOp::Kind::leaf) {
      double value = 0;
      if (left_out(op, x, y))
        value = -0.0;
      else if (op.leaf == spec::Leaf::rounded)
        value = y.empty() ? x[op.index]
                          : arithmetic.multiply(static_cast<Narrow>(x[op.index]),
                                                static_cast<Narrow>(y[op.index]));
      else if (op.leaf == spec::Leaf::exact)
        value = x[op.index] * y[op.index];
      stack.push_back(value);  // a fused leaf is read by the addition that follows it
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    const spec::TreeOp& addend = tree.ops[k - 1];
    const bool fused = addend.kind == spec::TreeOp::Kind::leaf &&
                       addend.leaf == spec::Leaf::fused && !left_out(addend, x, y);
    if (op.format == spec::NodeFormat::wide) {
      left = fused ? std::fma(x[addend.index], y[addend.index], left) : left + right;
    } else if (fused) {
      left = arithmetic.fused(static_cast<Narrow>(left), static_cast<Narrow>(x[addend.index]),
                              static_cast<Narrow>(y[addend.index]));
    } else {
      left = arithmetic.add(static_cast<Narrow>(left), static_cast<Narrow>(right));
    }
    if (op.stored) left = static_cast<Narrow>(left);
  }
  return static_cast<Narrow>(stack.back());
}

}  // namespace

double evaluate(const spec::Tree& tree, spec::Type type, std::span<const double> x,
                std::span<const double> y) {
  if (spec::has_fused_nodes(tree))
    throw UserError("reveal: nodes that fuse several terms are not compared yet");
  return spec::is_f32(type) ? run<float>(tree, x, y) : run<double>(tree, x, y);
}

}  // namespace reprosum::reveal
