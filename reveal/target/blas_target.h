// A library, loaded and called in a process of its own: blas:<path or soname>, of BLAS symbols, and
// clblast:, on a device.
#pragma once

#include <memory>
#include <string>

#include "reveal/target.h"

namespace reprosum::reveal {

// `kind` is the word before the colon. Throws TargetError cannot_load, missing_symbol (it has none
// of the routines), or what the library did to the child while it was loaded.
std::unique_ptr<Target> open_library_target(const std::string& kind, const std::string& library,
                                            const TargetOptions& options);

}  // namespace reprosum::reveal
