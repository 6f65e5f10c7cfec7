#include "spec/evaluate/evaluate_type.h"

#include <iterator>
#include <utility>
#include <vector>

#include "spec/error.h"
#include "spec/evaluate/exact_sum.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

// A number, or a product that nothing has rounded yet.
struct Operand {
  double x = 0, y = 1;
  bool is_product = false;
};
// What a node takes: one operand, or those of a sum that is not rounded.
using Slot = std::vector<Operand>;

class Machine {
 public:
  Machine(const Type& type, const double* x, const double* y) : type_(type), x_(x), y_(y) {}

  double run(const Tree& tree) {
    if (tree.flush != Flush::none)
      throw UserError("an order that flushes subnormal numbers is not interpreted in " +
                      name(type_) + " or with fused nodes");
    for (const TreeOp& op : tree.ops) {
      if (op.scale != Scale::none || op.skip != Skip::none)
        throw UserError("tree: a value of a matrix update");
      if (op.kind == TreeOp::Kind::leaf)
        stack_.push_back({leaf(op)});
      else
        add(op);
    }
    if (stack_.size() != 1) throw UserError("tree: the program does not leave exactly one value");
    return rounded(type_.output, sum(type_.accumulator, stack_.back()));
  }

 private:
  void require_wide() const {
    if (type_.accumulator.significand_bits >= Format::f64.significand_bits)
      throw UserError("the order has a wide node, but nothing is wider than f64");
  }

  Operand leaf(const TreeOp& op) const {
    if (op.leaf == Leaf::zero) return {};
    if (op.leaf == Leaf::out || op.leaf == Leaf::out_fused)
      throw UserError("tree: the output of a matrix update");
    if (op.leaf == Leaf::exact) require_wide();
    const double x = x_[op.index];
    if (y_ == nullptr) return {x};
    const Operand product{x, y_[op.index], true};
    if (op.leaf == Leaf::fused) return product;
    const Format& format = op.leaf == Leaf::exact ? Format::f64 : type_.product;
    return is_exact(format) ? product : Operand{sum(format, {product})};
  }

  // The exact sum of the operands, rounded once.
  static double sum(const Format& format, const Slot& operands) {
    ExactSum total;
    for (const Operand& operand : operands) total.add_product(operand.x, operand.y);
    return total.rounded(format);
  }

  void add(const TreeOp& op) {
    if (stack_.size() < 2) throw UserError("tree: an addition lacks an operand");
    Slot right = std::move(stack_.back());
    stack_.pop_back();
    Slot& left = stack_.back();
    if (op.format == NodeFormat::wide) require_wide();
    const Format& format = op.format == NodeFormat::wide ? Format::f64 : type_.accumulator;
    for (Slot* const side : {&left, &right})
      for (Operand& operand : *side)
        if (!operand.is_product) operand.x = rounded(format, operand.x);
    left.insert(left.end(), std::make_move_iterator(right.begin()),
                std::make_move_iterator(right.end()));
    if (op.format == NodeFormat::exact) return;
    const double value = sum(format, left);
    left = {{op.stored ? rounded(type_.accumulator, value) : value}};
  }

  const Type& type_;
  const double *const x_, *const y_;
  std::vector<Slot> stack_;
};

}  // namespace

double evaluate_in(const Type& type, const Tree& tree, const double* x, const double* y) {
  return Machine(type, x, y).run(tree);
}

double evaluate_in(const Type& type, const Order& order, std::int64_t n, const double* x,
                   const double* y) {
  return evaluate_in(type, expand(order, n), x, y);
}

}  // namespace reprosum::spec
