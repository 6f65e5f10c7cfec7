// Text for OpenCL C 1.2 and CUDA C++ in one: what both call differently are macros.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::kernels::text {

// A function that a device is told to run in groups of `group` work-items.
struct DeviceEntry {
  std::string name;
  std::int64_t group = 1;
  bool operator==(const DeviceEntry&) const = default;
};

// The source of one program. Arguments of an entry are pointers to the device's memory, 64-bit
// integers, and numbers of the routine's type.
struct DeviceText {
  std::string text;
  std::vector<DeviceEntry> entries;
};

// What every text starts with: contraction forbidden, one name for each thing that the dialects
// name differently, every operation rounded once to nearest.
std::string device_macros();
// Behind them: what the operations of that type are where subnormal numbers become zero
// (spec/flushed.h), on any device and in any mode of it. Empty for Flush::none.
std::string device_flush(spec::Flush flush, spec::Type type);

// The name of an operation in that format: "ADD" + "F" or "D".
inline const char* device_suffix(bool wide, spec::Type type) {
  return wide || spec::is_f64(type) ? "D" : "F";
}
inline const char* device_type(bool wide, spec::Type type) {
  return wide || spec::is_f64(type) ? "double" : "float";
}

// The text as lines of a comment.
std::string device_comment(const std::string& text);

}  // namespace reprosum::kernels::text
