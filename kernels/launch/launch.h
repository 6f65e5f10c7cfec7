// What a device is told to do for one call: which kernels of which texts, in what sizes, in what
// sequence. No device is needed to make it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "kernels/text/device_text.h"

namespace reprosum::kernels::launch {

// A buffer by number: the operands first, then what the call needs besides.
struct BufferNumber {
  std::size_t number = 0;
  bool operator==(const BufferNumber&) const = default;
};

// In the text's sequence. A float is an argument of a routine of floats.
using Argument = std::variant<BufferNumber, std::int64_t, float, double>;

struct Launch {
  std::size_t text = 0;   // index into Launches::texts
  std::size_t entry = 0;  // index into its entries
  std::int64_t groups = 0;
  std::vector<Argument> arguments;
};

// Memory that a call needs besides its operands.
struct Scratch {
  std::size_t bytes = 0;
  std::shared_ptr<const std::vector<std::int64_t>> content;  // to be there before; may be nothing
};

struct Launches {
  std::vector<std::shared_ptr<const text::DeviceText>> texts;
  std::size_t operands = 0;      // buffers 0, 1, ... are the caller's
  std::vector<Scratch> scratch;  // buffers `operands`, `operands` + 1, ...
  std::vector<Launch> launches;  // one after the other
};

// Groups of a launch along its axis that every device has.
inline constexpr std::int64_t kMostGroups = 0x7fffffff;

}  // namespace reprosum::kernels::launch
