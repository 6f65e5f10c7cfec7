// The walk through splits that halve, without a stack of its own: pairwise sums have many small
// pieces, and what lies between them must cost less than they do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "kernels/plan/pieces.h"
#include "spec/evaluate/arithmetic.h"
#include "spec/expand.h"
#include "spec/order.h"

namespace reprosum::kernels {

class SplitTree {
 public:
  // For an order whose every regime is a piece or a split; else it is not used.
  SplitTree(const spec::Order& order, const std::vector<Piece>& pieces) {
    is_usable_ = order.flush == spec::Flush::none && add(order, pieces) && has_split_;
    if (!is_usable_) nodes_.clear();
  }
  bool is_usable() const { return is_usable_; }

  // piece(k, n, at) gives the value of piece k, or nothing where its code does not hold for n.
  // Nothing where the walk has to be done otherwise: deeper than halving is, or not defined at n.
  template <class T, class F>
  std::optional<double> value(std::int64_t n, F&& piece) const {
    Walk<T, F> walk{*this, piece, 0, false};
    const double sum = walk.order(0, n, 0);
    return walk.failed ? std::nullopt : std::optional<double>(sum);
  }

 private:
  static constexpr int kDeepest = 48;
  struct Node {  // a regime
    std::int64_t lo = 0, hi = 0;
    std::optional<std::size_t> piece;
    const spec::Split* split = nullptr;
  };
  struct Whole {  // an order
    std::vector<Node> regimes;
    std::vector<std::size_t> subs;
    bool zero_start = false;
  };

  bool add(const spec::Order& order, const std::vector<Piece>& pieces) {
    const std::size_t own = nodes_.size();
    nodes_.emplace_back();
    nodes_[own].zero_start = order.zero_start;
    for (const spec::Regime& regime : order.regimes) {
      Node node{regime.lo, regime.hi, std::nullopt, std::get_if<spec::Split>(&regime.rule)};
      for (std::size_t k = 0; k < pieces.size(); ++k)
        if (pieces[k].regime == &regime && pieces[k].is_whole()) node.piece = k;
      if (node.split != nullptr && node.split->through) return false;
      if (node.split == nullptr && !node.piece) return false;
      has_split_ = has_split_ || node.split != nullptr;
      nodes_[own].regimes.push_back(node);
    }
    for (const spec::Order& sub : order.subs) {
      const std::size_t next = nodes_.size();
      nodes_[own].subs.push_back(next);
      if (!add(sub, pieces)) return false;
    }
    return true;
  }

  template <class T, class F>
  struct Walk {
    const SplitTree& tree;
    F& piece;
    int depth;
    bool failed;

    double fail() {
      failed = true;
      return 0;
    }
    double order(std::size_t number, std::int64_t n, std::int64_t at) {
      const double sum = pieces(number, n, at);
      return tree.nodes_[number].zero_start
                 ? spec::Arithmetic<T>::add(spec::NodeFormat::narrow, 0, sum)
                 : sum;
    }
    double pieces(std::size_t number, std::int64_t n, std::int64_t at) {
      for (const Node& node : tree.nodes_[number].regimes)
        if (node.lo <= n && n <= node.hi) return regime(number, node, n, at);
      return fail();
    }
    double regime(std::size_t number, const Node& node, std::int64_t n, std::int64_t at) {
      if (node.piece)
        if (const std::optional<double> value = piece(*node.piece, n, at)) return *value;
      if (node.split == nullptr || depth == kDeepest) return fail();
      const spec::Split& split = *node.split;
      if (split.kind == spec::Split::Kind::remainder && n % split.m == 0)
        return child(number, split.left, n, at);
      if (goes_on(node, number)) return chain(number, node, n, at);
      const std::optional<std::int64_t> h = spec::split_point(split, n);
      if (!h || failed) return fail();
      ++depth;
      const double left = child(number, split.left, *h, at);
      const double right = child(number, split.right, n - *h, at + *h);
      --depth;
      return spec::Arithmetic<T>::add(split.format, left, right);
    }
    // F(n) = F(n - piece) + piece: from the left, for there may be very many.
    bool goes_on(const Node& node, std::size_t number) const {
      using Kind = spec::Split::Kind;
      const spec::Split& split = *node.split;
      const bool is_last = split.kind == Kind::last || split.kind == Kind::last_const;
      return is_last && (split.left.kind == spec::Child::Kind::self ||
                         (split.left.kind == spec::Child::Kind::regime &&
                          &tree.nodes_[number].regimes[std::size_t(split.left.index)] == &node));
    }
    double chain(std::size_t number, const Node& node, std::int64_t n, std::int64_t at) {
      const spec::Split& split = *node.split;
      // A child that names a regime has its rule beyond the range of the regime as well.
      const bool is_named = split.left.kind == spec::Child::Kind::regime;
      std::int64_t end = n;
      do {
        const std::optional<std::int64_t> h = spec::split_point(split, end);
        if (!h) return fail();
        end = *h;
      } while (end >= node.lo && (is_named || end <= node.hi));
      double sum = pieces(number, end, at);
      ++depth;
      for (std::int64_t next = 0; end < n && !failed; end = next) {
        next = std::min(n, end + split.m);
        sum = spec::Arithmetic<T>::add(split.format, sum,
                                       child(number, split.right, next - end, at + end));
      }
      --depth;
      return sum;
    }
    double child(std::size_t number, const spec::Child& child, std::int64_t n, std::int64_t at) {
      const Whole& whole = tree.nodes_[number];
      const auto index = static_cast<std::size_t>(child.index);
      switch (child.kind) {
        case spec::Child::Kind::self:
          return pieces(number, n, at);
        case spec::Child::Kind::sub:
          return order(whole.subs[index], n, at);
        case spec::Child::Kind::regime:
          break;
      }
      const Node& node = whole.regimes[index];
      return n < node.lo ? pieces(number, n, at) : regime(number, node, n, at);
    }
  };

  std::vector<Whole> nodes_;
  bool is_usable_ = false, has_split_ = false;
};

}  // namespace reprosum::kernels
