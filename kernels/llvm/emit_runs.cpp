#include "kernels/llvm/emit_runs.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kernels/llvm/emit_row_pairs.h"

namespace reprosum::kernels {
namespace {

using llvm::Value;
using spec::Format;
using spec::Leaf;
using spec::Scale;

constexpr std::int64_t kLineBits = 512;  // of the cache

std::vector<std::int64_t> shifted(const RunLanes& lanes, std::int64_t by) {
  std::vector<std::int64_t> offsets = lanes.offsets;
  for (std::int64_t& o : offsets) o += by;
  return offsets;
}

// The value of an addend that stands alone; *scale is that of its last operation, still to be
// applied.
Values addend(ValueEmitter& e, const RunLanes& lanes, const Addend& ops, Value* index,
              Scale* scale) {
  std::vector<std::pair<Values, const BodyOp*>> stack;
  const auto waits = [&](const BodyOp& op) {
    return !op.is_add && op.leaf == Leaf::fused && ops.size() > 1;
  };
  for (const BodyOp& op : ops) {
    if (!op.is_add) {
      const Leaf leaf = op.leaf == Leaf::fused ? Leaf::rounded : op.leaf;
      Values value;
      if (leaf == Leaf::zero)
        value = e.zeros(static_cast<int>(lanes.offsets.size()));
      else if (!waits(op))
        value = e.leaf(leaf, index, shifted(lanes, op.offset), op.scale);
      stack.emplace_back(std::move(value), &op);
      continue;
    }
    const auto [right, right_op] = std::move(stack.back());
    stack.pop_back();
    auto& [left, left_op] = stack.back();
    left = e.taken(left, left_op->scale);
    left = waits(*right_op)
               ? e.fuse(op.format, left, index, shifted(lanes, right_op->offset), right_op->scale)
               : e.add(op.format, left, right, right_op->scale);
    left_op = &op;
  }
  *scale = stack.back().second->scale;
  return stack.back().first;
}

Values accumulate(ValueEmitter& e, const RunLanes& lanes, const Addend& ops, Value* index,
                  const Values& sum) {
  const Format format = lanes.run.format;
  if (ops.size() == 1 && ops[0].leaf == Leaf::fused)
    return e.fuse(format, sum, index, shifted(lanes, ops[0].offset), ops[0].scale);
  Scale scale = Scale::none;
  const Values value = addend(e, lanes, ops, index, &scale);
  return e.add(format, sum, value, scale);
}

class RunEmitter {
 public:
  RunEmitter(ValueEmitter& emitter, const std::vector<RunLanes>& lanes, unsigned vector_bits)
      : e_(emitter), b_(emitter.builder()), lanes_(lanes), vector_bits_(vector_bits) {}

  std::vector<Values> run() {
    for (const RunLanes& l : lanes_) bases_.push_back(e_.place(l.run.at));
    std::vector<Values> sums;
    for (std::size_t k = 0; k < lanes_.size(); ++k) sums.push_back(start(k));
    const bool started = lanes_[0].init.rows.empty();
    const spec::Linear& count = lanes_[0].run.count;
    Value* zero = b_.getInt64(0);
    Value* iterations = b_.CreateSub(e_.place(count), b_.getInt64(started ? 1 : 0));
    iterations = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, iterations, zero);
    const int unrolled = unrolling();
    Value* done = b_.getInt64(started ? 1 : 0);
    if (unrolled > 1) {
      Value* const each = b_.getInt64(static_cast<std::uint64_t>(unrolled));
      Value* trips = b_.CreateUDiv(iterations, each);
      iterations = b_.CreateSub(iterations, b_.CreateMul(trips, each));
      loop(trips, unrolled, done, sums);
      done = b_.CreateAdd(done, b_.CreateMul(trips, each));
    }
    loop(iterations, 1, done, sums);
    return sums;
  }

 private:
  // Enough independent loads per trip that the loop's own work vanishes, or a cache line of each of
  // several rows; more would only lengthen the remainder. A tail (a count without q) is short.
  int unrolling() const {
    if (lanes_[0].run.count.q == 0 && lanes_[0].run.count.r != 0)
      return lanes_.size() == 1 && is_one_chain(0) ? 4 : 1;
    if (e_.rows() > 1) {
      const std::int64_t step = std::max<std::int64_t>(1, std::abs(lanes_[0].run.step));
      return static_cast<int>(
          std::clamp<std::int64_t>(kLineBits / (step * e_.bits_of(false)), 1, 4));
    }
    std::size_t vectors = 0;
    for (const RunLanes& l : lanes_) {
      const std::size_t bits = l.offsets.size() * e_.bits_of(l.run.format == Format::wide);
      std::size_t leaves = 0;
      for (const Addend& addend : l.run.body) leaves += (addend.size() + 1) / 2;
      vectors += std::max<std::size_t>(1, bits / vector_bits_) * leaves;
    }
    // Four vectors hide the latency of an addition as far as the order allows; a second trip in the
    // body would add loads but no independent work, and a remainder.
    return vectors >= 4 ? 1 : vectors >= 2 ? 2 : 4;
  }

  // One chain over neighbouring summands that are not fused: their products are independent, so
  // they are made as a vector and only the additions follow one another.
  bool is_one_chain(std::size_t k) const {
    const RunLanes& l = lanes_[k];
    return l.offsets.size() == 1 && l.run.step == 1 && l.run.body.size() == 1 &&
           l.run.body[0].size() == 1 && l.run.body[0][0].is_summand() &&
           l.run.body[0][0].scale == Scale::none &&
           (l.run.body[0][0].leaf != Leaf::fused || !e_.has_products());
  }

