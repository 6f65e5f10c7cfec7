// Which devices OpenCL has, and what they are called.
#pragma once

#include <string>
#include <vector>

#include "src/base/opencl_driver.h"

namespace reprosum::base {

// Every available device with a compiler, GPUs first, then accelerators, then CPUs: users number
// them in this sequence. Empty with a reason where there is no platform or no device.
std::vector<cl_device_id> opencl_devices(const OpenClDriver& cl, std::string* why);

// A property that is a number or a handle; T{} where the driver does not tell.
template <class T>
T opencl_number(const OpenClDriver& cl, cl_device_id device, cl_device_info what) {
  T value{};
  return cl.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                       : T{};
}

// A property that is text; "" where the driver does not tell.
std::string opencl_text(const OpenClDriver& cl, cl_device_id device, cl_device_info what);
std::string opencl_platform_text(const OpenClDriver& cl, cl_device_id device,
                                 cl_platform_info what);

}  // namespace reprosum::base
