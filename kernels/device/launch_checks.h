// What must hold of a launch and of a copy on any device.
#pragma once

#include <string>

#include "kernels/device/device.h"

namespace reprosum::kernels::device {

// False if no group runs. Throws InternalError if the device has no such groups, or not so many.
bool check_launch(const Facts& facts, const std::string& entry, Extent groups, Extent group_size);

// False if no byte is copied. Throws InternalError if the bytes are not all inside the buffer.
bool check_copy(const Buffer& buffer, std::size_t offset, std::size_t bytes);

}  // namespace reprosum::kernels::device
