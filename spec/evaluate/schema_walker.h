// The streaming walk through one schema, for any kind of value: no tree is built.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "spec/error.h"
#include "spec/evaluate/chain_piece.h"
#include "spec/expand_schema.h"
#include "spec/order.h"

namespace reprosum::spec {

// Values gives what a value is and how values are added; a default Value is absent (nothing):
//   bool present(const Value&)
//   add(format, sum, right, scale)                 sum + right; an absent sum becomes `right`
//   add_constant(format, leaf, sum)                a zero or an output
//   add_leaves(format, shape, sum, k, step, count) summands k, k + step, ...
//   add_sub_run(format, sub, sum, k, step, count)  the same, added by a sub-order of this number
// and, if it knows fused nodes:
//   FusedSum fused_sum(fused)                      of no operands yet
//   take_product(k, fused_sum), take(value, is_constant, fused_sum), value_of(fused_sum),
//   leave_out(fused_sum)                                 a term that is padding
// and, if some chains are pieces by themselves (plan/chain_pieces.h):
//   const ChainPiece* chain_piece(chain)                 or nullptr
//   Value value_of(const ChainPiece&, k, rows)           its lanes from summand k on; rows >= 1
template <class Values>
class SchemaWalker {
 public:
  using Value = typename Values::Value;

  // `extent` summands are named by the schema; of those, the ones below n exist (a padded loop).
  SchemaWalker(const Schema& schema, std::int64_t q, std::int64_t r, std::int64_t extent,
               std::int64_t n, std::int64_t at, Values& values)
      : schema_(schema), q_(q), r_(r), extent_(extent), n_(n), at_(at), values_(values) {}

  Value value() {
    Value result = chain(schema_.chains.size() - 1, 0);
    if (!values_.present(result) || visited_ != extent_)
      throw UserError("schema names " + std::to_string(visited_) + " summands of " +
                      std::to_string(extent_));
    return result;
  }

 private:
  static bool is_constant(const Shape& shape) {
    return shape.is_leaf() &&
           (shape.leaf == Leaf::zero || shape.leaf == Leaf::out || shape.leaf == Leaf::out_fused);
  }

  // Recursion is bounded by kMaxDepth.
  Value chain(std::size_t index, std::int64_t origin) {
    if constexpr (requires(Values values) { values.chain_piece(index); })
      if (const ChainPiece* const piece = values_.chain_piece(index))
        if (const auto rows = rows_at(*piece, origin, n_)) return whole_copy(*piece, origin, *rows);
    const Chain& chain = schema_.chains[index];
    Values::require(chain.format == NodeFormat::wide);
    if (chain.fused.terms > 0) return fused_chain(chain, origin);
    Value sum{};
    for (const Item& item : chain.items) {
      const std::int64_t times = item.times.at(q_, r_), times2 = item.times2.at(q_, r_);
      if (times <= 0 || times2 <= 0) continue;
      if (is_constant(item.shape)) {
        add_constants(chain.format, item.shape.leaf, times, sum);
        continue;
      }
      const std::int64_t place = item.at.at(q_, r_);
      const std::int64_t step = times > 1 ? item.step.at(q_, r_) : 0;
      const std::int64_t step2 = times2 > 1 ? item.step2.at(q_, r_) : 0;
      // Copies are counted against the extent as they come. An absent chain may have its place
      // anywhere.
      if (std::max({std::abs(place), std::abs(step), std::abs(step2)}) > extent_ + kFarthestLane) {
        if (!item.shape.is_leaf() && !present(static_cast<std::size_t>(item.shape.chain))) continue;
        throw UserError("schema: an offset or step lies far beyond n = " + std::to_string(extent_));
      }
      for (std::int64_t u = 0; u < times2; ++u) {
        const std::int64_t first = clamped(Int128{u} * step2 + origin + place);
        if (item.shape.is_sub()) {
          sub_run(chain.format, item.shape, first, step, times, sum);
        } else if (item.shape.is_leaf()) {
          leaves(chain.format, item.shape, first, step, times, sum);
        } else if (!copies(chain.format, item.shape, first, step, times, sum)) {
          break;  // an absent chain is absent in every copy
        }
      }
    }
    return sum;
  }

