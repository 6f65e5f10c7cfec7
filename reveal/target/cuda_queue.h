// A stream of a CUDA GPU with buffers that are known by number.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reveal/target/device_operands.h"
#include "src/base/cuda_driver.h"

namespace reprosum::reveal {

// Belongs to the thread that made it. That thread's context is the device's primary one from then
// on, as with the CUDA runtime. The queue and what it made live until the process ends.
class CudaQueue final : public DeviceQueue {
 public:
  // With a stream of its own, or on the default one. Throws TargetError cannot_load: no driver, no
  // such GPU.
  CudaQueue(std::size_t device, int buffers, bool has_own_stream);

  void reserve(int buffer, std::size_t bytes) override;
  void write(int buffer, std::size_t offset, const void* host, std::size_t bytes) override;
  void read(int buffer, std::size_t offset, void* host, std::size_t bytes) override;

  base::cuda::Stream stream() const { return stream_; }
  void* memory(int buffer) const {
    return reinterpret_cast<void*>(buffers_[static_cast<std::size_t>(buffer)].address);
  }
  // "device.name", ".capability", ".driver" and ".units".
  std::vector<std::pair<std::string, std::string>> describe() const;

 private:
  struct Memory {
    base::cuda::Address address = 0;
    std::size_t bytes = 0;
  };
  void check(base::cuda::Status status, const char* what) const;
  std::string words(base::cuda::Status status) const;
  int attribute(int which) const;

  const base::CudaDriver* cuda_ = nullptr;
  base::cuda::DeviceNumber device_ = 0;
  base::cuda::Stream stream_ = nullptr;
  std::vector<Memory> buffers_;
};

}  // namespace reprosum::reveal
