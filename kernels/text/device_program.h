// A program of one plan as statements of OpenCL C and CUDA C++.
#pragma once

#include <string>

#include "kernels/program/program.h"
#include "kernels/text/device_lanes.h"

namespace reprosum::kernels::text {

struct DeviceBody {
  std::string tables;      // definitions that stand before the function
  std::string statements;  // of one row
  std::string value;       // what it gives, where the first work-item of the row is
};

// The statements of a row find these in scope: x, incx, and y, incy, at the row's first summand;
// q and r; `lane` of the work-item, `is_first` of the row's; the row's slots are
// memory[base], memory[base + 1], ... of the group's memory. The last stage is left open: `value`
// is to be used, and then "}" to follow.
DeviceBody device_body(const program::Program& program, const Stages& stages);

}  // namespace reprosum::kernels::text
