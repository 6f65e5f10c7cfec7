// The walk through regimes, splits and parts, shared by the interpreter and the generated kernels:
// only what evaluates a loop or an explicit tree differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "spec/evaluate/arithmetic.h"
#include "spec/evaluate/leaf_run.h"
#include "spec/evaluate/walk_schema.h"
#include "spec/evaluate/walk_windows.h"
#include "spec/expand.h"
#include "spec/order.h"
#include "src/base/thread_object.h"

namespace reprosum::spec {

// Values gives what a value is and how values are added; a default Value is absent (nothing):
//   std::optional<Value> piece(order, rule, n, at)  a loop or an explicit tree of the order, and
//   any
//                                             split that it can do without a walk
//   Value single(at)                          one summand
//   Value constant(leaf)                      a zero or an output; a dropped output is absent
//   add(format, sum, right, scale)            sum + right; an absent sum becomes `right`
//   fuse_output(format, sum)                  fma(beta, c, sum)
//   scale(value)                              alpha * value
//   bind(value), unbind()                     between them the output is this value, rounded to
//                                             narrow
//   Value windows(order, rule, n, at)         a sum in windows; only where numbers are values
// An explicit stack of pending work, so that a fold of a million pieces needs no recursion.
template <class Values>
class RuleWalk {
 public:
  using Value = typename Values::Value;

  explicit RuleWalk(Values& values) : values_(values) {}

  Value run(const Order& order, std::int64_t n) {
    return run_from([&] { push_piece({&order, nullptr, n, 0, true}); });
  }
  // The same for a child of the order.
  Value run(const Order& order, const Child& child, std::int64_t n) {
    return run_from([&] { push_child(order, child, n, 0); });
  }

 private:
  template <class Begin>
  Value run_from(const Begin& begin) {
    // Kept by the thread: short calls are too frequent for an allocation each. A walk inside a walk
    // (a sub-order that adds the leaves of a lane) has stacks of its own.
    Stacks& kept = base::of_this_thread<Stacks>();
    Stacks own;
    const bool is_inner = kept.is_used;
    stacks_ = is_inner ? &own : &kept;
    const Usage usage(*stacks_);
    stacks_->pending.clear();
    stacks_->values.clear();
    begin();
    while (!stacks_->pending.empty()) {
      const Pending next = stacks_->pending.back();
      stacks_->pending.pop_back();
      switch (next.kind) {
        case Pending::Kind::piece:
          visit(next);
          break;
        case Pending::Kind::add: {
          const Value right = std::move(stacks_->values.back());
          stacks_->values.pop_back();
          values_.add(next.format, stacks_->values.back(), right, next.scale);
          break;
        }
        case Pending::Kind::scale:
          values_.scale(stacks_->values.back());
          break;
        case Pending::Kind::fuse_output:
          values_.fuse_output(next.format, stacks_->values.back());
          break;
        case Pending::Kind::go_on: {
          Value sum = std::move(stacks_->values.back());
          stacks_->values.pop_back();
          values_.bind(std::move(sum));
          push(Pending::Kind::unbind, NodeFormat::narrow);
          push_piece({next.order, nullptr, next.n, next.at, true});
          break;
        }
        case Pending::Kind::unbind:
          values_.unbind();
          break;
      }
    }
    return std::move(stacks_->values.back());
  }

  // A piece to be evaluated, or something to do to the topmost values.
  struct Pending {
    const Order* order = nullptr;
    const Rule* rule = nullptr;  // nullptr: the regime that holds n
    std::int64_t n = 0, at = 0;
    bool whole = false;  // zero_start belongs to a whole order, not to its pieces
    // go_on: a piece whose output is the topmost value, until unbind.
    enum class Kind : std::uint8_t {
      piece,
      add,
      scale,
      fuse_output,
      go_on,
      unbind
    } kind = Kind::piece;
    NodeFormat format = NodeFormat::narrow;
    Scale scale = Scale::none;
  };