  // A copy of a chain that has code, all at once. The loop is padded: q counts its blocks, which
  // are as many as a lane has summands and padding.
  Value whole_copy(const ChainPiece& piece, std::int64_t origin, std::int64_t rows) {
    visited_ = clamped(Int128{piece.lanes} * q_ + visited_);
    if (visited_ > extent_) throw UserError("schema names more summands than there are");
    const std::int64_t last = clamped(Int128{piece.block} * (q_ - 1) + origin + piece.lanes - 1);
    if (origin < 0 || last >= extent_) throw UserError("schema: names a summand outside the piece");
    if (rows > 0) return values_.value_of(piece, at_ + origin, rows);
    Value left{};
    if (piece.has_zero) values_.add_constant(NodeFormat::narrow, Leaf::zero, left);
    return left;
  }

  Value fused_chain(const Chain& chain, std::int64_t origin) {
    if constexpr (!requires(Values values) { values.fused_sum(chain.fused); }) {
      throw UserError("fused nodes are interpreted in sums and dot products alone");
    } else {
      auto sum = values_.fused_sum(chain.fused);
      for (const Item& item : chain.items) {
        // Each copy is an item of its own.
        const std::int64_t times = item.times.at(q_, r_), times2 = item.times2.at(q_, r_);
        if (times <= 0 || times2 <= 0) continue;
        const std::int64_t at = item.at.at(q_, r_);
        const std::int64_t step = times > 1 ? item.step.at(q_, r_) : 0;
        const std::int64_t step2 = times2 > 1 ? item.step2.at(q_, r_) : 0;
        const bool is_sub = item.shape.is_sub();
        const std::int64_t copies = is_sub ? 1 : times;
        for (std::int64_t u = 0; u < times2; ++u)
          for (std::int64_t t = 0; t < copies; ++t) {
            const std::int64_t place = clamped(Int128{t} * step + Int128{u} * step2 + origin + at);
            const bool is_there =
                take_copy(item.shape, place, is_sub ? times : 1, is_sub ? step : 0, sum);
            if (!is_there) t = copies, u = times2;  // an absent chain is absent in every copy
          }
      }
      return values_.value_of(sum);
    }
  }

  // `times` and `step` of the leaves that a sub-order adds. False for a chain that is absent.
  template <class FusedSum>
  bool take_copy(const Shape& shape, std::int64_t place, std::int64_t times, std::int64_t step,
                 FusedSum& sum) {
    constexpr auto kNarrow = NodeFormat::narrow;
    Value copy{};
    if (is_constant(shape)) {
      add_constants(kNarrow, shape.leaf, 1, copy);
    } else if (shape.is_sub()) {
      sub_run(kNarrow, shape, place, step, times, copy);
    } else if (shape.is_leaf()) {
      leaves(kNarrow, shape, place, 0, 1, copy);  // also counts it, and drops padding
      if (values_.present(copy) && shape.leaf == Leaf::fused) {
        values_.take_product(at_ + place, sum);
        return true;
      }
    } else if (!copies(kNarrow, shape, place, 0, 1, copy)) {
      return false;
    }
    if (values_.present(copy))
      values_.take(copy, is_constant(shape), sum);
    else
      values_.leave_out(sum);
    return true;
  }

  bool present(std::size_t index) const {
    for (const Item& item : schema_.chains[index].items) {
      if (item.times.at(q_, r_) <= 0 || item.times2.at(q_, r_) <= 0) continue;
      if (item.shape.is_leaf() || present(static_cast<std::size_t>(item.shape.chain))) return true;
    }
    return false;
  }

