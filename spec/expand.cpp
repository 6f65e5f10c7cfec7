// expand(): the meaning of an order at one n, by an explicit stack of pending pieces.
#include "spec/expand.h"

#include <algorithm>
#include <string>
#include <utility>

#include "spec/error.h"
#include "spec/expand_schema.h"
#include "spec/store_narrow.h"

namespace reprosum::spec {
namespace {

// A piece still to be expanded, or (order == nullptr) what is still to be emitted after one.
struct Pending {
  const Order* order = nullptr;
  const Rule* rule = nullptr;  // nullptr: the regime that holds n
  std::int64_t n = 0, at = 0;
  bool whole = false;     // zero_start applies to a whole order, not to its pieces
  bool goes_on = false;   // from the value emitted last
  TreeOp op;              // order == nullptr: an addition or an output, to be emitted
  bool is_scale = false;  // order == nullptr: no op, but `scale` for the value emitted last
  Scale scale = Scale::none;
  bool is_joint = false;  // order == nullptr: the output leaf at ops_[at] is the value before it
};

TreeOp addition(NodeFormat format) {
  TreeOp op;
  op.kind = TreeOp::Kind::add;
  op.format = format;
  return op;
}

TreeOp leaf(Leaf kind, std::int64_t index) {
  TreeOp op;
  op.leaf = kind;
  op.index = static_cast<std::uint32_t>(index);
  return op;
}

[[noreturn]] void undefined(std::int64_t n) {
  throw UserError("the order is not defined at n = " + std::to_string(n));
}

class Expander {
 public:
  Tree run(const Order& order, std::int64_t n) {
    push_piece(order, nullptr, n, 0, true);
    return finish(n, order.flush);
  }
  // The tree of a child at n.
  Tree run(const Order& order, const Child& child, std::int64_t n) {
    push_child(order, child, n, 0);
    return finish(n, order.flush);
  }

 private:
  Tree finish(std::int64_t n, Flush flush) {
    while (!stack_.empty()) {
      const Pending piece = stack_.back();
      stack_.pop_back();
      if (piece.order != nullptr) {
        if (piece.goes_on) push_joint();
        expand_piece(piece);
      } else if (piece.is_joint) {
        join(piece.at);
      } else if (piece.is_scale) {
        apply_scale(ops_.back(), piece.scale);
      } else {
        ops_.push_back(piece.op);
      }
    }
    return canonical({n, std::move(ops_), flush});
  }

  void push_piece(const Order& order, const Rule* rule, std::int64_t n, std::int64_t at,
                  bool whole) {
    Pending piece;
    piece.order = &order;
    piece.rule = rule;
    piece.n = n;
    piece.at = at;
    piece.whole = whole;
    stack_.push_back(piece);
  }
  void push_op(const TreeOp& op) {
    Pending after;
    after.op = op;
    stack_.push_back(after);
  }
  void push_addition(NodeFormat format) { push_op(addition(format)); }
  void push_scale(Scale scale) {
    if (scale == Scale::none) return;
    Pending after;
    after.is_scale = true;
    after.scale = scale;
    stack_.push_back(after);
  }

  // The program of a piece that goes on begins with its output leaf, whose place the value before
  // it takes, rounded to narrow: then nothing but the leaf has to go.
  void push_joint() {
    store_narrow(ops_.back());
    Pending after;
    after.at = static_cast<std::int64_t>(ops_.size());
    after.is_joint = true;
    stack_.push_back(after);
  }
  void join(std::int64_t at) {
    const auto first = ops_.begin() + at;
    if (first == ops_.end() || first->kind != TreeOp::Kind::leaf || first->leaf != Leaf::out)
      throw UserError("expand: a piece that goes on does not begin with the output");
    ops_.erase(first);
  }

  void push_child(const Order& order, const Child& child, std::int64_t n, std::int64_t at) {
    const auto index = static_cast<std::size_t>(child.index);
    switch (child.kind) {
      case Child::Kind::self:
        return push_piece(order, nullptr, n, at, false);
      case Child::Kind::sub:
        return push_piece(order.subs[index], nullptr, n, at, true);
      case Child::Kind::regime: {
        const Regime& regime = order.regimes[index];
        return push_piece(order, n < regime.lo ? nullptr : &regime.rule, n, at, false);
      }
    }
  }

  void expand_piece(const Pending& piece) {
    if (piece.whole && piece.order->zero_start) {
      ops_.push_back(leaf(Leaf::zero, 0));
      push_addition(NodeFormat::narrow);
    }
    const Rule* rule = piece.rule;
    if (rule == nullptr) {
      const Regime* regime = regime_of(*piece.order, piece.n);
      if (regime == nullptr) {
        if (piece.n != 1) undefined(piece.n);
        ops_.push_back(leaf(Leaf::rounded, piece.at));  // a piece of one summand is that summand
        return;
      }
      rule = &regime->rule;
    }
    std::visit([&](const auto& r) { apply(r, piece); }, *rule);
  }

  void apply(const Explicit& rule, const Pending& piece) {
    const auto it = std::lower_bound(rule.entries.begin(), rule.entries.end(), piece.n,
                                     [](const auto& entry, std::int64_t n) { return entry.n < n; });
    if (it == rule.entries.end() || it->n != piece.n) undefined(piece.n);
    SchemaInstance(it->tree, 0, 0, piece.order->subs).append_tree(piece.n, piece.at, ops_);
  }

