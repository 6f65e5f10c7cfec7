// A kernel made of generated pieces; what was not generated is interpreted.
#pragma once

#include <memory>
#include <string>

#include "kernels/code_store.h"
#include "kernels/kernel.h"

namespace reprosum::kernels {

// isa interpreter: a kernel without generated pieces. `why` is set if any piece is interpreted. An
// empty hash is found when the kernel's name is asked for.
template <class T>
std::shared_ptr<const Kernel<T>> make_kernel(const spec::Order& order, spec::Routine routine,
                                             const std::string& hash, Isa isa, CodeStore store,
                                             std::string& why);

}  // namespace reprosum::kernels
