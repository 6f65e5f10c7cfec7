// GPUs of the CUDA driver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace reprosum::kernels::device {

// In the driver's sequence. Each uses the device's primary context, as the CUDA runtime does, so
// pointers and streams of that runtime are valid here. Empty with a reason where there is no driver
// or no GPU.
std::vector<std::unique_ptr<Device>> cuda_devices(std::string* why);

}  // namespace reprosum::kernels::device
