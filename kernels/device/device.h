// A device that compiles and runs kernels of text: an OpenCL device or a CUDA GPU. No type of
// either is here; what is printed for a device, and how it is launched, needs no more than this.
//
// Everything throws EnvironmentError if the device or its driver fails, in words, and InternalError
// if it is used in a way that is never right (a copy beyond a buffer, an unknown entry). In a child
// of fork no device of the parent can be used: EnvironmentError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

namespace reprosum::kernels::device {

enum class Dialect : std::uint8_t { opencl, cuda };  // OpenCL C 1.2, CUDA C++
const char* name(Dialect dialect);                   // "opencl", "cuda"

struct Extent {
  std::int64_t x = 1, y = 1, z = 1;
};

struct Facts {
  Dialect dialect = Dialect::opencl;
  std::string name;      // of the device, as its driver says
  std::string driver;    // platform and versions
  std::string target;    // what compiled programs run on: device and driver, or "sm_90"
  std::string compiler;  // of the text, with its version; "" if there is none here
  bool has_f64 = false;
  bool is_processor = false;      // work-items of a group take turns on cores of the host
  std::int64_t units = 0;         // compute units, multiprocessors
  std::int64_t memory_bytes = 0;  // of the device
  std::int64_t buffer_bytes = 0;  // of the largest buffer
  std::int64_t local_bytes = 0;   // local memory of a group
  std::int64_t group_size = 0;    // the most work-items of a group
  Extent group_sizes;             // the same along each axis
  Extent groups;                  // the most groups of a launch along each axis
};

// Memory of the device. Must not outlive what runs on it: Queue::finish() first.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t bytes() const = 0;
};

// Compiled text: its entries are found by name.
class Program {
 public:
  virtual ~Program() = default;
  // What load() needs to have it again, for a file.
  virtual std::string binary() const = 0;
};

// In the text's sequence. A buffer is a pointer to its first byte, or a null pointer; an operand
// that begins inside a buffer is the buffer and an integer of its own.
using Argument = std::variant<const Buffer*, std::int64_t, float, double>;

// What is enqueued is done in this sequence. One thread at a time.
class Queue {
 public:
  virtual ~Queue() = default;
  // `groups` and `group_size` along each axis, in groups and in work-items. No group: nothing runs.
  virtual void launch(const Program& program, const std::string& entry, Extent groups,
                      Extent group_size, std::span<const Argument> arguments) = 0;
  // Both return when `host` may be changed or read.
  virtual void write(Buffer& to, std::size_t offset, const void* host, std::size_t bytes) = 0;
  virtual void read(const Buffer& from, std::size_t offset, void* host, std::size_t bytes) = 0;
  virtual void copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
                    std::size_t bytes) = 0;
  virtual void finish() = 0;  // waits for all that was enqueued; throws what went wrong in it
};

// Any thread.
class Device {
 public:
  virtual ~Device() = default;
  virtual const Facts& facts() const = 0;
  virtual void check_process() const = 0;                           // throws in a child of fork
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes) = 0;  // at least one byte
  virtual std::unique_ptr<Queue> make_queue() = 0;
  // Compiles text in the device's dialect with the options of this library, which keep every
  // operation as it is written, and `more` options. The compiler's log is in what is thrown.
  virtual std::shared_ptr<const Program> compile(const std::string& text,
                                                 const std::string& more = "") = 0;
  virtual std::string options() const = 0;  // those that compile() adds by itself
  // The user's: memory of this device (a CUDA device pointer, a cl_mem), and a stream or queue (a
  // CUstream, a cl_command_queue). Neither is owned, both must outlive what is returned. bytes() is
  // what lies behind the pointer. Throws UserError, in words, for what is not of this device.
  virtual std::unique_ptr<Buffer> adopt(void* memory) = 0;
  virtual std::unique_ptr<Queue> adopt_queue(void* queue) = 0;
  // From binary() of a program of an equal Facts::target; throws EnvironmentError otherwise.
  virtual std::shared_ptr<const Program> load(const std::string& binary) = 0;
};

}  // namespace reprosum::kernels::device
