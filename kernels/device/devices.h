// The devices of this host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace reprosum::kernels::device {

// The best device first. Where there is none, `why` says what is missing: the driver, a platform,
// a device. Nothing is loaded before the first call.
std::vector<std::unique_ptr<Device>> devices(Dialect dialect, std::string* why);

// The user's cl_context and one of its cl_device_id, so that the memory of the context can be used.
// Throws EnvironmentError where there is no OpenCL.
std::unique_ptr<Device> adopt_opencl_device(void* context, void* device);

}  // namespace reprosum::kernels::device
