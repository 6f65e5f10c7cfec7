// The tree evaluator: a stack machine over the postorder program, and nothing else.
#include <vector>

#include "spec/evaluate/arithmetic.h"
#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/evaluate_type.h"
#include "spec/evaluate/leaf_run.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

// A value, or (fused) a summand that waits for its accumulator.
struct Slot {
  double value = 0;
  bool fused = false;
  std::int64_t index = 0;
};

template <class T>
std::vector<double> gathered(const T* values, std::int64_t increment, std::int64_t n) {
  std::vector<double> all;
  for (std::int64_t k = 0; values != nullptr && k < n; ++k)
    all.push_back(static_cast<double>(values[k * increment]));
  return all;
}

}  // namespace

template <class T>
T evaluate(const Tree& tree, const T* x, std::int64_t incx, const T* y, std::int64_t incy) {
  if (has_fused_nodes(tree)) {
    const std::vector<double> xs = gathered(x, incx, tree.n), ys = gathered(y, incy, tree.n);
    return static_cast<T>(
        evaluate_in(type_of<T>(), tree, xs.data(), y == nullptr ? nullptr : ys.data()));
  }
  const Operands<T> data{x, incx, y, incy, tree.flush};
  std::vector<Slot> stack;
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      Arithmetic<T>::require(op.leaf == Leaf::exact);
      if (op.skip != Skip::none) throw UserError("tree: a summand of a matrix update");
      const bool fused = op.leaf == Leaf::fused && y != nullptr;
      stack.push_back(fused ? Slot{0, true, op.index}
                            : Slot{leaf_value(data, op.leaf, op.index), false, op.index});
      continue;
    }
    Arithmetic<T>::require(op.format == NodeFormat::wide);
    if (stack.size() < 2) throw UserError("tree: an addition lacks an operand");
    const Slot right = stack.back();
    stack.pop_back();
    Slot& left = stack.back();
    if (left.fused) throw UserError("tree: a fused summand is not an addend");
    left.value = right.fused ? Arithmetic<T>::fused(tree.flush, op.format, left.value,
                                                    x[right.index * incx], y[right.index * incy])
                             : Arithmetic<T>::add(tree.flush, op.format, left.value, right.value);
    if (op.stored) left.value = Arithmetic<T>::narrowed(left.value);
  }
  if (stack.size() != 1 || stack.back().fused)
    throw UserError("tree: the program does not leave exactly one value");
  return static_cast<T>(stack.back().value);
}

template float evaluate(const Tree&, const float*, std::int64_t, const float*, std::int64_t);
template double evaluate(const Tree&, const double*, std::int64_t, const double*, std::int64_t);

}  // namespace reprosum::spec
