// The walk through regimes, splits and parts, shared by the interpreter and the generated kernels:
// only what evaluates a loop or an explicit tree differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/arithmetic.h"
#include "spec/expand.h"
#include "spec/order.h"

namespace reprosum::kernels {

// Piece: std::optional<double>(const spec::Rule&, n, at) gives a loop or an explicit tree, and any
// split that it can do without a walk; Single: double(at) is one summand. An explicit stack of
// pending work, so that a fold of a million pieces needs no recursion.
template <class T, class Piece, class Single>
class RuleWalker {
 public:
  RuleWalker(Piece piece, Single single) : piece_(std::move(piece)), single_(std::move(single)) {}

  double run(const spec::Order& order, std::int64_t n) {
    // Kept by the thread: short calls are too frequent for an allocation each.
    static thread_local Stacks stacks;
    stacks.pending.clear();
    stacks.values.clear();
    stacks_ = &stacks;
    push({&order, nullptr, n, 0, true, spec::Format::narrow});
    while (!stacks_->pending.empty()) {
      const Pending next = stacks_->pending.back();
      stacks_->pending.pop_back();
      if (next.order == nullptr) {
        const double right = stacks_->values.back();
        stacks_->values.pop_back();
        stacks_->values.back() = Arithmetic<T>::add(next.format, stacks_->values.back(), right);
      } else {
        visit(next);
      }
    }
    return stacks_->values.back();
  }

 private:
  // A piece to be evaluated, or (order == nullptr) an addition of the two topmost values.
  struct Pending {
    const spec::Order* order = nullptr;
    const spec::Rule* rule = nullptr;  // nullptr: the regime that holds n
    std::int64_t n = 0, at = 0;
    bool whole = false;  // zero_start belongs to a whole order, not to its pieces
    spec::Format format = spec::Format::narrow;
  };

  struct Stacks {
    std::vector<Pending> pending;
    std::vector<double> values;
  };

  [[noreturn]] static void undefined(std::int64_t n) {
    throw UserError("the order is not defined at n = " + std::to_string(n));
  }

  void push(const Pending& piece) { stacks_->pending.push_back(piece); }

  void push_addition(spec::Format format) {
    Arithmetic<T>::require(format == spec::Format::wide);
    push({nullptr, nullptr, 0, 0, false, format});
  }

  void push_child(const spec::Order& order, const spec::Child& child, std::int64_t n,
                  std::int64_t at) {
    const auto index = static_cast<std::size_t>(child.index);
    switch (child.kind) {
      case spec::Child::Kind::self:
        return push({&order, nullptr, n, at, false, spec::Format::narrow});
      case spec::Child::Kind::sub:
        return push({&order.subs[index], nullptr, n, at, true, spec::Format::narrow});
      case spec::Child::Kind::regime: {
        const spec::Regime& regime = order.regimes[index];
        return push(
            {&order, n < regime.lo ? nullptr : &regime.rule, n, at, false, spec::Format::narrow});
      }
    }
  }

  void visit(const Pending& piece) {
    if (piece.whole && piece.order->zero_start) {
      stacks_->values.push_back(0.0);
      push_addition(spec::Format::narrow);
    }
    const spec::Rule* rule = piece.rule;
    if (rule == nullptr) {
      const spec::Regime* regime = spec::regime_of(*piece.order, piece.n);
      if (regime == nullptr) {
        if (piece.n != 1) undefined(piece.n);
        stacks_->values.push_back(single_(piece.at));  // a piece of one summand is that summand
        return;
      }
      rule = &regime->rule;
    }
    if (const std::optional<double> value = piece_(*rule, piece.n, piece.at)) {
      stacks_->values.push_back(*value);
      return;
    }
    if (const auto* split = std::get_if<spec::Split>(rule)) return visit(*split, piece);
    visit(std::get<spec::Parts>(*rule), piece);
  }

  void visit(const spec::Split& rule, const Pending& piece) {
    const auto h = spec::split_point(rule, piece.n);
    if (!h) undefined(piece.n);
    push_addition(rule.format);
    push_child(*piece.order, rule.right, piece.n - *h, piece.at + *h);
    push_child(*piece.order, rule.left, *h, piece.at);
  }

  void visit(const spec::Parts& rule, const Pending& piece) {
    const auto lengths = spec::piece_lengths(rule, piece.n);
    if (!lengths) undefined(piece.n);
    std::int64_t end = piece.n;
    for (std::size_t k = lengths->size(); k-- > 0;) {
      end -= (*lengths)[k];
      if (k > 0) push_addition(rule.format);
      push_child(*piece.order, rule.child, (*lengths)[k], piece.at + end);
    }
  }

  Piece piece_;
  Single single_;
  Stacks* stacks_ = nullptr;
};

}  // namespace reprosum::kernels
