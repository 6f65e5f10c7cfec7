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
#include "kernels/leaf_run.h"
#include "kernels/walk_schema.h"
#include "kernels/walk_windows.h"
#include "spec/expand.h"
#include "spec/order.h"
#include "src/base/thread_object.h"

namespace reprosum::kernels {

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

  Value run(const spec::Order& order, std::int64_t n) {
    return run_from([&] { push_piece({&order, nullptr, n, 0, true}); });
  }
  // Of a child of the order.
  Value run(const spec::Order& order, const spec::Child& child, std::int64_t n) {
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
          push(Pending::Kind::unbind, spec::NodeFormat::narrow);
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
    const spec::Order* order = nullptr;
    const spec::Rule* rule = nullptr;  // nullptr: the regime that holds n
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
    spec::NodeFormat format = spec::NodeFormat::narrow;
    spec::Scale scale = spec::Scale::none;
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

  void push(typename Pending::Kind kind, spec::NodeFormat format,
            spec::Scale scale = spec::Scale::none) {
    Values::require(format == spec::NodeFormat::wide);
    stacks_->pending.push_back({nullptr, nullptr, 0, 0, false, kind, format, scale});
  }
  void push_addition(spec::NodeFormat format, spec::Scale scale = spec::Scale::none) {
    push(Pending::Kind::add, format, scale);
  }

  void push_child(const spec::Order& order, const spec::Child& child, std::int64_t n,
                  std::int64_t at) {
    const auto index = static_cast<std::size_t>(child.index);
    switch (child.kind) {
      case spec::Child::Kind::self:
        return push_piece({&order, nullptr, n, at, false});
      case spec::Child::Kind::sub:
        return push_piece({&order.subs[index], nullptr, n, at, true});
      case spec::Child::Kind::regime: {
        const spec::Regime& regime = order.regimes[index];
        return push_piece({&order, n < regime.lo ? nullptr : &regime.rule, n, at, false});
      }
    }
  }

  void visit(const Pending& piece) {
    if (piece.whole && piece.order->zero_start) {
      stacks_->values.push_back(values_.constant(spec::Leaf::zero));
      push_addition(spec::NodeFormat::narrow);
    }
    const spec::Rule* rule = piece.rule;
    if (rule == nullptr) {
      const spec::Regime* regime = spec::regime_of(*piece.order, piece.n);
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
    if (const auto* split = std::get_if<spec::Split>(rule)) return visit(*split, piece);
    if (const auto* windows = std::get_if<spec::Windows>(rule)) return visit(*windows, piece);
    visit(std::get<spec::Parts>(*rule), piece);
  }

  void visit(const spec::Split& rule, const Pending& piece) {
    if (rule.kind == spec::Split::Kind::remainder && piece.n % rule.m == 0)
      return push_child(*piece.order, rule.left, piece.n, piece.at);
    const auto h = spec::split_point(rule, piece.n);
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

  void visit(const spec::Windows& rule, const Pending& piece) {
    if constexpr (requires { values_.windows(*piece.order, rule, piece.n, piece.at); })
      stacks_->values.push_back(values_.windows(*piece.order, rule, piece.n, piece.at));
    else
      throw InternalError("a sum in windows where values are no numbers");
  }

  // Pushed from the last to the first, as the stack gives them back.
  void visit(const spec::Parts& rule, const Pending& piece) {
    const auto cut = spec::piece_lengths(rule, piece.n);
    if (!cut) undefined(piece.n);
    const std::vector<std::int64_t>& lengths = *cut;
    using Onto = spec::Parts::Onto;
    std::int64_t end = piece.n;
    for (std::size_t k = lengths.size(); k-- > 0;) {
      end -= lengths[k];
      if (k > 0 || rule.onto == Onto::first || rule.onto == Onto::zero) {
        push_addition(rule.format, rule.scale);
      } else {
        if (rule.onto == Onto::fused) push(Pending::Kind::fuse_output, rule.format);
        if (rule.scale != spec::Scale::none) push(Pending::Kind::scale, rule.format);
      }
      push_child(*piece.order, rule.child, lengths[k], piece.at + end);
    }
    if (rule.onto == Onto::first) stacks_->values.push_back(values_.constant(spec::Leaf::out));
    if (rule.onto == Onto::zero) stacks_->values.push_back(values_.constant(spec::Leaf::zero));
  }

  Values& values_;
  Stacks* stacks_ = nullptr;
};

// The walk with plain numbers as values: one sum or dot product of `data`.
// Piece: std::optional<double>(const spec::Order&, const spec::Rule&, n, at, data), as above, for
// all pieces but those that go on from a sum.
template <class T, class Piece>
class RuleWalker {
 public:
  RuleWalker(const Operands<T>& data, Piece piece) : values_{data, std::move(piece), {}} {}

  double run(const spec::Order& order, std::int64_t n) {
    return RuleWalk<Values>(values_).run(order, n);
  }
  double run(const spec::Order& order, const spec::Child& child, std::int64_t n) {
    return RuleWalk<Values>(values_).run(order, child, n);
  }

 private:
  struct Values {
    using Value = double;
    const Operands<T>& data;
    Piece whole;
    std::vector<double> sums;  // those that pieces go on from, the innermost last

    static void require(bool wide) { Arithmetic<T>::require(wide); }
    std::optional<double> piece(const spec::Order& order, const spec::Rule& rule, std::int64_t n,
                                std::int64_t at) const {
      return sums.empty() ? whole(order, rule, n, at, data)
                          : walk(order, rule, n, at, data, &sums.back());
    }
    double single(std::int64_t at) const { return leaf_value(data, spec::Leaf::rounded, at); }
    double constant(spec::Leaf leaf) const {
      if (leaf == spec::Leaf::zero) return 0.0;
      if (leaf != spec::Leaf::out || sums.empty()) refuse();
      return sums.back();
    }
    // Pass after pass, for there are more windows in windows than a stack may hold.
    double windows(const spec::Order& order, const spec::Windows& rule, std::int64_t n,
                   std::int64_t at) const {
      std::vector<T> sums_now = sums_of_windows(order, rule, n, at, data, whole);
      const spec::Windows* last = &rule;
      for (;;) {
        const auto count = static_cast<std::int64_t>(sums_now.size());
        const Operands<T> next{sums_now.data(), 1, nullptr, 0, data.flush};
        const spec::Regime* regime =
            last->values.kind == spec::Child::Kind::self ? spec::regime_of(order, count) : nullptr;
        const auto* again = regime == nullptr ? nullptr : std::get_if<spec::Windows>(&regime->rule);
        if (again == nullptr)
          return RuleWalker<T, Piece>(next, whole).run(order, last->values, count);
        sums_now = sums_of_windows(order, *again, count, 0, next, whole);
        last = again;
      }
    }
    void bind(double sum) { sums.push_back(Arithmetic<T>::narrowed(sum)); }
    void unbind() { sums.pop_back(); }
    void add(spec::NodeFormat format, double& sum, double right, spec::Scale scale) const {
      if (scale != spec::Scale::none) refuse();
      sum = Arithmetic<T>::add(data.flush, format, sum, right);
    }
    static void scale(double&) { refuse(); }
    static void fuse_output(spec::NodeFormat, double&) { refuse(); }
    [[noreturn]] static void refuse() {
      throw UserError("the order is that of a matrix update: it names the output or alpha");
    }
  };
  Values values_;
};

}  // namespace reprosum::kernels
