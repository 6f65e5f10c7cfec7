// Outputs whose summands lie side by side: some rows at a time, each in the lanes of its order.
//
// A tile of vectors of outputs would have to transpose the matrix first, which takes longer than
// the sums of one product by a vector.
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "kernels/llvm/emit_plan.h"
#include "kernels/llvm/emit_values.h"
#include "kernels/matrix/tile.h"

namespace reprosum::kernels {
namespace {

using llvm::BasicBlock;
using llvm::Value;
using Kind = PlanNode::Kind;
using spec::Format;
using spec::Scale;

constexpr int kAccumulators = 8;  // vectors that hide the latency of an addition

// Bits of all lanes of the runs that start from nothing: what a row has of independent sums.
std::size_t lane_bits(const Plan& plan, spec::Type type) {
  std::size_t runs = 0;
  for (const PlanNode& node : plan.nodes) {
    if (node.kind != Kind::run) continue;
    const bool begins = node.left < 0 || plan.nodes[std::size_t(node.left)].kind == Kind::zero;
    runs += begins ? 1 : 0;
  }
  return std::max<std::size_t>(1, runs) * (type == spec::Type::f32 ? 32 : 64);
}

class RowsEmitter {
 public:
  RowsEmitter(llvm::Module& module, const Plan& plan, spec::Type type, const TileShape& shape,
              const std::string& name, const CodeTarget& target)
      : plan_(plan),
        shape_(shape),
        target_(narrowed(target, lane_bits(plan, type))),
        b_(module.getContext()),
        element_(type == spec::Type::f32 ? b_.getFloatTy() : b_.getDoubleTy()) {
    auto* signature = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false);
    function_ = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, name, module);
    set_target(*function_, target_);
  }

  // Full groups of rows, one after the other.
  void run() {
    using Call = TileCall<double>;
    llvm::Type *p = b_.getPtrTy(), *i = b_.getInt64Ty();
    b_.SetInsertPoint(block("entry"));
    Value* const first = field(p, offsetof(Call, vector));
    Value* const row_step = field(i, offsetof(Call, vector_row));
    Value* const y = field(p, offsetof(Call, scalar));
    Value* const q = field(i, offsetof(Call, q));
    Value* const r = field(i, offsetof(Call, r));
    Value* const c = field(p, offsetof(Call, c));
    Value* const c_step = field(i, offsetof(Call, c_column));
    Value* const down = field(i, offsetof(Call, down));
    UpdateValues update;
    update.alpha = field(element_, offsetof(Call, alpha));
    update.beta = field(element_, offsetof(Call, beta));
    update.first_is_x = shape_.vector_is_x;
    BasicBlock *const before = b_.GetInsertBlock(), *const body = block("rows"),
                      *const after = block("done");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    auto* const row = b_.CreatePHI(i, 2);
    row->addIncoming(b_.getInt64(0), before);
    std::vector<Value*> xs, ys(std::size_t(shape_.rows), y);
    for (int k = 0; k < shape_.rows; ++k) {
      Value* const at = b_.CreateAdd(row, b_.getInt64(std::uint64_t(k)));
      xs.push_back(b_.CreateGEP(element_, first, b_.CreateMul(at, row_step)));
      update.c.push_back(b_.CreateGEP(element_, c, b_.CreateMul(at, c_step)));
    }
    ValueEmitter values(b_, element_, xs, ys, q, r);
    values.set_update(update);
    const Values sum = emit_plan(values, plan_, StartedRuns(), target_.vector_bits);
    const Values result = finish(values, values.taken(sum, plan_.nodes.back().scale));
    const llvm::Align align(element_->getPrimitiveSizeInBits() / 8);
    for (std::size_t k = 0; k < update.c.size(); ++k)
      b_.CreateAlignedStore(result.rows[k], update.c[k], align);
    Value* const next = b_.CreateAdd(row, b_.getInt64(std::uint64_t(shape_.rows)));
    row->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, down), body, after);
    b_.SetInsertPoint(after);
    b_.CreateRetVoid();
  }

 private:
  BasicBlock* block(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, function_);
  }

  Value* field(llvm::Type* type, std::size_t offset) {
    Value* at = b_.CreateConstGEP1_64(b_.getInt8Ty(), function_->getArg(0), offset);
    return b_.CreateAlignedLoad(type, at, llvm::Align(8));
  }

  Values finish(ValueEmitter& e, const Values& value) {
    switch (shape_.ending) {
      case Ending::store:
        return value;
      case Ending::scaled:
        return e.taken(value, Scale::rounded);
      case Ending::fuse_output:
        return e.fuse_output(value);
      case Ending::scaled_fuse:
        return e.fuse_output(e.taken(value, Scale::rounded));
      case Ending::add:
        return e.add(Format::narrow, e.sum_so_far(), value);
      case Ending::add_scaled:
        return e.add(Format::narrow, e.sum_so_far(), value, Scale::rounded);
      case Ending::fuse_scaled:
        return e.add(Format::narrow, e.sum_so_far(), value, Scale::fused);
    }
    return value;
  }

  const Plan& plan_;
  const TileShape& shape_;
  const CodeTarget target_;
  llvm::IRBuilder<> b_;
  llvm::Type* element_;
  llvm::Function* function_ = nullptr;
};

}  // namespace

int rows_at_once(const Plan& plan, spec::Type type, const CodeTarget& target) {
  for (const PlanNode& node : plan.nodes)
    if (node.skip != spec::Skip::none) return 0;
  for (const Run& run : plan.runs)
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (op.skip != spec::Skip::none) return 0;
  const std::size_t bits = lane_bits(plan, type);
  const unsigned vector_bits = narrowed(target, bits).vector_bits;
  const std::size_t vectors = (bits + vector_bits - 1) / vector_bits;
  int rows = kAccumulators;
  while (rows > 1 && vectors * std::size_t(rows) > kAccumulators) rows /= 2;
  return rows;
}

void emit_rows(llvm::Module& module, const Plan& plan, spec::Type type, const TileShape& shape,
               const std::string& name, const CodeTarget& target) {
  RowsEmitter(module, plan, type, shape, name, target).run();
}

}  // namespace reprosum::kernels