  bool copies(NodeFormat format, const Shape& shape, std::int64_t first, std::int64_t step,
              std::int64_t times, Value& sum) {
    for (std::int64_t t = 0; t < times; ++t) {
      const std::int64_t before = visited_ + constants_;
      const std::int64_t origin = clamped(Int128{t} * step + first);
      const Value copy = chain(static_cast<std::size_t>(shape.chain), origin);
      if (visited_ + constants_ == before) return false;
      // Absent: every leaf of it is padding, or an output that is dropped.
      if (values_.present(copy)) values_.add(format, sum, copy, shape.scale);
    }
    return true;
  }

  // A padded loop has none, so all of it exists.
  void sub_run(NodeFormat format, const Shape& shape, std::int64_t first, std::int64_t step,
               std::int64_t times, Value& sum) {
    visited_ = clamped(Int128{visited_} + times);
    if (visited_ > extent_) throw UserError("schema names more summands than there are");
    const std::int64_t last = clamped(Int128{times - 1} * step + first);
    if (std::min(first, last) < 0 || std::max(first, last) >= std::min(extent_, n_))
      throw UserError("schema: names a summand outside the piece");
    values_.add_sub_run(format, shape.sub, sum, at_ + first, step, times);
  }

  void leaves(NodeFormat format, const Shape& shape, std::int64_t first, std::int64_t step,
              std::int64_t times, Value& sum) {
    Values::require(shape.leaf == Leaf::exact);
    visited_ = clamped(Int128{visited_} + times);
    if (visited_ > extent_) throw UserError("schema names more summands than there are");
    const std::int64_t last = clamped(Int128{times - 1} * step + first);
    if (std::min(first, last) < 0 || std::max(first, last) >= extent_)
      throw UserError("schema: names a summand outside the piece");
    std::int64_t count = times;
    if (std::max(first, last) >= n_) {  // drop the padding at whichever end it is
      std::int64_t from = 0;
      while (from < times && first + from * step >= n_) ++from;
      std::int64_t to = from;
      while (to < times && first + to * step < n_) ++to;
      first += from * step;
      count = to - from;
      if (count == 0) return;
    }
    values_.add_leaves(format, shape, sum, at_ + first, step, count);
  }

  void add_constants(NodeFormat format, Leaf leaf, std::int64_t times, Value& sum) {
    constants_ += times;
    if (times > 4 * extent_ + 64 || constants_ > 4 * extent_ + 64)
      throw UserError("schema has too many zero leaves for n = " + std::to_string(extent_));
    for (std::int64_t t = 0; t < times; ++t) values_.add_constant(format, leaf, sum);
  }

  const Schema& schema_;
  const std::int64_t q_, r_, extent_, n_, at_;
  Values& values_;
  std::int64_t visited_ = 0, constants_ = 0;
};

// The value of a loop or an explicit tree on the n summands that start at `at`; nothing for another
// rule.
// Throws UserError if the rule is not defined at n or names other than n summands of the piece.
template <class Values>
std::optional<typename Values::Value> walk_piece(const Rule& rule, std::int64_t n, std::int64_t at,
                                                 Values& values) {
  if (const auto* loop = std::get_if<Loop>(&rule)) {
    const std::int64_t q = n / loop->block, r = n % loop->block;
    if (loop->pad && r != 0)
      return SchemaWalker<Values>(loop->cases[0].schema, q + 1, 0, (q + 1) * loop->block, n, at,
                                  values)
          .value();
    for (const Loop::Case& c : loop->cases)
      if (c.r_lo <= r && r <= c.r_hi)
        return SchemaWalker<Values>(c.schema, q, r, n, n, at, values).value();
  } else if (const auto* trees = std::get_if<Explicit>(&rule)) {
    const auto& entries = trees->entries;
    const auto it = std::lower_bound(entries.begin(), entries.end(), n,
                                     [](const auto& entry, std::int64_t v) { return entry.n < v; });
    if (it != entries.end() && it->n == n)
      return SchemaWalker<Values>(it->tree, 0, 0, n, n, at, values).value();
  } else {
    return std::nullopt;
  }
  throw UserError("the order is not defined at n = " + std::to_string(n));
}

}  // namespace reprosum::spec
