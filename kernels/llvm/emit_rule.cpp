#include "kernels/llvm/emit_rule.h"

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "kernels/llvm/emit_plan.h"
#include "kernels/llvm/emit_values.h"

namespace reprosum::kernels {
namespace {

using llvm::BasicBlock;
using llvm::Value;

constexpr std::size_t kFewCases = 4;  // tested one after the other; more go through a switch

class RuleEmitter {
 public:
  RuleEmitter(llvm::Module& module, const RulePlan& plan, spec::Routine routine, spec::Type type,
              const FunctionShape& shape, const CodeTarget& target)
      : plan_(plan),
        shape_(shape),
        bits_(target.vector_bits),
        has_y_(routine == spec::Routine::dot),
        b_(module.getContext()),
        narrow_(type == spec::Type::f32 ? b_.getFloatTy() : b_.getDoubleTy()) {
    llvm::Type* p = b_.getPtrTy();
    llvm::Type* i = b_.getInt64Ty();
    result_ = plan.is_wide ? b_.getDoubleTy() : narrow_;
    auto* signature = shape.rows > 0
                          ? llvm::FunctionType::get(b_.getVoidTy(), {p, i, p, i, i, p}, false)
                      : shape.strided ? llvm::FunctionType::get(result_, {p, i, p, i, i}, false)
                                      : llvm::FunctionType::get(result_, {p, p, i}, false);
    function_ =
        llvm::Function::Create(signature, llvm::Function::ExternalLinkage, shape.name, module);
    set_target(*function_, target);
  }

  void run() {
    b_.SetInsertPoint(block("entry"));
    set_arguments();
    if (plan_.block == 0) return dispatch(n_, plan_.hot, StartedRuns());
    Value* size = b_.getInt64(static_cast<std::uint64_t>(plan_.block));
    q_ = b_.CreateUDiv(n_, size);
    r_ = b_.CreateSub(n_, b_.CreateMul(q_, size));
    BasicBlock* hot = block("hot");
    auto* by_q = b_.CreateSwitch(q_, hot);
    for (std::size_t k = 0; k < plan_.cold.size();) {
      std::vector<Plan> plans;
      const std::int64_t q = plan_.cold[k].domain.q_lo;
      for (; k < plan_.cold.size() && plan_.cold[k].domain.q_lo == q; ++k)
        plans.push_back(plan_.cold[k]);
      BasicBlock* cold = block("cold");
      by_q->addCase(b_.getInt64(static_cast<std::uint64_t>(q)), cold);
      b_.SetInsertPoint(cold);
      dispatch(r_, plans, StartedRuns());
    }
    b_.SetInsertPoint(hot);
    // The main loop is the same for most residues: then it is emitted once, before the dispatch.
    StartedRuns shared;
    std::vector<Run> runs = StartedRuns::of(plan_.hot[0]);
    for (const Plan& plan : plan_.hot)
      if (StartedRuns::of(plan) != runs) runs.clear();
    if (plan_.hot.size() > 1 && !runs.empty()) {
      ValueEmitter emitter = values();
      shared.emit(emitter, runs, bits_);
    }
    dispatch(r_, plan_.hot, shared);
  }

 private:
  BasicBlock* block(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, function_);
  }

  void set_arguments() {
    if (shape_.strided) {
      x_ = {function_->getArg(0)};
      if (has_y_) y_ = {function_->getArg(2)};
      n_ = function_->getArg(4);
      return;
    }
    if (shape_.rows == 0) {
      x_ = {function_->getArg(0)};
      if (has_y_) y_ = {function_->getArg(1)};
      n_ = function_->getArg(2);
      return;
    }
    n_ = function_->getArg(4);
    for (int row = 0; row < shape_.rows; ++row) {
      Value* i = b_.getInt64(static_cast<std::uint64_t>(row));
      x_.push_back(
          b_.CreateGEP(narrow_, function_->getArg(0), b_.CreateMul(function_->getArg(1), i)));
      if (!has_y_) continue;
      y_.push_back(shape_.shared_y ? function_->getArg(2)
                                   : b_.CreateGEP(narrow_, function_->getArg(2),
                                                  b_.CreateMul(function_->getArg(3), i)));
    }
  }

  ValueEmitter values() {
    ValueEmitter made(b_, narrow_, x_, y_, q_, r_);
    if (shape_.strided) made.set_steps(function_->getArg(1), function_->getArg(3));
    return made;
  }

  // Code that chooses a plan by `selector`, which lies in the union of the plans' r ranges.
  void dispatch(Value* selector, const std::vector<Plan>& plans, const StartedRuns& shared) {
    std::vector<BasicBlock*> targets;
    for (std::size_t k = 0; k < plans.size(); ++k) targets.push_back(block("case"));
    if (plans.size() <= kFewCases) {
      for (std::size_t k = 0; k + 1 < plans.size(); ++k) {
        BasicBlock* next = block("next");
        Value* last = b_.getInt64(static_cast<std::uint64_t>(plans[k].domain.r_hi));
        b_.CreateCondBr(b_.CreateICmpULE(selector, last), targets[k], next);
        b_.SetInsertPoint(next);
      }
      b_.CreateBr(targets.back());
    } else {
      auto* by_r = b_.CreateSwitch(selector, targets.back());
      for (std::size_t k = 0; k + 1 < plans.size(); ++k)
        for (std::int64_t r = plans[k].domain.r_lo; r <= plans[k].domain.r_hi; ++r)
          by_r->addCase(b_.getInt64(static_cast<std::uint64_t>(r)), targets[k]);
    }
    for (std::size_t k = 0; k < plans.size(); ++k) {
      b_.SetInsertPoint(targets[k]);
      finish(plans[k], shared);
    }
  }

  void finish(const Plan& plan, const StartedRuns& shared) {
    ValueEmitter emitter = values();
    Values root = plan.nodes.empty() ? emitter.zeros(1) : emit_plan(emitter, plan, shared, bits_);
    if (shape_.rows == 0) {
      b_.CreateRet(emitter.convert(root, plan_.is_wide).rows[0]);
      return;
    }
    root = emitter.convert(root, false);
    for (int row = 0; row < shape_.rows; ++row)
      b_.CreateAlignedStore(
          root.rows[static_cast<std::size_t>(row)],
          b_.CreateConstGEP1_64(narrow_, function_->getArg(5), static_cast<std::uint64_t>(row)),
          llvm::Align(narrow_->getPrimitiveSizeInBits() / 8));
    b_.CreateRetVoid();
  }

  const RulePlan& plan_;
  const FunctionShape& shape_;
  const unsigned bits_;
  const bool has_y_;
  llvm::IRBuilder<> b_;
  llvm::Type* narrow_;
  llvm::Type* result_ = nullptr;
  llvm::Function* function_ = nullptr;
  std::vector<Value*> x_, y_;
  Value *n_ = nullptr, *q_ = nullptr, *r_ = nullptr;
};

}  // namespace

void emit_rule(llvm::Module& module, const RulePlan& plan, spec::Routine routine, spec::Type type,
               const FunctionShape& shape, const CodeTarget& target) {
  RuleEmitter(module, plan, routine, type, shape, target).run();
}

}  // namespace reprosum::kernels
