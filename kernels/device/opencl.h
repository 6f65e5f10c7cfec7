// Devices of OpenCL 1.2 and later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace reprosum::kernels::device {

// Every available device with a compiler, GPUs first, then accelerators, then CPUs. Empty with a
// reason where there is no loader, no platform or no device.
std::vector<std::unique_ptr<Device>> opencl_devices(std::string* why);

// The user's cl_context and one of its cl_device_id, so that the memory of the context can be used.
std::unique_ptr<Device> opencl_device_of(void* context, void* device);

}  // namespace reprosum::kernels::device
