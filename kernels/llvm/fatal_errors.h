// What LLVM does where it can't go on.
#pragma once

namespace reprosum::kernels {

// Calls `park`, which need not return, in place of ending the process. Once.
void on_llvm_fatal_error(void (*park)());

}  // namespace reprosum::kernels
