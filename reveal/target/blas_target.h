// blas:<path or soname>: a library with BLAS symbols, loaded and called in a forked child.
#pragma once

#include <memory>
#include <string>

#include "reveal/target.h"

namespace reprosum::reveal {

// Throws TargetError cannot_load, missing_symbol (it has none of the routines), or what the library
// did to the child while it was loaded.
std::unique_ptr<Target> open_blas_target(const std::string& library, const TargetOptions& options);

}  // namespace reprosum::reveal
