#include "kernels/llvm/print_program.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/llvm/addresses.h"
#include "kernels/llvm/function_form.h"
#include "kernels/llvm/lanes.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

using llvm::BasicBlock;
using llvm::Value;
using program::Access;
using program::Block;
using program::Id;
using program::Instruction;
using program::Op;
using program::ValueType;

constexpr std::size_t kFewCases = 4;  // tested one after the other; more go through a switch

class Printer {
 public:
  Printer(llvm::Module& module, const program::Program& program, const CodeTarget& target)
      : p_(program),
        b_(module.getContext()),
        element_(spec::is_f32(program.type) ? b_.getFloatTy() : b_.getDoubleTy()),
        align_(element_->getPrimitiveSizeInBits() / 8),
        values_(static_cast<std::size_t>(program.values)),
        function_(make_function(module, b_, program, element_)) {
    set_target(*function_, target);
  }

  void run() {
    entry_ = block("entry");
    b_.SetInsertPoint(entry_);
    arguments_ = arguments_of(*function_, b_, p_, element_);
    Addresses addresses(b_, p_, element_, arguments_);
    addresses_ = &addresses;
    if (p_.repeats) return repeat();
    print(p_.body);
    if (p_.form == program::Form::tile) b_.CreateRetVoid();
  }

 private:
  BasicBlock* block(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, function_);
  }
  llvm::Type* type_of(ValueType type) {
    llvm::Type* const element = type.wide ? b_.getDoubleTy() : element_;
    return type.lanes == 1 ? element
                           : llvm::FixedVectorType::get(element, static_cast<unsigned>(type.lanes));
  }
  Value*& value(Id id) { return values_[static_cast<std::size_t>(id)]; }
  Value* constant(std::int64_t number) { return b_.getInt64(static_cast<std::uint64_t>(number)); }

  // Full groups of outputs, one after the other; the call has at least one.
  void repeat() {
    BasicBlock *const before = b_.GetInsertBlock(), *const body = block("rows"),
                      *const after = block("done");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    auto* const row = b_.CreatePHI(b_.getInt64Ty(), 2);
    row->addIncoming(constant(0), before);
    addresses_->set_first_output(row);
    print(p_.body);
    Value* const next = b_.CreateAdd(row, constant(p_.down));
    row->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, arguments_.outputs), body, after);
    b_.SetInsertPoint(after);
    b_.CreateRetVoid();
  }

  void print(const Block& instructions) {
    for (const Instruction& i : instructions) print(i);
    // A batch ends where its values are stored; other blocks without an end are bodies of loops.
    if (p_.form == program::Form::batch && !instructions.empty() &&
        instructions.back().op == Op::store)
      b_.CreateRetVoid();
  }

  void print(const Instruction& i) {
    const auto arg = [&](std::size_t k) { return value(i.args[k]); };
    switch (i.op) {
      case Op::constant:
        value(i.id) = llvm::ConstantFP::get(type_of(i.type), i.number);
        return;
      case Op::alpha:
        value(i.id) = in_every_lane(arguments_.alpha, i.type.lanes);
        return;
      case Op::beta:
        value(i.id) = in_every_lane(arguments_.beta, i.type.lanes);
        return;
      case Op::load:
        value(i.id) = load(i.access);
        return;
      case Op::store:
        return store(arg(0), i.access);
      case Op::spread:
        value(i.id) = b_.CreateVectorSplat(static_cast<unsigned>(i.type.lanes), arg(0));
        return;
      case Op::gather:
        value(i.id) = gather(i);
        return;
      case Op::add:
        value(i.id) = b_.CreateFAdd(arg(0), arg(1));
        return;
      case Op::multiply:
        value(i.id) = b_.CreateFMul(arg(0), arg(1));
        return;
      case Op::fuse:
        value(i.id) =
            b_.CreateIntrinsic(llvm::Intrinsic::fma, {arg(2)->getType()}, {arg(0), arg(1), arg(2)});
        return;
      case Op::widen:
        value(i.id) = b_.CreateFPExt(arg(0), type_of(i.type));
        return;
      case Op::narrow:
        value(i.id) = b_.CreateFPTrunc(arg(0), type_of(i.type));
        return;
      case Op::if_zero: {
        Value* const zero = llvm::Constant::getNullValue(type_of(i.type));
        value(i.id) = b_.CreateSelect(b_.CreateFCmpOEQ(arg(0), zero), arg(1), arg(2));
        return;
      }
      case Op::loop:
        return loop(i);
      case Op::choose:
        return choose(i);
      case Op::give:
        b_.CreateRet(arg(0));
        return;
    }
  }

  // alpha and beta as vectors, once for the function.
  Value* in_every_lane(Value* scalar, int lanes) {
    if (lanes == 1) return scalar;
    Value*& known = spread_[{scalar, lanes}];
    if (known == nullptr) {
      const llvm::IRBuilder<>::InsertPointGuard guard(b_);
      b_.SetInsertPoint(entry_, entry_->getTerminator() != nullptr
                                    ? entry_->getTerminator()->getIterator()
                                    : entry_->end());
      known = b_.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
    }
    return known;
  }

  // ---- memory ----

  // Which of the lanes of a vector of outputs exist.
  Value* mask(const Access& access) {
    Value*& known = masks_[access.down];
    if (known != nullptr) return known;
    llvm::Type* const lane =
        b_.getIntNTy(static_cast<unsigned>(element_->getPrimitiveSizeInBits()));
    std::vector<llvm::Constant*> numbers;
    for (int w = 0; w < access.outputs; ++w)
      numbers.push_back(llvm::ConstantInt::get(lane, static_cast<std::uint64_t>(access.down + w)));
    const llvm::IRBuilder<>::InsertPointGuard guard(b_);
    b_.SetInsertPoint(entry_, entry_->getTerminator() != nullptr
                                  ? entry_->getTerminator()->getIterator()
                                  : entry_->end());
    Value* const down = b_.CreateVectorSplat(static_cast<unsigned>(access.outputs),
                                             b_.CreateTrunc(arguments_.outputs, lane));
    return known = b_.CreateICmpSLT(llvm::ConstantVector::get(numbers), down);
  }

  Value* load(const Access& access) {
    if (access.outputs > 1) {
      llvm::Type* const type = type_of({false, access.outputs});
      Value* const at = addresses_->of(access, 0);
      if (!access.masked) return b_.CreateAlignedLoad(type, at, align_);
      return b_.CreateMaskedLoad(type, at, align_, mask(access),
                                 llvm::Constant::getNullValue(type));
    }
    return load_lanes(b_, *addresses_, access, element_, align_);
  }

  void store(Value* stored, const Access& access) {
    Value* const at = addresses_->of(access, 0);
    if (access.masked)
      b_.CreateMaskedStore(stored, at, align_, mask(access));
    else
      b_.CreateAlignedStore(stored, at, align_);
  }

  Value* gather(const Instruction& i) {
    std::vector<std::pair<Value*, int>> lanes;
    for (const auto& [from, lane] : i.picks) lanes.emplace_back(value(from), lane);
    return gathered(b_, lanes);
  }

  // ---- control ----

  void loop(const Instruction& i) {
    const program::Loop& loop = i.loop;
    Value* const each = constant(loop.each);
    if (!loop.goes_on) {
      done_ = constant(loop.first);
      Value* const left = b_.CreateSub(addresses_->number(loop.count), done_);
      left_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, left, constant(0));
    }
    Value* trips = left_;
    addresses_->prepare(i, done_);
    if (loop.each > 1) {
      trips = b_.CreateUDiv(left_, each);
      left_ = b_.CreateSub(left_, b_.CreateMul(trips, each));
      done_ = b_.CreateAdd(done_, b_.CreateMul(trips, each));
    }
    BasicBlock* const before = b_.GetInsertBlock();
    BasicBlock* const body = block("loop");
    BasicBlock* const after = block("after");
    b_.CreateCondBr(b_.CreateICmpSGT(trips, constant(0)), body, after);

    b_.SetInsertPoint(body);
    addresses_->enter(before);
    std::vector<llvm::PHINode*> phis;
    for (std::size_t k = 0; k < loop.starts.size(); ++k) {
      phis.push_back(b_.CreatePHI(value(loop.starts[k])->getType(), 2));
      phis.back()->addIncoming(value(loop.starts[k]), before);
      value(loop.carried[k]) = phis.back();
    }
    for (const Instruction& inner : i.blocks[0]) print(inner);
    for (std::size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(value(loop.yields[k]), body);
    addresses_->turn(trips, body, after);

    b_.SetInsertPoint(after);
    addresses_->leave(before, body);
    for (std::size_t k = 0; k < loop.starts.size(); ++k) {
      auto* const result = b_.CreatePHI(phis[k]->getType(), 2);
      result->addIncoming(value(loop.starts[k]), before);
      result->addIncoming(value(loop.yields[k]), body);
      value(loop.results[k]) = result;
    }
  }

  void choose(const Instruction& i) {
    Value* const selector = i.choice.by_q ? arguments_.q : arguments_.r;
    const auto& ranges = i.choice.ranges;
    std::vector<BasicBlock*> targets;
    for (std::size_t k = 0; k < ranges.size(); ++k) targets.push_back(block("case"));
    // The ranges hold every value that there is: nobody asks for the last one.
    if (ranges.size() <= kFewCases && !i.choice.by_q) {
      for (std::size_t k = 0; k + 1 < ranges.size(); ++k) {
        BasicBlock* const next = block("next");
        b_.CreateCondBr(b_.CreateICmpULE(selector, constant(ranges[k].hi)), targets[k], next);
        b_.SetInsertPoint(next);
      }
      b_.CreateBr(targets.back());
    } else {
      auto* const choice = b_.CreateSwitch(selector, targets.back());
      for (std::size_t k = 0; k + 1 < ranges.size(); ++k)
        for (std::int64_t n = ranges[k].lo; n <= ranges[k].hi; ++n)
          choice->addCase(b_.getInt64(static_cast<std::uint64_t>(n)), targets[k]);
    }
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      b_.SetInsertPoint(targets[k]);
      print(i.blocks[k]);
    }
  }

  const program::Program& p_;
  llvm::IRBuilder<> b_;
  llvm::Type* element_;
  const llvm::Align align_;
  std::vector<Value*> values_;
  llvm::Function* function_;
  BasicBlock* entry_ = nullptr;
  FunctionArguments arguments_;
  Addresses* addresses_ = nullptr;
  std::map<std::pair<Value*, int>, Value*> spread_;
  std::map<std::int64_t, Value*> masks_;
  Value *done_ = nullptr, *left_ = nullptr;  // iterations of the loop that is made
};

}  // namespace

void print_program(llvm::Module& module, const program::Program& program,
                   const CodeTarget& target) {
  const std::string wrong = verify(program);
  if (!wrong.empty()) throw InternalError("program " + program.name + ": " + wrong);
  Printer(module, program, target).run();
}

}  // namespace reprosum::kernels
