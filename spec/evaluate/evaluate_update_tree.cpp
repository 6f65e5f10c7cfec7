// One output of a matrix update by its explicit tree: a stack machine over the postorder program.
#include <cmath>
#include <vector>

#include "spec/error.h"
#include "spec/evaluate/arithmetic.h"
#include "spec/evaluate/update_tree.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

using BetaZero = MatrixClass::BetaZero;

// A value in its format; or a factor pair whose product its node fuses; or nothing (a dropped
// output).
struct Slot {
  enum class Kind { value, product, nothing } kind = Kind::value;
  double value = 0;
  bool is_wide = false;
  bool left_out = false;  // a product that is
  double x = 0, y = 0;    // product
};

template <class T>
class Machine {
 public:
  Machine(const T* x, std::int64_t incx, const T* y, std::int64_t incy, const Update<T>& update)
      : x_(x), incx_(incx), y_(y), incy_(incy), update_(update) {}

  T run(const Tree& tree) {
    for (const TreeOp& op : tree.ops) {
      Slot slot = op.kind == TreeOp::Kind::leaf ? leaf(op) : sum(op.format);
      if (op.stored && slot.is_wide) {
        slot.value = A::narrowed(slot.value);
        slot.is_wide = false;
      }
      if (op.scale == Scale::rounded || op.scale == Scale::fused) scale(slot, op.scale);
      stack_.push_back(slot);
    }
    if (stack_.size() != 1 || stack_.back().kind == Slot::Kind::nothing)
      throw UserError("tree: the program does not leave exactly one value");
    return static_cast<T>(alone(stack_.back()).value);
  }

 private:
  using A = Arithmetic<T>;

  Slot leaf(const TreeOp& op) const {
    Slot slot;
    const bool is_zero = !MatrixClass::multiplies(update_.beta_zero, update_.beta);
    if (op.leaf == Leaf::zero) {
      if (is_zero && update_.beta_zero == BetaZero::drop_zeros) slot.kind = Slot::Kind::nothing;
      return slot;
    }
    if (op.leaf == Leaf::out || op.leaf == Leaf::out_fused) {
      const bool fused = op.leaf == Leaf::out_fused;
      if (!is_zero)
        multiply(slot, update_.beta, update_.c, fused);
      else if (MatrixClass::drops(update_.beta_zero))
        slot.kind = Slot::Kind::nothing;
      else
        multiply(slot, T(1), MatrixClass::stored_zero(update_.beta_zero, update_.beta), fused);
      return slot;
    }
    T x = x_[op.index * incx_], y = y_[op.index * incy_];
    const bool left_out = (op.skip == Skip::x && x == 0) || (op.skip == Skip::y && y == 0);
    if (op.scale == Scale::x) x = update_.alpha * x;
    if (op.scale == Scale::y) y = update_.alpha * y;
    if (left_out || (op.skip == Skip::scaled && (op.scale == Scale::x ? x : y) == 0)) {
      x = T(-0.0);
      y = T(1);
      slot.left_out = true;
    }
    if (op.leaf == Leaf::exact) {
      A::require(true);
      slot.value = A::exact(x, y);
      slot.is_wide = true;
      return slot;
    }
    multiply(slot, x, y, op.leaf == Leaf::fused);
    return slot;
  }

  static void multiply(Slot& slot, T x, T y, bool fused) {
    slot.kind = fused ? Slot::Kind::product : Slot::Kind::value;
    slot.x = static_cast<double>(x);
    slot.y = static_cast<double>(y);
    slot.value = A::rounded(x, y);
  }

  void scale(Slot& slot, Scale scale) const {
    if (slot.kind == Slot::Kind::nothing) return;
    if (slot.kind == Slot::Kind::product) throw UserError("tree: a fused summand is scaled");
    slot.kind = scale == Scale::fused ? Slot::Kind::product : Slot::Kind::value;
    slot.x = static_cast<double>(update_.alpha);
    slot.y = slot.value;
    slot.value =
        slot.is_wide ? slot.x * slot.y : A::rounded(update_.alpha, static_cast<T>(slot.value));
  }

  // What was to be fused with a sum that is not there is rounded by itself.
  static Slot alone(Slot slot) {
    if (slot.kind == Slot::Kind::product) slot.kind = Slot::Kind::value;
    return slot;
  }

  Slot sum(NodeFormat format) {
    A::require(format == NodeFormat::wide);
    if (stack_.size() < 2) throw UserError("tree: an addition lacks an operand");
    const Slot right = stack_.back();
    stack_.pop_back();
    const Slot left = stack_.back();
    stack_.pop_back();
    if (right.kind == Slot::Kind::nothing) return left;
    if (left.kind == Slot::Kind::nothing) return right.left_out ? Slot{} : alone(right);
    if (left.kind == Slot::Kind::product) throw UserError("tree: a fused summand is not an addend");
    Slot result;
    result.is_wide = format == NodeFormat::wide;
    if (right.kind == Slot::Kind::value) {
      result.value = A::add(format, left.value, right.value);
    } else if (result.is_wide || !A::kHasWide) {
      result.value = std::fma(right.x, right.y, left.value);
    } else {
      result.value = static_cast<double>(
          std::fma(static_cast<T>(right.x), static_cast<T>(right.y), static_cast<T>(left.value)));
    }
    return result;
  }

  const T* x_;
  const std::int64_t incx_;
  const T* y_;
  const std::int64_t incy_;
  const Update<T>& update_;
  std::vector<Slot> stack_;
};

}  // namespace

template <class T>
T evaluate_update(const Tree& tree, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                  const Update<T>& update) {
  if (update.alpha == 0 && update.alpha_zero == MatrixClass::AlphaZero::skip)
    return MatrixClass::multiplies(update.beta_zero, update.beta)
               ? update.beta * update.c
               : MatrixClass::stored_zero(update.beta_zero, update.beta);
  if (has_fused_nodes(tree))
    throw UserError("fused nodes are interpreted in sums and dot products alone");
  return Machine<T>(x, incx, y, incy, update).run(tree);
}

template float evaluate_update(const Tree&, const float*, std::int64_t, const float*, std::int64_t,
                               const Update<float>&);
template double evaluate_update(const Tree&, const double*, std::int64_t, const double*,
                                std::int64_t, const Update<double>&);

}  // namespace reprosum::spec
