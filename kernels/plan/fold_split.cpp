// Splits that cut small pieces off one end, as loops.
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/plan/loop_form.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::kernels {
namespace {

using spec::Chain;
using spec::Child;
using spec::Item;
using spec::Leaf;
using spec::Linear;
using spec::NodeFormat;
using spec::Schema;
using spec::Split;

constexpr std::int64_t kMaxFoldedLeaves = 4096;  // constant leaves of all cases together

// Appends trees of constant size to a schema.
class TreeAppender {
 public:
  explicit TreeAppender(Schema& schema) : schema_(schema) {}

  // An item that is one copy of the tree. A left spine of one format is one chain, so that a
  // sequence of summands does not nest.
  Item item(const spec::Tree& tree) {
    std::vector<Part> stack;
    for (const spec::TreeOp& op : tree.ops) {
      if (op.kind == spec::TreeOp::Kind::leaf) {
        Item leaf;
        leaf.shape.leaf = op.leaf;
        if (op.leaf != Leaf::zero) leaf.at.c = op.index;
        stack.push_back({false, {NodeFormat::narrow, {leaf}}});
        continue;
      }
      const Part right = std::move(stack.back());
      stack.pop_back();
      Part& left = stack.back();
      if (!left.is_sum || left.chain.format != op.format)
        left = {true, {op.format, {single(std::move(left))}}};
      left.chain.items.push_back(single(right));
    }
    Item whole = single(std::move(stack.back()));
    // On its own a fused leaf is a rounded product; it must not fuse with what it is added to.
    if (whole.shape.is_leaf() && whole.shape.leaf == Leaf::fused) whole.shape.leaf = Leaf::rounded;
    return whole;
  }

 private:
  struct Part {
    bool is_sum = false;  // or one leaf, the only item
    Chain chain;
  };

  Item single(Part part) {
    if (!part.is_sum) return part.chain.items[0];
    Item copy;
    copy.shape.chain = static_cast<std::int32_t>(schema_.chains.size());
    schema_.chains.push_back(std::move(part.chain));
    return copy;
  }

  Schema& schema_;
};

class SplitFolder {
 public:
  SplitFolder(const spec::Order& order, const spec::Regime& regime, const Split& split)
      : order_(order), regime_(regime), split_(split), m_(split.m) {
    takes_last_ = split.kind == Split::Kind::last || split.kind == Split::Kind::last_const;
    constant_ = split.kind == Split::Kind::first || split.kind == Split::Kind::last_const;
  }

  std::optional<spec::Loop> run() {
    const bool cuts =
        takes_last_ || split_.kind == Split::Kind::first || split_.kind == Split::Kind::first_rest;
    if (!cuts || split_.through || m_ > kMaxFoldedPiece || m_ >= regime_.lo ||
        regime_.lo > 2 * kMaxFoldedPiece)
      return std::nullopt;
    if (!is_same_rule(takes_last_ ? split_.left : split_.right)) return std::nullopt;
    const Child& piece = takes_last_ ? split_.right : split_.left;
    if (piece.kind == Child::Kind::regime &&
        m_ > order_.regimes[static_cast<std::size_t>(piece.index)].hi)
      return std::nullopt;
    pieces_ = order_;
    pieces_.zero_start = false;
    rest_ = pieces_;
    if (piece.kind == Child::Kind::sub)
      pieces_ = order_.subs[static_cast<std::size_t>(piece.index)];
    if (spec::has_fused_nodes(rest_) || spec::has_fused_nodes(pieces_)) return std::nullopt;
    spec::Loop loop;
    loop.block = m_;
    std::int64_t leaves = 0;
    for (std::int64_t r = 0; r < m_; ++r) {
      leaves += base(r) + m_ + r;
      if (leaves > kMaxFoldedLeaves) return std::nullopt;
      loop.cases.push_back({r, r, schema(r)});
    }
    return loop;
  }

 private:
  // The longer part follows this rule until it is shorter than the regime.
  bool is_same_rule(const Child& child) const {
    if (child.kind == Child::Kind::self) return true;
    return child.kind == Child::Kind::regime &&
           &order_.regimes[static_cast<std::size_t>(child.index)] == &regime_;
  }

  // The length at which cutting ends for n = qm + r: the greatest below the regime that n reaches
  // in steps of m, after the odd piece if there is one.
  std::int64_t base(std::int64_t r) const {
    const std::int64_t last = regime_.lo - 1;
    return constant_ ? last - ((last - r) % m_ + m_) % m_ : last / m_ * m_;
  }

  Schema schema(std::int64_t r) const {
    Schema schema;
    TreeAppender trees(schema);
    const std::int64_t b = base(r), odd = constant_ ? 0 : r;
    if (b < 1) throw UserError("a piece of no summands");
    const Linear n{m_, 0, r};
    Item rest = trees.item(spec::expand(rest_, b));
    Item whole = trees.item(spec::expand(pieces_, m_));
    const Linear before = whole.at, offset = rest.at;
    whole.times = {1, 0, (r - odd - b) / m_};
    if (takes_last_) {
      whole.at = Linear{0, 0, before.c + b};
      whole.step = {0, 0, m_};
    } else {
      rest.at = Linear{n.q, 0, n.c - b + offset.c};
      whole.at = Linear{n.q, 0, n.c - b - m_ + before.c};
      whole.step = {0, 0, -m_};
    }
    Chain root{split_.format, {rest, whole}};
    if (odd > 0) {
      Item last = trees.item(spec::expand(pieces_, odd));
      if (takes_last_) last.at = Linear{m_, 0, last.at.c};
      root.items.push_back(last);
    }
    schema.chains.push_back(std::move(root));
    return schema;
  }

  const spec::Order& order_;
  const spec::Regime& regime_;
  const Split& split_;
  const std::int64_t m_;
  bool takes_last_ = false;  // the piece is cut off behind the rest
  bool constant_ = false;    // every piece has m summands, and the rest depends on n mod m
  spec::Order pieces_, rest_;
};

}  // namespace

std::optional<spec::Loop> fold_split(const spec::Order& order, const spec::Regime& regime) {
  const auto* split = std::get_if<Split>(&regime.rule);
  if (split == nullptr) return std::nullopt;
  try {
    return SplitFolder(order, regime, *split).run();
  } catch (const UserError&) {
    return std::nullopt;  // not defined at some length that a call would need either
  }
}

}  // namespace reprosum::kernels
