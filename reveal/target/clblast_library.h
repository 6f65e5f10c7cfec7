// CLBlast: BLAS on an OpenCL device.
#pragma once

#include <memory>
#include <string>

#include "reveal/target/probed_library.h"

namespace reprosum::reveal {

// "LIBRARY,device=NUMBER": a file name or soname, libclblast.so.1 if there is none, and which
// device, as opencl_devices() numbers them, 0 if there is none. Throws TargetError cannot_load.
std::unique_ptr<ProbedLibrary> load_clblast(const std::string& name);

}  // namespace reprosum::reveal
