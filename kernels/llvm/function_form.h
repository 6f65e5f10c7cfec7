// How the function of a program is called: its arguments as LLVM has them.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "kernels/llvm/addresses.h"

namespace reprosum::kernels {

llvm::Function* make_function(llvm::Module& module, llvm::IRBuilder<>& builder,
                              const program::Program& program, llvm::Type* element);

// What the body needs of the arguments; made at the builder's place, the entry.
FunctionArguments arguments_of(llvm::Function& function, llvm::IRBuilder<>& builder,
                               const program::Program& program, llvm::Type* element);

}  // namespace reprosum::kernels
