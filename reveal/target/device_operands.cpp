#include "reveal/target/device_operands.h"

#include <algorithm>

#include "spec/error.h"

namespace reprosum::reveal {
namespace {

// A copy costs as much as some thousand bytes of it.
constexpr std::size_t kGap = 4096;
constexpr std::size_t kMostRanges = 16;

}  // namespace

std::size_t DeviceOperands::operand_at(const void* byte) const {
  const auto* const at = static_cast<const std::byte*>(byte);
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (at >= held_[k].first && at < held_[k].first + held_[k].bytes) return k;
  throw InternalError("memory that no operand of the device holds");
}

void DeviceOperands::hold(int operand, const void* first, std::size_t bytes, bool is_new) {
  Held& held = held_[static_cast<std::size_t>(operand)];
  if (!is_new && held.first == first && held.bytes == bytes) return;
  held.first = static_cast<const std::byte*>(first);
  held.bytes = bytes;
  held.unsent.assign(1, {0, bytes});
  queue_.reserve(operand, bytes);
}

void DeviceOperands::changed(const void* first, std::size_t bytes) {
  if (bytes == 0) return;
  Held& held = held_[operand_at(first)];
  const auto begin = static_cast<std::size_t>(static_cast<const std::byte*>(first) - held.first);
  const Range range{begin, begin + bytes};
  for (Range& other : held.unsent) {
    if (range.begin > other.end + kGap || other.begin > range.end + kGap) continue;
    other = {std::min(other.begin, range.begin), std::max(other.end, range.end)};
    return;
  }
  held.unsent.push_back(range);
  if (held.unsent.size() <= kMostRanges) return;
  Range all = range;
  for (const Range& other : held.unsent)
    all = {std::min(all.begin, other.begin), std::max(all.end, other.end)};
  held.unsent.assign(1, all);
}

void DeviceOperands::send() {
  for (std::size_t k = 0; k < held_.size(); ++k) {
    Held& held = held_[k];
    for (const auto& [begin, end] : held.unsent)
      queue_.write(static_cast<int>(k), begin, held.first + begin, end - begin);
    held.unsent.clear();
  }
}

void DeviceOperands::fetch(void* first, std::size_t bytes) {
  if (bytes == 0) return;
  const std::size_t operand = operand_at(first);
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(first) - held_[operand].first);
  queue_.read(static_cast<int>(operand), offset, first, bytes);
}

int DeviceOperands::buffer_of(const void* first) const {
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (held_[k].first == first) return static_cast<int>(k);
  throw InternalError("an operand that the device was not given");
}

}  // namespace reprosum::reveal
