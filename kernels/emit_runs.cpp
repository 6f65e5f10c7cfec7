#include "kernels/emit_runs.h"

#include <algorithm>
#include <utility>

namespace reprosum::kernels {
namespace {

using llvm::Value;
using spec::Format;
using spec::Leaf;

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
  // Enough independent loads per trip that the loop's own work vanishes; more would only lengthen
  // the remainder. A tail (a count without q) is short.
  int unrolling() const {
    if (lanes_[0].run.count.q == 0 && lanes_[0].run.count.r != 0)
      return lanes_.size() == 1 && is_one_chain(0) ? 4 : 1;
    std::size_t vectors = 0;
    for (const RunLanes& l : lanes_) {
      const std::size_t bits = l.offsets.size() * e_.bits_of(l.run.format == Format::wide);
      std::size_t leaves = 0;
      for (const Addend& addend : l.run.body) leaves += (addend.size() + 1) / 2;
      vectors += std::max<std::size_t>(1, bits / vector_bits_) * leaves * e_.rows();
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
           l.run.body[0].size() == 1 &&
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
    Values sum = e_.convert(addend(k, l.run.body[0], bases_[k]), wide);
    for (std::size_t a = 1; a < l.run.body.size(); ++a)
      sum = accumulate(k, l.run.body[a], bases_[k], sum);
    return sum;
  }

  std::vector<std::int64_t> shifted(std::size_t k, std::int64_t by) const {
    std::vector<std::int64_t> offsets = lanes_[k].offsets;
    for (std::int64_t& o : offsets) o += by;
    return offsets;
  }

  // The value of an addend that stands alone.
  Values addend(std::size_t k, const Addend& ops, Value* index) {
    std::vector<Values> stack;
    std::vector<const BodyOp*> waiting;  // per value: the fused leaf it is, or nullptr
    for (const BodyOp& op : ops) {
      if (!op.is_add) {
        const bool fused = op.leaf == Leaf::fused && ops.size() > 1;
        stack.push_back(fused ? Values{}
                              : e_.leaf(op.leaf == Leaf::fused ? Leaf::rounded : op.leaf, index,
                                        shifted(k, op.offset)));
        waiting.push_back(fused ? &op : nullptr);
        continue;
      }
      const Values right = stack.back();
      const BodyOp* fused = waiting.back();
      stack.pop_back();
      waiting.pop_back();
      stack.back() = fused != nullptr
                         ? e_.fuse(op.format, stack.back(), index, shifted(k, fused->offset))
                         : e_.add(op.format, stack.back(), right);
    }
    return stack.back();
  }

  Values accumulate(std::size_t k, const Addend& ops, Value* index, const Values& sum) {
    const Format format = lanes_[k].run.format;
    if (ops.size() == 1 && ops[0].leaf == Leaf::fused)
      return e_.fuse(format, sum, index, shifted(k, ops[0].offset));
    return e_.add(format, sum, addend(k, ops, index));
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
    const bool one_chain = unrolled > 1 && lanes_.size() == 1 && is_one_chain(0);
    if (one_chain) {
      Value* index = b_.CreateAdd(
          first[0], b_.CreateMul(trip, b_.getInt64(static_cast<std::uint64_t>(unrolled))));
      sums[0] = add_chain(0, index, unrolled, sums[0]);
    }
    for (int u = 0; u < (one_chain ? 0 : unrolled); ++u) {
      for (std::size_t k = 0; k < lanes_.size(); ++k) {
        const std::int64_t step = lanes_[k].run.step;
        Value* index =
            b_.CreateAdd(first[k], b_.CreateMul(trip, b_.getInt64(std::uint64_t(step * unrolled))));
        index = b_.CreateAdd(index, b_.getInt64(std::uint64_t(step * u)));
        for (const Addend& ops : lanes_[k].run.body) sums[k] = accumulate(k, ops, index, sums[k]);
      }
    }
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
