#include "reveal/target/cuda_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "reveal/target.h"

namespace reprosum::reveal {
namespace {

using base::cuda::kSuccess;

[[noreturn]] void cannot_load(const std::string& why) { throw TargetError("cannot_load", why); }

}  // namespace

std::string CudaQueue::words(base::cuda::Status status) const {
  const char* text = nullptr;
  if (cuda_->error_name(status, &text) == kSuccess && text != nullptr) return text;
  return fmt::format("error {}", status);
}

void CudaQueue::check(base::cuda::Status status, const char* what) const {
  if (status != kSuccess)
    throw TargetError("failed", fmt::format("{}: CUDA reports {}", what, words(status)));
}

CudaQueue::CudaQueue(std::size_t device, int buffers, bool has_own_stream)
    : buffers_(static_cast<std::size_t>(buffers)) {
  std::string why;
  cuda_ = base::cuda_driver(&why);
  if (cuda_ == nullptr) cannot_load(why);
  int count = 0;
  base::cuda::Status status = cuda_->init(0);
  if (status == kSuccess) status = cuda_->device_count(&count);
  if (status != kSuccess) cannot_load("the CUDA driver finds no GPU: " + words(status));
  if (device >= static_cast<std::size_t>(count))
    cannot_load(fmt::format("CUDA has no device {}: it has {}, numbered from 0", device, count));
  base::cuda::Context context = nullptr;
  status = cuda_->device(&device_, static_cast<int>(device));
  if (status == kSuccess) status = cuda_->retain_primary(&context, device_);
  if (status == kSuccess) status = cuda_->push_context(context);
  if (status == kSuccess && has_own_stream)
    status = cuda_->make_stream(&stream_, base::cuda::kNonBlocking);
  if (status != kSuccess)
    cannot_load(fmt::format("no stream of the CUDA device {}: {}", device, words(status)));
}

void CudaQueue::reserve(int buffer, std::size_t bytes) {
  Memory& memory = buffers_[static_cast<std::size_t>(buffer)];
  if (memory.bytes >= bytes && memory.address != 0) return;
  if (memory.address != 0) {
    check(cuda_->wait_for_stream(stream_), "waiting for the stream");
    check(cuda_->free(memory.address), "releasing memory");
    memory = {};
  }
  const std::size_t wanted = std::max<std::size_t>(bytes + bytes / 2, 4096);
  check(cuda_->allocate(&memory.address, wanted), "memory of the GPU");
  memory.bytes = wanted;
}

// The host's memory is not pinned, so the caller may change it as soon as the copying call returns.
void CudaQueue::write(int buffer, std::size_t offset, const void* host, std::size_t bytes) {
  check(cuda_->copy_to_device(buffers_[static_cast<std::size_t>(buffer)].address + offset, host,
                              bytes, stream_),
        "writing to the GPU");
}

void CudaQueue::read(int buffer, std::size_t offset, void* host, std::size_t bytes) {
  check(cuda_->copy_from_device(host, buffers_[static_cast<std::size_t>(buffer)].address + offset,
                                bytes, stream_),
        "reading from the GPU");
  check(cuda_->wait_for_stream(stream_), "reading from the GPU");
}

int CudaQueue::attribute(int which) const {
  int value = 0;
  check(cuda_->device_attribute(&value, which, device_), "an attribute of the GPU");
  return value;
}

std::vector<std::pair<std::string, std::string>> CudaQueue::describe() const {
  char name[256] = {};
  check(cuda_->device_name(name, sizeof name - 1, device_), "the name of the GPU");
  int version = 0;
  check(cuda_->driver_version(&version), "the version of the driver");
  return {{"device.name", name},
          {"device.capability", fmt::format("{}.{}", attribute(base::cuda::kCapabilityMajor),
                                            attribute(base::cuda::kCapabilityMinor))},
          {"device.driver", fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10)},
          {"device.units", std::to_string(attribute(base::cuda::kMultiprocessors))}};
}

}  // namespace reprosum::reveal
