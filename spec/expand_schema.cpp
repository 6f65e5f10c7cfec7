// A schema at one (q, r): its postorder program.
#include "spec/expand_schema.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/fused_groups.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t saturating_add(std::int64_t a, std::int64_t b) { return std::min(a + b, kSaturated); }
std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kSaturated / b ? kSaturated : a * b;
}

}  // namespace

void apply_scale(TreeOp& op, Scale scale) {
  if (scale == Scale::none) return;
  if (op.scale != Scale::none) throw UserError("alpha meets the same value twice");
  op.scale = scale;
}

SchemaInstance::SchemaInstance(const Schema& schema, std::int64_t q, std::int64_t r,
                               std::span<const Order> subs)
    : schema_(schema), subs_(subs), q_(q), r_(r) {
  sizes_.reserve(schema.chains.size());
  for (const Chain& chain : schema.chains) {
    Size size;
    for (const Item& item : chain.items) {
      const std::int64_t times = item.times.at(q, r), times2 = item.times2.at(q, r);
      if (times <= 0 || times2 <= 0) continue;
      Size one{is_summand(item.shape.leaf) ? 1 : 0, 1};
      if (!item.shape.is_leaf()) one = sizes_[static_cast<std::size_t>(item.shape.chain)];
      const std::int64_t copies = saturating_multiply(times, times2);
      size.summands = saturating_add(size.summands, saturating_multiply(copies, one.summands));
      size.leaves = saturating_add(size.leaves, saturating_multiply(copies, one.leaves));
    }
    sizes_.push_back(size);
  }
}

// One run of leaves that a sub-order adds. @pre it has times >= 1.
void SchemaInstance::append_sub(const Item& item, std::int64_t place, std::int64_t shift,
                                std::int64_t n, std::vector<TreeOp>& ops) const {
  const auto index = static_cast<std::size_t>(item.shape.sub);
  if (index >= subs_.size())
    throw UserError("schema: names sub-order " + std::to_string(index) + ", which is not here");
  const std::int64_t times = item.times.at(q_, r_), step = item.step.at(q_, r_);
  const std::int64_t last = place + (times - 1) * step;
  if (std::min(place, last) < 0 || std::max(place, last) >= n)
    throw UserError("schema: names summand " + std::to_string(place < 0 ? place : last) + " of " +
                    std::to_string(n));
  for (TreeOp op : expand(subs_[index], times).ops) {
    if (op.kind == TreeOp::Kind::leaf && is_summand(op.leaf))
      op.index = static_cast<std::uint32_t>(place + shift + std::int64_t{op.index} * step);
    ops.push_back(op);
  }
}

// One copy of an item. `started`: the chain has a sum that it is added to.
void SchemaInstance::append_copy(const Item& item, std::int64_t place, bool started,
                                 std::int64_t shift, std::int64_t n,
                                 std::vector<TreeOp>& ops) const {
  if (item.shape.is_sub()) {
    append_sub(item, place, shift, n, ops);
  } else if (!item.shape.is_leaf()) {
    append(static_cast<std::size_t>(item.shape.chain), place, shift, n, ops);
  } else {
    TreeOp op;
    op.leaf = item.shape.leaf;
    if (op.leaf == Leaf::fused && !started) op.leaf = Leaf::rounded;
    if (op.leaf == Leaf::out_fused && !started) op.leaf = Leaf::out;
    if (is_summand(op.leaf)) {
      if (place < 0 || place >= n)
        throw UserError("schema: names summand " + std::to_string(place) + " of " +
                        std::to_string(n));
      op.index = static_cast<std::uint32_t>(place + shift);
      op.skip = item.shape.skip;
    }
    ops.push_back(op);
  }
  const bool starts = item.shape.scale == Scale::fused && !started;
  apply_scale(ops.back(), starts ? Scale::rounded : item.shape.scale);
}

// Appends the program of one copy of a chain. @pre the chain is present.
// Recursion is bounded by kMaxDepth (validate()), the work by the caller's check of leaves().
void SchemaInstance::append(std::size_t chain_index, std::int64_t origin, std::int64_t shift,
                            std::int64_t n, std::vector<TreeOp>& ops) const {
  const Chain& chain = schema_.chains[chain_index];
  bool started = false;
  const bool is_fused = chain.fused.terms > 0;
  FusedGroups groups(chain.fused);
  for (const Item& item : chain.items) {
    const std::int64_t times = item.times.at(q_, r_), times2 = item.times2.at(q_, r_);
    if (times <= 0 || times2 <= 0) continue;
    if (!item.shape.is_leaf() && !present(static_cast<std::size_t>(item.shape.chain))) continue;
    const std::int64_t at = item.at.at(q_, r_);
    const std::int64_t step = times > 1 ? item.step.at(q_, r_) : 0;
    const std::int64_t step2 = times2 > 1 ? item.step2.at(q_, r_) : 0;
    // Bounds every product and sum below: times * times2 <= leaves <= 4n + 64. Not n itself: a lane
    // that holds only its zero start may lie beyond the last summand.
    if (std::max({std::abs(at), std::abs(step), std::abs(step2)}) > n + kFarthestLane)
      throw UserError("schema: an offset or step of chain " + std::to_string(chain_index) +
                      " lies far beyond n = " + std::to_string(n));
    const std::int64_t copies = item.shape.is_sub() ? 1 : times;
    for (std::int64_t u = 0; u < times2; ++u) {
      for (std::int64_t t = 0; t < copies; ++t) {
        const std::int64_t place = origin + at + t * step + u * step2;
        if (is_fused) {
          std::vector<TreeOp> copy;
          append_copy(item, place, true, shift, n, copy);
          groups.take(std::move(copy), item.shape.is_leaf() && !is_summand(item.shape.leaf));
          continue;
        }
        append_copy(item, place, started, shift, n, ops);
        if (started) {
          TreeOp add;
          add.kind = TreeOp::Kind::add;
          add.format = chain.format;
          ops.push_back(add);
        }
        started = true;
      }
    }
  }
  if (!is_fused) return;
  const std::vector<TreeOp> program = groups.finish();
  ops.insert(ops.end(), program.begin(), program.end());
}

void SchemaInstance::append_tree(std::int64_t n, std::int64_t shift,
                                 std::vector<TreeOp>& ops) const {
  if (schema_.chains.empty() || sizes_.back().summands != n)
    throw UserError("schema has " +
                    std::to_string(schema_.chains.empty() ? 0 : sizes_.back().summands) +
                    " summands where " + std::to_string(n) +
                    " are wanted (q = " + std::to_string(q_) + ", r = " + std::to_string(r_) + ")");
  if (sizes_.back().leaves > 4 * n + 64)
    throw UserError("schema has too many zeros or outputs for n = " + std::to_string(n));
  append(schema_.chains.size() - 1, 0, shift, n, ops);
}

}  // namespace reprosum::spec
