// LLVM as a backend: the columns of its rows in the table (kernels/backends.h).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/code_request.h"
#include "kernels/code_target.h"
#include "kernels/llvm/load_object.h"

namespace reprosum::kernels {

GeneratedCode print_by_llvm(const CodeTarget& target, const CodeRequest& request);
GeneratedCode compile_by_llvm(const CodeTarget& target, const CodeRequest& request);

// All objects must be for one machine. Throws EnvironmentError if it cannot be made.
std::string llvm_archive(const std::vector<std::pair<std::string, std::string>>& objects);

// The version of LLVM with the processor and features of this host: another machine may read a
// cache on a shared file system. Called on the compile thread.
std::string llvm_version();

}  // namespace reprosum::kernels
