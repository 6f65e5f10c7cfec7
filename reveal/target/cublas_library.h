// cuBLAS: BLAS on a CUDA GPU.
#pragma once

#include <memory>
#include <string>

#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

// "LIBRARY,SETTING=VALUE,...": a file name or soname, libcublas.so.13 or .12 if there is none, and
//   device=NUMBER     which GPU, 0
//   math=MODE         default, pedantic, tf32, bf16x9, fixed-point
//   workspace=BYTES   what cublasSetWorkspace is given, 0: nothing; usual: it is not called
//   stream=own        or default
// Throws TargetError cannot_load.
std::unique_ptr<ProbedLibrary> load_cublas(const std::string& name);

}  // namespace reprosum::reveal