  struct Stacks {
    std::vector<Pending> pending;
    std::vector<Value> values;
    bool is_used = false;
  };
  struct Usage {  // ends with the walk, also by an exception
    explicit Usage(Stacks& stacks) : used(stacks) { used.is_used = true; }
    ~Usage() { used.is_used = false; }
    Usage(const Usage&) = delete;
    Usage& operator=(const Usage&) = delete;
    Stacks& used;
  };

  [[noreturn]] static void undefined(std::int64_t n) {
    throw UserError("the order is not defined at n = " + std::to_string(n));
  }

  void push_piece(const Pending& piece) { stacks_->pending.push_back(piece); }

  void push(typename Pending::Kind kind, NodeFormat format, Scale scale = Scale::none) {
    Values::require(format == NodeFormat::wide);
    stacks_->pending.push_back({nullptr, nullptr, 0, 0, false, kind, format, scale});
  }
  void push_addition(NodeFormat format, Scale scale = Scale::none) {
    push(Pending::Kind::add, format, scale);
  }

  void push_child(const Order& order, const Child& child, std::int64_t n, std::int64_t at) {
    const auto index = static_cast<std::size_t>(child.index);
    switch (child.kind) {
      case Child::Kind::self:
        return push_piece({&order, nullptr, n, at, false});
      case Child::Kind::sub:
        return push_piece({&order.subs[index], nullptr, n, at, true});
      case Child::Kind::regime: {
        const Regime& regime = order.regimes[index];
        return push_piece({&order, n < regime.lo ? nullptr : &regime.rule, n, at, false});
      }
    }
  }

  void visit(const Pending& piece) {
    if (piece.whole && piece.order->zero_start) {
      stacks_->values.push_back(values_.constant(Leaf::zero));
      push_addition(NodeFormat::narrow);
    }
    const Rule* rule = piece.rule;
    if (rule == nullptr) {
      const Regime* regime = regime_of(*piece.order, piece.n);
      if (regime == nullptr) {
        if (piece.n != 1) undefined(piece.n);
        stacks_->values.push_back(values_.single(piece.at));  // one summand is that summand
        return;
      }
      rule = &regime->rule;
    }
    if (const std::optional<Value> value = values_.piece(*piece.order, *rule, piece.n, piece.at)) {
      stacks_->values.push_back(*value);
      return;
    }
    if (const auto* split = std::get_if<Split>(rule)) return visit(*split, piece);
    if (const auto* windows = std::get_if<Windows>(rule)) return visit(*windows, piece);
    visit(std::get<Parts>(*rule), piece);
  }

  void visit(const Split& rule, const Pending& piece) {
    if (rule.kind == Split::Kind::remainder && piece.n % rule.m == 0)
      return push_child(*piece.order, rule.left, piece.n, piece.at);
    const auto h = split_point(rule, piece.n);
    if (!h) undefined(piece.n);
    if (rule.through) {
      const auto& next = piece.order->subs[static_cast<std::size_t>(rule.right.index)];
      push_piece({&next, nullptr, piece.n - *h, piece.at + *h, true, Pending::Kind::go_on});
    } else {
      push_addition(rule.format);
      push_child(*piece.order, rule.right, piece.n - *h, piece.at + *h);
    }
    push_child(*piece.order, rule.left, *h, piece.at);
  }

  void visit(const Windows& rule, const Pending& piece) {
    if constexpr (requires { values_.windows(*piece.order, rule, piece.n, piece.at); })
      stacks_->values.push_back(values_.windows(*piece.order, rule, piece.n, piece.at));
    else
      throw InternalError("a sum in windows where values are no numbers");
  }

