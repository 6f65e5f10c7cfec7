// A queue of an OpenCL device with buffers that are known by number.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "reveal/target/device_operands.h"
#include "src/base/opencl_driver.h"

namespace reprosum::reveal {

// Lives until the process ends, and so does what it made.
class OpenClQueue final : public DeviceQueue {
 public:
  // Throws TargetError cannot_load: no loader, no such device.
  OpenClQueue(std::size_t device, int buffers);

  void reserve(int buffer, std::size_t bytes) override;
  void write(int buffer, std::size_t offset, const void* host, std::size_t bytes) override;
  void read(int buffer, std::size_t offset, void* host, std::size_t bytes) override;

  cl_command_queue* handle() { return &queue_; }
  cl_mem memory(int buffer) const { return buffers_[static_cast<std::size_t>(buffer)].memory; }
  // "device.platform", ".name", ".driver" and ".units".
  std::vector<std::pair<std::string, std::string>> describe() const;

 private:
  struct Memory {
    cl_mem memory = nullptr;
    std::size_t bytes = 0;
  };
  void forget_staged();

  const base::OpenClDriver* cl_ = nullptr;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::vector<Memory> buffers_;
  // What small writes copy from, until the queue is known to have done them: waiting for each would
  // take longer than a call.
  std::vector<std::unique_ptr<std::byte[]>> staged_;
  std::size_t staged_bytes_ = 0;
};

}  // namespace reprosum::reveal
