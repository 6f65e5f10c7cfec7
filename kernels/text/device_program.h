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

// Where the elements of the operands are in the text around.
class DevicePlaces {
 public:
  virtual ~DevicePlaces() = default;
  // The element of a summand, which is an expression, or of an output.
  virtual std::string element(const program::Access& access, const std::string& summand) const = 0;
  virtual std::string store(const program::Access& access, const std::string& value) const = 0;
};

// The statements find in scope: q and r; `lane` of the work-item; the row's slots, which are
// memory[base], memory[base + 1], ... of the group's memory; alpha and beta if they are asked for.
// What one work-item does stands behind `one`, "if (is_first) {" or the like. The last stage is
// left open: `value` is to be used, and then "}" to follow.
DeviceBody device_body(const program::Program& program, const Stages& stages,
                       const DevicePlaces& places, const std::string& one);

}  // namespace reprosum::kernels::text
