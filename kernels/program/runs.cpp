#include "kernels/program/runs.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernels/program/row_pairs.h"

namespace reprosum::kernels::program {
namespace {

using spec::Leaf;
using spec::Linear;
using spec::NodeFormat;
using spec::Scale;
using spec::Skip;

constexpr std::int64_t kLineBits = 512;    // of the cache
constexpr std::int64_t kTileUnrolled = 4;  // iterations of a run of single leaves

std::vector<std::int64_t> shifted(const RunLanes& lanes, std::int64_t by) {
  std::vector<std::int64_t> offsets = lanes.offsets;
  for (std::int64_t& o : offsets) o += by;
  return offsets;
}

bool is_fused_leaf(const BodyOp& op) { return !op.is_add && op.leaf == Leaf::fused; }

// The value of an addend that stands alone; *scale is that of its last operation, still to be
// applied.
Values addend(ValueBuilder& e, const RunLanes& lanes, const Addend& ops, const Place& place,
              Scale* scale) {
  std::vector<std::pair<Values, const BodyOp*>> stack;
  const auto waits = [&](const BodyOp& op) { return is_fused_leaf(op) && ops.size() > 1; };
  for (const BodyOp& op : ops) {
    if (!op.is_add) {
      const Leaf leaf = op.leaf == Leaf::fused ? Leaf::rounded : op.leaf;
      Values value;
      if (leaf == Leaf::zero)
        value = e.zeros(static_cast<int>(lanes.offsets.size()));
      else if (!waits(op))
        value = e.leaf(leaf, place, shifted(lanes, op.offset), op.scale, op.skip);
      stack.emplace_back(std::move(value), &op);
      continue;
    }
    const auto [right, right_op] = std::move(stack.back());
    stack.pop_back();
    auto& [left, left_op] = stack.back();
    left = e.taken(left, left_op->scale);
    left = waits(*right_op) ? e.fuse(op.format, left, place, shifted(lanes, right_op->offset),
                                     right_op->scale, right_op->skip)
                            : e.add(op.format, left, right, right_op->scale);
    left_op = &op;
  }
  *scale = stack.back().second->scale;
  return stack.back().first;
}

Values accumulate(ValueBuilder& e, const RunLanes& lanes, const Addend& ops, const Place& place,
                  const Values& sum) {
  const NodeFormat format = lanes.run.format;
  if (ops.size() == 1 && is_fused_leaf(ops[0]))
    return e.fuse(format, sum, place, shifted(lanes, ops[0].offset), ops[0].scale, ops[0].skip);
  Scale scale = Scale::none;
  const Values value = addend(e, lanes, ops, place, &scale);
  return e.add(format, sum, value, scale);
}

class RunBuilder {
 public:
  RunBuilder(ValueBuilder& values, const std::vector<RunLanes>& lanes, bool few_loops)
      : e_(values), b_(values.builder()), lanes_(lanes), few_loops_(few_loops) {}

  std::vector<Values> run() {
    std::vector<Values> sums;
    for (std::size_t k = 0; k < lanes_.size(); ++k) sums.push_back(start(k));
    const Layout& layout = e_.layout();
    const std::int64_t unrolled = !layout.unrolled ? 1
                                  : layout.is_tile ? unrolling_of_tile()
                                                   : unrolling();
    if (unrolled > 1) loop(unrolled, false, sums);
    loop(1, unrolled > 1, sums);
    return sums;
  }

 private:
  bool is_started() const { return lanes_[0].init.cells.empty(); }
  bool has_single_leaf(std::size_t k) const {
    return lanes_[k].run.body.size() == 1 && lanes_[k].run.body[0].size() == 1;
  }

  std::int64_t unrolling_of_tile() const {
    return has_single_leaf(0) && few_loops_ ? kTileUnrolled : 1;
  }

  // Enough independent loads per turn that the loop's own work vanishes, or a cache line of each of
  // several rows; more would only lengthen the remainder. A tail (a count without q) is short.
  std::int64_t unrolling() const {
    if (lanes_[0].run.count.q == 0 && lanes_[0].run.count.r != 0)
      return lanes_.size() == 1 && is_one_chain(0) ? 4 : 1;
    if (e_.cells() > 1) {
      const std::int64_t step = std::max<std::int64_t>(1, std::abs(lanes_[0].run.step));
      return std::clamp<std::int64_t>(kLineBits / (step * e_.bits_of(false)), 1, 4);
    }
    std::size_t vectors = 0;
    for (const RunLanes& l : lanes_) {
      const std::size_t bits = l.offsets.size() * e_.bits_of(l.run.format == NodeFormat::wide);
      std::size_t leaves = 0;
      for (const Addend& addend : l.run.body) leaves += (addend.size() + 1) / 2;
      vectors += std::max<std::size_t>(1, bits / b_.program().vector_bits) * leaves;
    }
    // Four vectors hide the latency of an addition as far as the order allows; a second trip in the
    // body would add loads but no independent work, and a remainder.
    return vectors >= 4 ? 1 : vectors >= 2 ? 2 : 4;
  }

