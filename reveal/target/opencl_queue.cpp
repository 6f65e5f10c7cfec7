#include "reveal/target/opencl_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reveal/target.h"
#include "src/base/opencl_devices.h"

namespace reprosum::reveal {
namespace {

constexpr std::size_t kStagedBytes = std::size_t{1} << 20;

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  throw TargetError("failed", fmt::format("{}: OpenCL reports error {}", what, status));
}

[[noreturn]] void cannot_load(const std::string& why) { throw TargetError("cannot_load", why); }

}  // namespace

OpenClQueue::OpenClQueue(std::size_t device, int buffers)
    : buffers_(static_cast<std::size_t>(buffers)) {
  std::string why;
  cl_ = base::opencl_driver(&why);
  if (cl_ == nullptr) cannot_load(why);
  const std::vector<cl_device_id> devices = base::opencl_devices(*cl_, &why);
  if (devices.empty()) cannot_load(why);
  if (device >= devices.size())
    cannot_load(
        fmt::format("OpenCL has no device {}: it has {}, numbered from 0", device, devices.size()));
  device_ = devices[device];
  cl_int status = CL_SUCCESS;
  context_ = cl_->clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
  if (status == CL_SUCCESS) queue_ = cl_->clCreateCommandQueue(context_, device_, 0, &status);
  if (status != CL_SUCCESS)
    cannot_load(fmt::format("no queue of the OpenCL device {}: error {}", device, status));
}

void OpenClQueue::reserve(int buffer, std::size_t bytes) {
  Memory& memory = buffers_[static_cast<std::size_t>(buffer)];
  if (memory.bytes >= bytes && memory.memory != nullptr) return;
  if (memory.memory != nullptr) {
    check(cl_->clFinish(queue_), "waiting for the queue");
    check(cl_->clReleaseMemObject(memory.memory), "releasing memory");
    memory = {};
  }
  cl_int status = CL_SUCCESS;
  const std::size_t wanted = std::max<std::size_t>(bytes + bytes / 2, 4096);
  memory.memory = cl_->clCreateBuffer(context_, CL_MEM_READ_WRITE, wanted, nullptr, &status);
  check(status, "memory of the device");
  memory.bytes = wanted;
}

void OpenClQueue::forget_staged() {
  staged_.clear();
  staged_bytes_ = 0;
}

void OpenClQueue::write(int buffer, std::size_t offset, const void* host, std::size_t bytes) {
  const bool waits = bytes > kStagedBytes;
  if (staged_bytes_ > kStagedBytes) {
    check(cl_->clFinish(queue_), "waiting for the queue");
    forget_staged();
  }
  const void* from = host;
  if (!waits) {
    staged_.emplace_back(new std::byte[bytes]);
    staged_bytes_ += bytes;
    std::memcpy(staged_.back().get(), host, bytes);
    from = staged_.back().get();
  }
  check(cl_->clEnqueueWriteBuffer(queue_, memory(buffer), waits ? CL_TRUE : CL_FALSE, offset, bytes,
                                  from, 0, nullptr, nullptr),
        "writing to the device");
}

void OpenClQueue::read(int buffer, std::size_t offset, void* host, std::size_t bytes) {
  check(cl_->clEnqueueReadBuffer(queue_, memory(buffer), CL_TRUE, offset, bytes, host, 0, nullptr,
                                 nullptr),
        "reading from the device");
  forget_staged();  // the queue does one command after the other
}

std::vector<std::pair<std::string, std::string>> OpenClQueue::describe() const {
  return {{"device.platform", base::opencl_platform_text(*cl_, device_, CL_PLATFORM_NAME) + ", " +
                                  base::opencl_platform_text(*cl_, device_, CL_PLATFORM_VERSION)},
          {"device.name", base::opencl_text(*cl_, device_, CL_DEVICE_NAME)},
          {"device.driver", base::opencl_text(*cl_, device_, CL_DRIVER_VERSION)},
          {"device.units", std::to_string(base::opencl_number<cl_uint>(
                               *cl_, device_, CL_DEVICE_MAX_COMPUTE_UNITS))}};
}

}  // namespace reprosum::reveal
