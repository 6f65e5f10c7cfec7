// Operands in this process's memory and their copies on a device.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace reprosum::reveal {

// The memory of a device: buffers that are known by number, used in the sequence of the calls.
// Throws TargetError failed.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  // What the buffer held is lost if it must grow.
  virtual void reserve(int buffer, std::size_t bytes) = 0;
  // Both return when `host` may be changed or read.
  virtual void write(int buffer, std::size_t offset, const void* host, std::size_t bytes) = 0;
  virtual void read(int buffer, std::size_t offset, void* host, std::size_t bytes) = 0;
};

inline constexpr int kOperands = 3;

// Operand k is copied to buffer k, from its first byte on. What changes here is sent before a call,
// as few ranges: of a probe's edits one, or some that lie far apart.
class DeviceOperands {
 public:
  explicit DeviceOperands(DeviceQueue& queue) : queue_(queue) {}

  void hold(int operand, const void* first, std::size_t bytes, bool is_new);
  void changed(const void* first, std::size_t bytes);
  void send();
  void fetch(void* first, std::size_t bytes);
  // The buffer whose operand begins at `first`.
  int buffer_of(const void* first) const;

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  struct Held {
    const std::byte* first = nullptr;
    std::size_t bytes = 0;
    std::vector<Range> unsent;
  };
  // The operand that holds the byte, which is one of them. @return its place in held_
  std::size_t operand_at(const void* byte) const;

  DeviceQueue& queue_;
  std::array<Held, kOperands> held_;
};

}  // namespace reprosum::reveal
