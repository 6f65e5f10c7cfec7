// Where the elements of a program's operands are, in LLVM's intermediate code.
//
// An operand whose summands are neighbours is addressed by its base and an index that the loop
// counts; one with steps by a pointer that the loop moves on, so that nothing is multiplied in it.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernels/program/program.h"

namespace reprosum::kernels {

// What the caller says of the operands, once the function's arguments are known.
struct FunctionArguments {
  llvm::Value* operands[3] = {nullptr, nullptr, nullptr};
  std::map<program::Parameter, llvm::Value*> parameters;
  llvm::Value *q = nullptr, *r = nullptr;
  llvm::Value* alpha = nullptr;  // elements
  llvm::Value* beta = nullptr;
  llvm::Value* outputs = nullptr;  // of the call, where some may not exist or the body is repeated
};

class Addresses {
 public:
  Addresses(llvm::IRBuilder<>& builder, const program::Program& program, llvm::Type* element,
            const FunctionArguments& arguments);

  // From now on outputs are those from `first` on down: of a body that is repeated.
  void set_first_output(llvm::Value* first);

  llvm::Value* number(const spec::Linear& at);
  // The element at an access's place and `offset` summands further.
  llvm::Value* of(const program::Access& access, std::int64_t offset);
  bool are_neighbours(const program::Access& access) const;

  // Around a loop: what its places start from, where `done` iterations are done; its counter and
  // moving pointers; what these are in the next turn; pointers that a loop that goes on starts
  // from.
  void prepare(const program::Instruction& loop, llvm::Value* done);
  void enter(llvm::BasicBlock* before);
  void turn(llvm::Value* trips, llvm::BasicBlock* body, llvm::BasicBlock* after);
  void leave(llvm::BasicBlock* before, llvm::BasicBlock* body);

 private:
  // What two accesses of a loop have in common: the operand, multiples of q and r, the step.
  using Moving = std::tuple<int, std::int64_t, std::int64_t, std::int64_t>;
  struct Pointer {
    std::int64_t c = 0;            // constant of the place that it points at
    llvm::Value* start = nullptr;  // before the loop; behind it, where the next one starts
    llvm::PHINode* phi = nullptr;  // in it
    llvm::Value* next = nullptr;
  };
  static Moving moving(const program::Access& a) {
    return {a.operand, a.at.q, a.at.r, a.per_iteration};
  }
  const program::Operand& operand(int k) const {
    return program_.operands[static_cast<std::size_t>(k)];
  }
  bool is_output(int k) const { return operand(k).name == program::Operand::Name::out; }
  llvm::Value* constant(std::int64_t value) {
    return b_.getInt64(static_cast<std::uint64_t>(value));
  }
  llvm::Value* times(std::int64_t count, const program::Step& step);
  llvm::Value* times(llvm::Value* count, const program::Step& step);
  llvm::Value* element_at(llvm::Value* pointer, llvm::Value* index);
  llvm::Value* row(int operand, std::int64_t down);
  llvm::Value* column(int operand, std::int64_t across);
  llvm::Value* at_summand(const program::Access& access);
  llvm::Value* moved_index(const program::Access& access);

  llvm::IRBuilder<>& b_;
  const program::Program& program_;
  llvm::Type* element_;
  const FunctionArguments& arguments_;
  llvm::Value* first_output_ = nullptr;
  std::map<std::pair<int, std::int64_t>, llvm::Value*> rows_, columns_;

  // The loop that is being made, or was made last:
  bool in_loop_ = false;
  std::int64_t each_ = 1;
  llvm::PHINode* counter_ = nullptr;
  std::map<Moving, llvm::Value*> starts_, indices_;
  std::map<Moving, Pointer> pointers_;
};

}  // namespace reprosum::kernels