  Values add_chain(std::size_t k, Value* index, int count, Values sum) {
    const BodyOp& op = lanes_[k].run.body[0][0];
    std::vector<std::int64_t> offsets;
    for (int u = 0; u < count; ++u) offsets.push_back(op.offset + u);
    const Format format = lanes_[k].run.format;
    const Values products =
        e_.convert(e_.leaf(op.leaf == Leaf::fused ? Leaf::rounded : op.leaf, index, offsets),
                   format == Format::wide);
    for (int u = 0; u < count; ++u) sum = e_.add(format, sum, e_.gather({{&products, u}}));
    return sum;
  }

  Values start(std::size_t k) {
    const RunLanes& l = lanes_[k];
    const bool wide = l.run.format == Format::wide;
    if (!l.init.rows.empty()) return e_.convert(l.init, wide);
    Scale scale = Scale::none;
    const Values first = addend(e_, l, l.run.body[0], bases_[k], &scale);
    Values sum = e_.convert(e_.taken(first, scale), wide);
    for (std::size_t a = 1; a < l.run.body.size(); ++a)
      sum = accumulate(e_, l, l.run.body[a], bases_[k], sum);
    return sum;
  }

  // One trip. A row's iterations follow one another, so that it uses up its cache lines at once:
  // rows are often a power of two apart, and then their lines evict one another.
  void iterate(Value* trip, int unrolled, const std::vector<Value*>& first,
               std::vector<Values>& sums) {
    const auto index = [&](std::size_t k, int u) {
      const std::int64_t step = lanes_[k].run.step;
      Value* start =
          b_.CreateAdd(first[k], b_.CreateMul(trip, b_.getInt64(std::uint64_t(step * unrolled))));
      return b_.CreateAdd(start, b_.getInt64(std::uint64_t(step * u)));
    };
    if (unrolled > 1 && lanes_.size() == 1 && is_one_chain(0)) {
      sums[0] = add_chain(0, index(0, 0), unrolled, sums[0]);
      return;
    }
    for (std::size_t row = 0; row < e_.rows(); ++row) {
      ValueEmitter one = e_.row(row);
      for (int u = 0; u < unrolled; ++u) {
        for (std::size_t k = 0; k < lanes_.size(); ++k) {
          if (is_paired(k, unrolled)) continue;
          Values sum{{sums[k].rows[row]}, sums[k].width, sums[k].wide};
          for (const Addend& ops : lanes_[k].run.body)
            sum = accumulate(one, lanes_[k], ops, index(k, u), sum);
          sums[k].rows[row] = sum.rows[0];
        }
      }
    }
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      for (std::size_t pair = 0; is_paired(k, unrolled) && pair < sums[k].rows.size(); ++pair)
        for (int u = 0; u < unrolled; u += 2)
          accumulate_pair(e_, lanes_[k], index(k, u), pair, sums[k]);
  }

  bool is_paired(std::size_t k, int unrolled) const {
    return unrolled % 2 == 0 && can_pair_rows(e_, lanes_[k]);
  }

  // `trips` times `unrolled` iterations, from iteration `done` on.
  void loop(Value* trips, int unrolled, Value* done, std::vector<Values>& sums) {
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    llvm::BasicBlock* before = b_.GetInsertBlock();
    auto* body = llvm::BasicBlock::Create(b_.getContext(), "loop", function);
    auto* after = llvm::BasicBlock::Create(b_.getContext(), "done", function);
    std::vector<Value*> first;  // index of the first iteration, per lanes
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      first.push_back(b_.CreateAdd(
          bases_[k], b_.CreateMul(done, b_.getInt64(std::uint64_t(lanes_[k].run.step)))));
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      if (is_paired(k, unrolled)) sums[k] = join_rows(e_, sums[k]);
    b_.CreateCondBr(b_.CreateICmpSGT(trips, b_.getInt64(0)), body, after);

    b_.SetInsertPoint(body);
    auto* trip = b_.CreatePHI(b_.getInt64Ty(), 2, "trip");
    trip->addIncoming(b_.getInt64(0), before);
    const std::vector<Values> entered = sums;
    std::vector<std::vector<llvm::PHINode*>> phis;
    for (Values& sum : sums) {
      phis.emplace_back();
      for (Value*& row : sum.rows) {
        auto* phi = b_.CreatePHI(row->getType(), 2);
        phi->addIncoming(row, before);
        row = phi;
        phis.back().push_back(phi);
      }
    }
    iterate(trip, unrolled, first, sums);
    Value* next = b_.CreateAdd(trip, b_.getInt64(1));
    trip->addIncoming(next, b_.GetInsertBlock());
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (std::size_t row = 0; row < sums[k].rows.size(); ++row)
        phis[k][row]->addIncoming(sums[k].rows[row], b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, trips), body, after);

    b_.SetInsertPoint(after);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      for (std::size_t row = 0; row < sums[k].rows.size(); ++row) {
        auto* phi = b_.CreatePHI(sums[k].rows[row]->getType(), 2);
        phi->addIncoming(entered[k].rows[row], before);
        phi->addIncoming(sums[k].rows[row], body);
        sums[k].rows[row] = phi;
      }
    }
    for (std::size_t k = 0; k < lanes_.size(); ++k)
      if (is_paired(k, unrolled)) sums[k] = split_rows(e_, sums[k]);
  }

  ValueEmitter& e_;
  llvm::IRBuilder<>& b_;
  const std::vector<RunLanes>& lanes_;
  const unsigned vector_bits_;
  std::vector<Value*> bases_;
};

}  // namespace

std::vector<Values> emit_runs(ValueEmitter& emitter, const std::vector<RunLanes>& lanes,
                              unsigned vector_bits) {
  return RunEmitter(emitter, lanes, vector_bits).run();
}

}  // namespace reprosum::kernels
