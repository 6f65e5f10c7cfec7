// The step from IR to an object or assembly.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "kernels/code_target.h"

namespace reprosum::kernels {

// The target of a loop whose lanes have so many bits: program::narrowed().
CodeTarget narrowed(const CodeTarget& target, std::size_t bits);

// The function is compiled for that target, with its whole vectors, and throws nothing.
void set_target(llvm::Function& function, const CodeTarget& target);

enum class CodeForm { object, assembly };

// @post no operation was contracted: FPOpFusion is Strict and the IR carries no fast-math flag.
std::string generate(llvm::Module& module, const CodeTarget& target, CodeForm form);

// Names of the functions that the object defines for others.
std::vector<std::string> defined_functions(const std::string& object);

// Names of symbols the object needs from outside; a kernel needs none.
std::string undefined_symbols(const std::string& object);

}  // namespace reprosum::kernels
