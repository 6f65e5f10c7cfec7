// The library that is raced against.
#pragma once

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/data.h"
#include "kernels/kernel.h"
#include "spec/error.h"

namespace reprosum::bench {

// A BLAS of one thread, loaded for good; an OpenBLAS fixes its core type then.
class Peer {
 public:
  // `core` may be empty: the one that the library chooses.
  Peer(const std::string& library, const std::string& core) {
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (!core.empty()) ::setenv("OPENBLAS_CORETYPE", core.c_str(), 1);
    handle_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) throw EnvironmentError("cannot open " + library + ": " + ::dlerror());
  }

  // nullptr where the library has no such symbol.
  template <class Function>
  Function symbol(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(handle_, name));
  }

  // What openblas_get_corename and the like say, or "".
  std::string text(const char* name) const {
    const auto ask = symbol<const char* (*)()>(name);
    return ask != nullptr ? ask() : "";
  }

 private:
  void* handle_ = nullptr;
};

// run(core, isa) in a process of its own for each instruction set of this machine, with the core
// type that uses the same one. Gives the exit status of the last.
template <class Run>
int for_each_core(Run run) {
  int status = 0;
  for (const kernels::Isa isa : kernels::host_isas()) {
    if (isa == kernels::Isa::interpreter) continue;
    const pid_t child = ::fork();
    if (child == 0) std::exit(run(isa == kernels::Isa::avx512 ? "SkylakeX" : "Haswell", isa));
    ::waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

}  // namespace reprosum::bench
