#include "kernels/llvm/addresses.h"

namespace reprosum::kernels {

using llvm::Value;
using program::Access;
using program::Form;
using program::Instruction;
using program::Op;
using program::Parameter;
using program::Step;

Addresses::Addresses(llvm::IRBuilder<>& builder, const program::Program& program,
                     llvm::Type* element, const FunctionArguments& arguments)
    : b_(builder), program_(program), element_(element), arguments_(arguments) {
  for (int k = 0; k < static_cast<int>(program.operands.size()); ++k) {
    if (is_output(k)) continue;  // where it is used: it would hold registers through the loops
    if (program.form == Form::batch)
      for (int down = 0; down < program.down; ++down) row(k, down);
    for (int across = 0; across < program.across; ++across) column(k, across);
  }
}

void Addresses::set_first_output(Value* first) {
  first_output_ = first;
  rows_.clear();
  for (int k = 0; k < static_cast<int>(program_.operands.size()); ++k)
    for (int down = 0; down < program_.down; ++down) row(k, down);
}

Value* Addresses::number(const spec::Linear& at) {
  Value* sum = constant(at.c);
  if (at.q != 0) sum = b_.CreateAdd(sum, b_.CreateMul(arguments_.q, constant(at.q)));
  if (at.r != 0) sum = b_.CreateAdd(sum, b_.CreateMul(arguments_.r, constant(at.r)));
  return sum;
}

Value* Addresses::times(Value* count, const Step& step) {
  if (step.parameter == Parameter::none)
    return step.constant == 1 ? count : b_.CreateMul(count, constant(step.constant));
  return b_.CreateMul(count, arguments_.parameters.at(step.parameter));
}

Value* Addresses::times(std::int64_t count, const Step& step) {
  if (count == 0) return constant(0);
  return times(constant(count), step);
}

Value* Addresses::element_at(Value* pointer, Value* index) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index);
  return number != nullptr && number->isZero() ? pointer : b_.CreateGEP(element_, pointer, index);
}

// The address of the operand's summand 0 for an output down. For neighbouring outputs, and for
// operands without outputs, it is the operand itself: the summand is a constant away.
Value* Addresses::row(int k, std::int64_t down) {
  const Step& step = operand(k).down;
  Value* const base = arguments_.operands[k];
  if (step.is(0) || (step.is(1) && first_output_ == nullptr)) return base;
  const auto [it, fresh] = rows_.try_emplace({k, down}, nullptr);
  if (!fresh) return it->second;
  Value* index =
      first_output_ == nullptr ? constant(down) : b_.CreateAdd(first_output_, constant(down));
  return it->second = element_at(base, times(index, step));
}

Value* Addresses::column(int k, std::int64_t across) {
  const auto [it, fresh] = columns_.try_emplace({k, across}, nullptr);
  if (fresh) it->second = times(across, operand(k).across);
  return it->second;
}

bool Addresses::are_neighbours(const Access& access) const {
  return operand(access.operand).summand.is(1);
}

Value* Addresses::moved_index(const Access& access) {
  const Moving key = moving(access);
  Value*& index = indices_[key];
  if (index == nullptr)
    index = b_.CreateAdd(
        starts_.at(key),
        b_.CreateMul(counter_, constant(spec::checked_product(access.per_iteration, each_))));
  return index;
}

// The access's summand of the operand's first output, or of its row.
Value* Addresses::at_summand(const Access& access) {
  Value* const base = row(access.operand, access.down);
  const Step& step = operand(access.operand).summand;
  if (step.is(0)) return base;
  const bool moves = in_loop_;
  if (step.is(1)) {
    Value* const index = moves ? moved_index(access) : number({access.at.q, access.at.r, 0});
    return element_at(element_at(base, index), constant(access.at.c));
  }
  if (!moves) return element_at(base, times(number(access.at), step));
  const Pointer& pointer = pointers_.at(moving(access));
  return element_at(pointer.phi, times(spec::checked_difference(access.at.c, pointer.c), step));
}

Value* Addresses::of(const Access& access, std::int64_t offset) {
  Value* pointer = at_summand(access);
  const program::Operand& o = operand(access.operand);
  if (offset != 0) pointer = element_at(pointer, times(offset, o.summand));
  if (!o.across.is(0)) pointer = element_at(pointer, column(access.operand, access.across));
  if (o.down.is(1) && first_output_ == nullptr)
    pointer = element_at(pointer, constant(access.down));
  return pointer;
}

void Addresses::prepare(const Instruction& loop, Value* done) {
  each_ = loop.loop.each;
  if (!loop.loop.goes_on) pointers_.clear();
  starts_.clear();
  indices_.clear();
  std::map<Moving, Pointer> used;
  for (const Instruction& i : loop.blocks[0]) {
    if (i.op != Op::load) continue;
    const Access& a = i.access;
    const Step& step = operand(a.operand).summand;
    const Moving key = moving(a);
    Value* const gone = b_.CreateMul(done, constant(a.per_iteration));
    if (step.is(1)) {
      Value*& start = starts_[key];
      if (start == nullptr) start = b_.CreateAdd(number({a.at.q, a.at.r, 0}), gone);
    } else if (!step.is(0) && !used.contains(key)) {
      Pointer& pointer = used[key];
      const auto known = pointers_.find(key);
      if (known != pointers_.end()) {
        pointer = known->second;
      } else {
        pointer.c = a.at.c;
        pointer.start =
            element_at(element_at(arguments_.operands[a.operand], times(number(a.at), step)),
                       times(gone, step));
      }
    }
  }
  pointers_ = std::move(used);
}

void Addresses::enter(llvm::BasicBlock* before) {
  in_loop_ = true;
  counter_ = b_.CreatePHI(b_.getInt64Ty(), 2, "trip");
  counter_->addIncoming(constant(0), before);
  for (auto& [key, pointer] : pointers_) {
    pointer.phi = b_.CreatePHI(b_.getPtrTy(), 2);
    pointer.phi->addIncoming(pointer.start, before);
  }
}

void Addresses::turn(Value* trips, llvm::BasicBlock* body, llvm::BasicBlock* after) {
  for (auto& [key, pointer] : pointers_) {
    const std::int64_t further = spec::checked_product(std::get<3>(key), each_);
    pointer.next = element_at(pointer.phi, times(further, operand(std::get<0>(key)).summand));
    pointer.phi->addIncoming(pointer.next, body);
  }
  Value* const next = b_.CreateAdd(counter_, constant(1));
  counter_->addIncoming(next, body);
  b_.CreateCondBr(b_.CreateICmpSLT(next, trips), body, after);
}

void Addresses::leave(llvm::BasicBlock* before, llvm::BasicBlock* body) {
  in_loop_ = false;
  for (auto& [key, pointer] : pointers_) {
    auto* const at = b_.CreatePHI(b_.getPtrTy(), 2);
    at->addIncoming(pointer.start, before);
    at->addIncoming(pointer.next, body);
    pointer.start = at;
  }
}

}  // namespace reprosum::kernels
