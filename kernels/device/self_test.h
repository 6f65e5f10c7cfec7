// Whether a device computes as IEEE 754 says, before anything is replayed on it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/device/device.h"

namespace reprosum::kernels::device {

// Runs every operation that replayed text has, on hostile operands, through the macros of that text
// (text::device_macros()), and compares with this processor: products and sums that must not be
// fused, fused ones, narrowed ones, quotients; ties, subnormal numbers, Inf, NaN, signs of zero;
// sums that must not be rearranged, comparisons. Returns "" if all bits are the same (two NaN are);
// else the operation that differs, with an example. f64 is left out where the device has none.
// `compile` makes the programs, so that they may come from a store; tests plant options there.
// Throws what Device throws if it cannot compile or run the text.
using Compile = std::function<std::shared_ptr<const Program>(const std::string& text)>;
std::string self_test(const Compile& compile, Device& device, const std::string& macros);

// The programs that it runs: f32, f64, and from one to the other.
struct SelfTestTexts {
  std::string f32, f64, narrowing;
};
SelfTestTexts self_test_texts(const std::string& macros);

}  // namespace reprosum::kernels::device
