#include "kernels/llvm/function_form.h"

#include <cstddef>
#include <map>

#include "kernels/program/tile.h"

namespace reprosum::kernels {
namespace {

using llvm::Value;
using program::Form;
using program::Parameter;

// Field of a TileCall.
Value* field(llvm::Function& function, llvm::IRBuilder<>& b, llvm::Type* type, std::size_t offset) {
  Value* const at = b.CreateConstGEP1_64(b.getInt8Ty(), function.getArg(0), offset);
  return b.CreateAlignedLoad(type, at, llvm::Align(8));
}

FunctionArguments of_tile(llvm::Function& function, llvm::IRBuilder<>& b,
                          const program::Program& program, llvm::Type* element) {
  using Call = TileCall<double>;
  llvm::Type *const p = b.getPtrTy(), *const i = b.getInt64Ty();
  const auto get = [&](llvm::Type* type, std::size_t offset) {
    return field(function, b, type, offset);
  };
  FunctionArguments made;
  made.operands[0] = get(p, offsetof(Call, vector));
  made.operands[1] = get(p, offsetof(Call, scalar));
  made.operands[2] = get(p, offsetof(Call, c));
  const std::map<Parameter, std::size_t> steps{
      {Parameter::vector_step, offsetof(Call, vector_step)},
      {Parameter::scalar_step, offsetof(Call, scalar_step)},
      {Parameter::scalar_column, offsetof(Call, scalar_column)},
      {Parameter::c_column, offsetof(Call, c_column)},
      {Parameter::vector_row, offsetof(Call, vector_row)}};
  for (const program::Operand& operand : program.operands)
    for (const program::Step& step : {operand.summand, operand.down, operand.across})
      if (const auto at = steps.find(step.parameter); at != steps.end())
        made.parameters[step.parameter] = get(i, at->second);
  made.q = get(i, offsetof(Call, q));
  made.r = get(i, offsetof(Call, r));
  made.alpha = get(element, offsetof(Call, alpha));
  made.beta = get(element, offsetof(Call, beta));
  made.outputs = get(i, offsetof(Call, down));
  return made;
}

}  // namespace

llvm::Function* make_function(llvm::Module& module, llvm::IRBuilder<>& b,
                              const program::Program& program, llvm::Type* element) {
  llvm::Type *const p = b.getPtrTy(), *const i = b.getInt64Ty(), *const none = b.getVoidTy();
  llvm::Type* const result = program.wide_result ? b.getDoubleTy() : element;
  const auto type = [&]() -> llvm::FunctionType* {
    switch (program.form) {
      case Form::batch:
        return llvm::FunctionType::get(none, {p, i, p, i, i, p}, false);
      case Form::strided:
        return llvm::FunctionType::get(result, {p, i, p, i, i}, false);
      case Form::single:
        return llvm::FunctionType::get(result, {p, p, i}, false);
      case Form::tile:
        break;
    }
    return llvm::FunctionType::get(none, {p}, false);
  }();
  return llvm::Function::Create(type, llvm::Function::ExternalLinkage, program.name, module);
}

FunctionArguments arguments_of(llvm::Function& function, llvm::IRBuilder<>& b,
                               const program::Program& program, llvm::Type* element) {
  if (program.form == Form::tile) return of_tile(function, b, program, element);
  FunctionArguments made;
  Value* n = nullptr;
  made.operands[0] = function.getArg(0);
  if (program.form == Form::single) {
    made.operands[1] = function.getArg(1);
    n = function.getArg(2);
  } else {
    made.operands[1] = function.getArg(2);
    n = function.getArg(4);
    const bool is_batch = program.form == Form::batch;
    made.parameters[is_batch ? Parameter::ldx : Parameter::incx] = function.getArg(1);
    made.parameters[is_batch ? Parameter::ldy : Parameter::incy] = function.getArg(3);
    if (is_batch) made.operands[2] = function.getArg(5);
  }
  if (program.block == 0) {
    made.q = b.getInt64(0);
    made.r = n;
  } else {
    Value* const size = b.getInt64(static_cast<std::uint64_t>(program.block));
    made.q = b.CreateUDiv(n, size);
    made.r = b.CreateSub(n, b.CreateMul(made.q, size));
  }
  return made;
}

}  // namespace reprosum::kernels