  // One chain over neighbouring summands that are not fused: their products are independent, so
  // they are made as a vector and only the additions follow one another.
  bool is_one_chain(std::size_t k) const {
    const RunLanes& l = lanes_[k];
    if (e_.layout().is_tile || l.offsets.size() != 1 || l.run.step != 1 || !has_single_leaf(k))
      return false;
    const BodyOp& op = l.run.body[0][0];
    return op.is_summand() && op.scale == Scale::none && op.skip == Skip::none &&
           (op.leaf != Leaf::fused || !e_.layout().has_products);
  }

  Values add_chain(std::size_t k, const Place& place, std::int64_t count, Values sum) {
    const BodyOp& op = lanes_[k].run.body[0][0];
    std::vector<std::int64_t> offsets;
    for (std::int64_t u = 0; u < count; ++u) offsets.push_back(op.offset + u);
    const NodeFormat format = lanes_[k].run.format;
    const Leaf leaf = op.leaf == Leaf::fused ? Leaf::rounded : op.leaf;
    const Values products = e_.convert(e_.leaf(leaf, place, offsets), format == NodeFormat::wide);
    for (int u = 0; u < count; ++u) sum = e_.add(format, sum, e_.gather({{&products, u}}));
    return sum;
  }

  Values start(std::size_t k) {
    const RunLanes& l = lanes_[k];
    const bool wide = l.run.format == NodeFormat::wide;
    if (!is_started()) return e_.convert(l.init, wide);
    Scale scale = Scale::none;
    const Place place{l.run.at, 0};
    const Values first = addend(e_, l, l.run.body[0], place, &scale);
    Values sum = e_.convert(e_.taken(first, scale), wide);
    for (std::size_t a = 1; a < l.run.body.size(); ++a)
      sum = accumulate(e_, l, l.run.body[a], place, sum);
    return sum;
  }

  Place place(std::size_t k, std::int64_t u) const {
    const Run& run = lanes_[k].run;
    return {run.at + Linear{0, 0, spec::checked_product(run.step, u)}, run.step};
  }

  // One turn. In rows, a row's iterations follow one another, so that it uses up its cache lines at
  // once: rows are often a power of two apart, and then their lines evict one another.
  void iterate(std::int64_t unrolled, std::vector<Values>& sums) {
    if (unrolled > 1 && lanes_.size() == 1 && is_one_chain(0)) {
      sums[0] = add_chain(0, place(0, 0), unrolled, sums[0]);
    } else if (e_.layout().is_tile) {
      for (std::int64_t u = 0; u < unrolled; ++u)
        for (std::size_t k = 0; k < lanes_.size(); ++k)
          for (const Addend& ops : lanes_[k].run.body)
            sums[k] = accumulate(e_, lanes_[k], ops, place(k, u), sums[k]);
    } else {
      for (std::size_t row = 0; row < e_.cells(); ++row) iterate_row(row, unrolled, sums);
    }
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      for (std::size_t pair = 0; is_paired(k, unrolled) && pair < sums[k].cells.size(); ++pair)
        for (std::int64_t u = 0; u < unrolled; u += 2)
          sums[k].cells[pair] = add_pair(e_, lanes_[k], place(k, u), pair, sums[k].cells[pair]);
  }

  void iterate_row(std::size_t row, std::int64_t unrolled, std::vector<Values>& sums) {
    ValueBuilder one = e_.cell(row);
    for (std::int64_t u = 0; u < unrolled; ++u) {
      for (std::size_t k = 0; k < lanes_.size(); ++k) {
        if (is_paired(k, unrolled)) continue;
        Values sum{{sums[k].cells[row]}, sums[k].width, sums[k].wide};
        for (const Addend& ops : lanes_[k].run.body)
          sum = accumulate(one, lanes_[k], ops, place(k, u), sum);
        sums[k].cells[row] = sum.cells[0];
      }
    }
  }

  bool is_paired(std::size_t k, std::int64_t unrolled) const {
    return unrolled % 2 == 0 && can_pair_rows(e_, lanes_[k]);
  }

  // What iterations remain, `unrolled` in a turn.
  void loop(std::int64_t unrolled, bool goes_on, std::vector<Values>& sums) {
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      if (is_paired(k, unrolled)) sums[k] = join_rows(e_, sums[k]);
    Loop made;
    made.count = lanes_[0].run.count;
    made.first = is_started() ? 1 : 0;
    made.each = unrolled;
    made.goes_on = goes_on;
    for (const Values& sum : sums)
      made.starts.insert(made.starts.end(), sum.cells.begin(), sum.cells.end());
    const auto hand_over = [&](const std::vector<Id>& ids) {
      auto next = ids.begin();
      for (Values& sum : sums)
        for (Id& cell : sum.cells) cell = *next++;
    };
    const std::vector<Id> results = b_.loop(std::move(made), [&](const std::vector<Id>& carried) {
      hand_over(carried);
      iterate(unrolled, sums);
      std::vector<Id> yields;
      for (const Values& sum : sums)
        yields.insert(yields.end(), sum.cells.begin(), sum.cells.end());
      return yields;
    });
    hand_over(results);
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      if (is_paired(k, unrolled)) sums[k] = split_rows(e_, sums[k]);
  }

  ValueBuilder& e_;
  Builder& b_;
  const std::vector<RunLanes>& lanes_;
  const bool few_loops_;
};

}  // namespace

std::vector<Values> build_runs(ValueBuilder& values, const std::vector<RunLanes>& lanes,
                               bool few_loops) {
  return RunBuilder(values, lanes, few_loops).run();
}

}  // namespace reprosum::kernels::program