  // Pushed from the last to the first, as the stack gives them back.
  void visit(const Parts& rule, const Pending& piece) {
    const auto cut = piece_lengths(rule, piece.n);
    if (!cut) undefined(piece.n);
    const std::vector<std::int64_t>& lengths = *cut;
    using Onto = Parts::Onto;
    std::int64_t end = piece.n;
    for (std::size_t k = lengths.size(); k-- > 0;) {
      end -= lengths[k];
      if (k > 0 || rule.onto == Onto::first || rule.onto == Onto::zero) {
        push_addition(rule.format, rule.scale);
      } else {
        if (rule.onto == Onto::fused) push(Pending::Kind::fuse_output, rule.format);
        if (rule.scale != Scale::none) push(Pending::Kind::scale, rule.format);
      }
      push_child(*piece.order, rule.child, lengths[k], piece.at + end);
    }
    if (rule.onto == Onto::first) stacks_->values.push_back(values_.constant(Leaf::out));
    if (rule.onto == Onto::zero) stacks_->values.push_back(values_.constant(Leaf::zero));
  }

  Values& values_;
  Stacks* stacks_ = nullptr;
};

// The walk with plain numbers as values: one sum or dot product of `data`.
// Piece: std::optional<double>(const Order&, const Rule&, n, at, data), as above, for
// all pieces but those that go on from a sum.
template <class T, class Piece>
class RuleWalker {
 public:
  RuleWalker(const Operands<T>& data, Piece piece) : values_{data, std::move(piece), {}} {}

  double run(const Order& order, std::int64_t n) { return RuleWalk<Values>(values_).run(order, n); }
  double run(const Order& order, const Child& child, std::int64_t n) {
    return RuleWalk<Values>(values_).run(order, child, n);
  }

 private:
  struct Values {
    using Value = double;
    const Operands<T>& data;
    Piece whole;
    std::vector<double> sums;  // those that pieces go on from, the innermost last

    static void require(bool wide) { Arithmetic<T>::require(wide); }
    std::optional<double> piece(const Order& order, const Rule& rule, std::int64_t n,
                                std::int64_t at) const {
      return sums.empty() ? whole(order, rule, n, at, data)
                          : walk(order, rule, n, at, data, &sums.back());
    }
    double single(std::int64_t at) const { return leaf_value(data, Leaf::rounded, at); }
    double constant(Leaf leaf) const {
      if (leaf == Leaf::zero) return 0.0;
      if (leaf != Leaf::out || sums.empty()) refuse();
      return sums.back();
    }
    // Pass after pass, for there are more windows in windows than a stack may hold.
    double windows(const Order& order, const Windows& rule, std::int64_t n, std::int64_t at) const {
      std::vector<T> sums_now = sums_of_windows(order, rule, n, at, data, whole);
      const Windows* last = &rule;
      for (;;) {
        const auto count = static_cast<std::int64_t>(sums_now.size());
        const Operands<T> next{sums_now.data(), 1, nullptr, 0, data.flush};
        const Regime* regime =
            last->values.kind == Child::Kind::self ? regime_of(order, count) : nullptr;
        const auto* again = regime == nullptr ? nullptr : std::get_if<Windows>(&regime->rule);
        if (again == nullptr)
          return RuleWalker<T, Piece>(next, whole).run(order, last->values, count);
        sums_now = sums_of_windows(order, *again, count, 0, next, whole);
        last = again;
      }
    }
    void bind(double sum) { sums.push_back(Arithmetic<T>::narrowed(sum)); }
    void unbind() { sums.pop_back(); }
    void add(NodeFormat format, double& sum, double right, Scale scale) const {
      if (scale != Scale::none) refuse();
      sum = Arithmetic<T>::add(data.flush, format, sum, right);
    }
    static void scale(double&) { refuse(); }
    static void fuse_output(NodeFormat, double&) { refuse(); }
    [[noreturn]] static void refuse() {
      throw UserError("the order is that of a matrix update: it names the output or alpha");
    }
  };
  Values values_;
};

}  // namespace reprosum::spec
