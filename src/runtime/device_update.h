// Outputs without summands in the memory of a device.
#pragma once

#include <cstdint>

#include "kernels/device/device.h"
#include "kernels/matrix.h"
#include "spec/spec.h"

namespace reprosum::runtime {

// By this processor: C, whose lowest element is `first` elements behind the beginning of `c`, is
// read, changed and written. Nothing is written between the elements of C, which may belong to
// somebody else. arguments.c is not looked at.
template <class T>
void update_on_device(const spec::EmptyRule& rule, spec::MatrixArguments<T> arguments,
                      kernels::device::Buffer& c, std::int64_t first,
                      kernels::device::Queue& queue);

}  // namespace reprosum::runtime