  void apply(const Loop& rule, const Pending& piece) {
    const std::int64_t q = piece.n / rule.block, r = piece.n % rule.block;
    if (rule.pad && r != 0) {
      const std::int64_t padded = (q + 1) * rule.block;
      if (padded > 2 * kMaxExplicitLeaves)
        throw UserError("expand: a padded loop of block " + std::to_string(rule.block) +
                        " exceeds the leaves of an explicit tree");
      Tree tree{padded, {}};
      SchemaInstance(rule.cases[0].schema, q + 1, 0).append_tree(padded, 0, tree.ops);
      for (TreeOp op : restrict_to(tree, piece.n).ops) {
        if (op.kind == TreeOp::Kind::leaf && is_summand(op.leaf))
          op.index += static_cast<std::uint32_t>(piece.at);
        ops_.push_back(op);
      }
      return;
    }
    for (const Loop::Case& c : rule.cases)
      if (c.r_lo <= r && r <= c.r_hi)
        return SchemaInstance(c.schema, q, r, piece.order->subs)
            .append_tree(piece.n, piece.at, ops_);
    undefined(piece.n);
  }

  void apply(const Split& rule, const Pending& piece) {
    const auto h = split_point(rule, piece.n);
    if (!h) undefined(piece.n);
    if (*h == piece.n) return push_child(*piece.order, rule.left, piece.n, piece.at);
    if (!rule.through) push_addition(rule.format);
    push_child(*piece.order, rule.right, piece.n - *h, piece.at + *h);
    stack_.back().goes_on = rule.through;
    push_child(*piece.order, rule.left, *h, piece.at);
  }

  void apply(const Parts& rule, const Pending& piece) {
    const auto lengths = piece_lengths(rule, piece.n);
    if (!lengths) undefined(piece.n);
    const bool starts_with_constant =
        rule.onto == Parts::Onto::first || rule.onto == Parts::Onto::zero;
    std::int64_t end = piece.n;
    for (std::size_t k = lengths->size(); k-- > 0;) {
      end -= (*lengths)[k];
      if (k == 0 && rule.onto == Parts::Onto::fused) {
        push_addition(rule.format);
        push_op(leaf(Leaf::out_fused, 0));
      }
      const bool is_addend = k > 0 || starts_with_constant;
      if (is_addend) push_addition(rule.format);
      push_scale(rule.scale == Scale::fused && !is_addend ? Scale::rounded : rule.scale);
      push_child(*piece.order, rule.child, (*lengths)[k], piece.at + end);
    }
    if (starts_with_constant)
      ops_.push_back(leaf(rule.onto == Parts::Onto::first ? Leaf::out : Leaf::zero, 0));
  }

  void apply(const Windows& rule, const Pending& piece) {
    const Tree window = Expander().run(*piece.order, rule.piece, rule.width);
    const Tree sums = Expander().run(*piece.order, rule.values, number_of_windows(rule, piece.n));
    for (const TreeOp& sum : sums.ops) {
      if (sum.kind != TreeOp::Kind::leaf || !is_summand(sum.leaf)) {
        ops_.push_back(sum);
        continue;
      }
      const Window at = window_at(rule, piece.n, sum.index);
      const bool is_whole = at.count == rule.width;
      const Tree part = is_whole ? Tree{} : restrict_to(window, at.first, at.first + at.count);
      for (TreeOp op : (is_whole ? window : part).ops) {
        if (op.kind == TreeOp::Kind::leaf && is_summand(op.leaf))
          op.index += static_cast<std::uint32_t>(piece.at + at.from);
        ops_.push_back(op);
      }
    }
  }

  std::vector<Pending> stack_;
  std::vector<TreeOp> ops_;
};

}  // namespace

const Regime* regime_of(const Order& order, std::int64_t n) {
  const auto it = std::upper_bound(order.regimes.begin(), order.regimes.end(), n,
                                   [](std::int64_t v, const Regime& r) { return v < r.lo; });
  if (it == order.regimes.begin()) return nullptr;
  const Regime& regime = *std::prev(it);
  return n <= regime.hi ? &regime : nullptr;
}

bool covers(const Order& order, std::int64_t n) {
  const Regime* regime = regime_of(order, n);
  if (regime == nullptr) return false;
  const auto* listed = std::get_if<Explicit>(&regime->rule);
  if (listed == nullptr) return true;
  return std::any_of(listed->entries.begin(), listed->entries.end(),
                     [&](const auto& entry) { return entry.n == n; });
}

std::int64_t covered_to(const Order& order) {
  std::int64_t reached = 0;
  for (const Regime& regime : order.regimes) {
    if (regime.lo != reached + 1) return reached;
    if (const auto* listed = std::get_if<Explicit>(&regime.rule)) {
      for (const auto& entry : listed->entries) {
        if (entry.n != reached + 1) return reached;
        ++reached;
      }
      if (reached != regime.hi) return reached;
    } else {
      reached = regime.hi;
    }
  }
  return reached;
}

Tree expand(const Order& order, std::int64_t n) {
  if (n < 1) throw UserError("expand: n must be positive, not " + std::to_string(n));
  if (n > kMaxExplicitLeaves)
    throw UserError("expand: n = " + std::to_string(n) +
                    " exceeds the 2^20 leaves of an explicit tree");
  return Expander().run(order, n);
}

Tree expand(const Schema& schema, std::int64_t q, std::int64_t r, std::int64_t n,
            std::span<const Order> subs) {
  if (n < 1 || n > kMaxExplicitLeaves)
    throw UserError("expand: n must be in 1..2^20, not " + std::to_string(n));
  Tree tree{n, {}};
  SchemaInstance(schema, q, r, subs).append_tree(n, 0, tree.ops);
  return canonical(std::move(tree));
}

}  // namespace reprosum::spec
