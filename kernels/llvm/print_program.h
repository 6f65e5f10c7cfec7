// Programs as LLVM's intermediate code.
#pragma once

#include <llvm/IR/Module.h>

#include "kernels/llvm/target_machine.h"
#include "kernels/program/program.h"

namespace reprosum::kernels {

// Adds the program's function to the module, for that target. No operation has a flag: add, multiply
// and fuse are what they say, and `generate` contracts none. Throws InternalError where verify()
// objects.
void print_program(llvm::Module& module, const program::Program& program, const CodeTarget& target);

}  // namespace reprosum::kernels
