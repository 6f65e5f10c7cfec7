// What OpenCL's numbers mean.
#pragma once

#include <string>

#include "src/base/opencl_driver.h"

namespace reprosum::kernels::device {

// "CL_OUT_OF_RESOURCES", or "error -1234".
std::string opencl_error(cl_int status);

// Throws EnvironmentError "<what>: CL_..., <in words>" unless it is CL_SUCCESS.
void check_opencl(cl_int status, const std::string& what);

}  // namespace reprosum::kernels::device
