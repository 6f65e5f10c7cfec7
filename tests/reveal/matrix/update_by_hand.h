// The value of an update order by its explicit tree: a referee that shares no code with kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "reveal/matrix/class_order.h"
#include "spec/expand.h"

namespace reprosum::reveal::test {

using spec::MatrixClass;

template <class T>
double update_by_hand(const spec::Tree& tree, const double* x, const double* y,
                      const spec::Update<double>& s, std::int64_t in_place_of_c = -1) {
  using spec::Leaf;
  using spec::Scale;
  struct Value {
    double number = 0;
    const spec::TreeOp* pending = nullptr;  // a fused operand waits for its accumulator
  };
  const auto narrow = [](double v) { return static_cast<double>(static_cast<T>(v)); };
  const auto fma = [&](double a, double b, double c, bool wide) {
    if (wide) return std::fma(a, b, c);
    return double(std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)));
  };
  struct Factors {
    double x, y;
  };
  const auto factors = [&](const spec::TreeOp& op) -> Factors {
    using spec::Skip;
    const double x0 = x[op.index], y0 = y[op.index];
    const double xk = op.scale == Scale::x ? narrow(s.alpha * x0) : x0;
    const double yk = op.scale == Scale::y ? narrow(s.alpha * y0) : y0;
    const bool vanishes = op.skip == Skip::scaled && (op.scale == Scale::x ? xk : yk) == 0;
    if (vanishes || (op.skip == Skip::x && x0 == 0) || (op.skip == Skip::y && y0 == 0))
      return {op.index == in_place_of_c ? 0.0 : -0.0, 1};
    return {xk, yk};
  };
  const bool zeroes = s.beta == 0 && s.beta_zero != spec::MatrixClass::BetaZero::multiply;
  std::vector<Value> stack;
  for (const spec::TreeOp& op : tree.ops) {
    Value value;
    if (op.kind == spec::TreeOp::Kind::leaf) {
      double xk = 0, yk = 0;
      if (op.leaf == Leaf::rounded || op.leaf == Leaf::fused || op.leaf == Leaf::exact) {
        xk = factors(op).x;
        yk = factors(op).y;
      }
      if (op.leaf == Leaf::rounded) value.number = narrow(xk * yk);
      if (op.leaf == Leaf::exact) value.number = xk * yk;
      if (op.leaf == Leaf::out) value.number = zeroes ? 0.0 : narrow(s.beta * s.c);
      if (op.leaf == Leaf::fused || op.leaf == Leaf::out_fused) value.pending = &op;
    } else {
      const bool wide = op.format == spec::NodeFormat::wide;
      const Value right = stack.back();
      stack.pop_back();
      const double left = stack.back().number;
      stack.pop_back();
      if (right.pending == nullptr) {
        value.number =
            wide ? left + right.number
                 : double(static_cast<T>(static_cast<T>(left) + static_cast<T>(right.number)));
      } else if (right.pending->scale == Scale::fused) {
        value.number = fma(s.alpha, right.number, left, wide);
      } else if (right.pending->leaf == Leaf::out_fused) {
        value.number = zeroes ? left + 0.0 : fma(s.beta, s.c, left, wide);
      } else {
        const Factors product = factors(*right.pending);
        value.number = fma(product.x, product.y, left, wide);
      }
    }
    if (op.stored) value.number = narrow(value.number);
    if (op.scale == Scale::rounded) value.number = narrow(s.alpha * value.number);
    if (op.scale == Scale::fused) value.pending = &op;
    stack.push_back(value);
  }
  return narrow(stack.back().number);
}

// The product that a dropped C leaves alone, or -1.
inline std::int64_t product_behind_output(const spec::Tree& tree) {
  using Kind = spec::TreeOp::Kind;
  for (std::size_t at = 0; at + 2 < tree.ops.size(); ++at) {
    const spec::TreeOp &first = tree.ops[at], &second = tree.ops[at + 1];
    if (first.kind == Kind::leaf && first.leaf == spec::Leaf::out && second.kind == Kind::leaf &&
        tree.ops[at + 2].kind != Kind::leaf)
      return second.index;
  }
  return -1;
}

inline double replay_by_hand(const spec::Order& order, spec::Type type, std::int64_t n,
                             const double* x, const double* y, const spec::Update<double>& s) {
  if (s.alpha == 0 && s.alpha_zero == spec::MatrixClass::AlphaZero::skip) {
    if (s.beta == 0 && s.beta_zero != spec::MatrixClass::BetaZero::multiply) return 0;
    return spec::is_f32(type) ? double(static_cast<float>(s.beta) * static_cast<float>(s.c))
                              : s.beta * s.c;
  }
  static thread_local struct {
    spec::Order order;
    std::int64_t n = 0;
    MatrixClass::BetaZero beta_zero{};
    std::int64_t in_place_of_c = -1;
    spec::Tree tree;
  } last;
  const auto beta_zero = s.beta == 0 ? s.beta_zero : MatrixClass::BetaZero::store;
  if (last.n != n || last.beta_zero != beta_zero || !(last.order == order)) {
    last.n = 0;
    last.tree = spec::expand(order, n);
    const bool drops = MatrixClass::drops(beta_zero);
    last.in_place_of_c = drops ? product_behind_output(last.tree) : -1;
    if (beta_zero == MatrixClass::BetaZero::drop) last.tree = spec::without_output(last.tree);
    if (beta_zero == MatrixClass::BetaZero::drop_zeros)
      last.tree = spec::without_constants(last.tree);
    last.order = order;
    last.beta_zero = beta_zero;
    last.n = n;
  }
  return spec::is_f32(type) ? update_by_hand<float>(last.tree, x, y, s, last.in_place_of_c)
                            : update_by_hand<double>(last.tree, x, y, s, last.in_place_of_c);
}

}  // namespace reprosum::reveal::test
