// A device that may be trusted with bits.
#pragma once

#include <memory>
#include <string>

#include "kernels/device/device.h"
#include "kernels/device/program_store.h"

namespace reprosum::kernels::device {

// A device that has passed the self test, and its compiled programs. Any thread.
class OpenDevice {
 public:
  // Throws EnvironmentError if the device computes otherwise than IEEE 754 says; the message has an
  // example.
  OpenDevice(std::unique_ptr<Device> device, const std::string& cache_directory);

  Device& device() const { return *device_; }
  const Facts& facts() const { return device_->facts(); }
  ProgramStore& programs() { return programs_; }

 private:
  const std::unique_ptr<Device> device_;
  ProgramStore programs_;
};

// The device of that number in devices(), the best being number 0, not yet opened. Throws
// EnvironmentError, in words, if there is none of that number.
std::unique_ptr<Device> find_device(Dialect dialect, std::size_t number);

// The same, opened. Throws as find_device and OpenDevice do.
std::shared_ptr<OpenDevice> open_device(Dialect dialect, std::size_t number,
                                        const std::string& cache_directory);

// The user's cl_context and one of its cl_device_id. Throws as OpenDevice does.
std::shared_ptr<OpenDevice> open_opencl_device(void* context, void* device,
                                               const std::string& cache_directory);

}  // namespace reprosum::kernels::device
