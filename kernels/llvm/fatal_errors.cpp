#include "kernels/llvm/fatal_errors.h"

#include <llvm/Support/ErrorHandling.h>

namespace reprosum::kernels {
namespace {

void (*parked)() = nullptr;

void handle(void*, const char*, bool) { parked(); }

}  // namespace

void on_llvm_fatal_error(void (*park)()) {
  parked = park;
  llvm::install_fatal_error_handler(handle);
  llvm::install_bad_alloc_error_handler(handle);
}

}  // namespace reprosum::kernels
