// Buffers, and the stream in whose sequence they are used.
#include <cstdint>
#include <limits>

#include "kernels/device/cuda_objects.h"
#include "kernels/device/launch_checks.h"
#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

class CudaQueue : public Queue {
 public:
  explicit CudaQueue(SharedCudaContext context) : context_(std::move(context)) {
    const CurrentContext current(*context_);
    context_->check(context_->cuda.make_stream(&stream_, base::cuda::kNonBlocking), "a stream");
  }
  CudaQueue(SharedCudaContext context, base::cuda::Stream users)
      : context_(std::move(context)), owned_(false), stream_(users) {}
  ~CudaQueue() override {
    if (!owned_ || !context_->is_of_this_process()) return;
    try {
      const CurrentContext current(*context_);
      context_->cuda.wait_for_stream(stream_);  // what is enqueued may use buffers that go next
      context_->cuda.destroy_stream(stream_);
    } catch (const EnvironmentError&) {
      // The context is gone, and the stream with it.
    }
  }
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void launch(const Program& program, const std::string& entry, Extent groups, Extent group_size,
              std::span<const Argument> arguments) override {
    context_->check_process();
    if (!check_launch(context_->facts, entry, groups, group_size)) return;
    const auto* const ours = dynamic_cast<const CudaProgram*>(&program);
    if (ours == nullptr || ours->context() != context_)
      throw InternalError("a program of another device is started");
    const CurrentContext current(*context_);
    ours->enqueue(stream_, entry, groups, group_size, arguments);
  }

  void write(Buffer& to, std::size_t offset, const void* host, std::size_t bytes) override {
    if (!check_copy(to, offset, bytes)) return;
    const base::cuda::Address address = this->address(to) + offset;
    const CurrentContext current(*context_);
    context_->check(context_->cuda.copy_to_device(address, host, bytes, stream_), "copying to it");
    wait();
  }

  void read(const Buffer& from, std::size_t offset, void* host, std::size_t bytes) override {
    if (!check_copy(from, offset, bytes)) return;
    const base::cuda::Address address = this->address(from) + offset;
    const CurrentContext current(*context_);
    context_->check(context_->cuda.copy_from_device(host, address, bytes, stream_),
                    "copying from it");
    wait();
  }

  void copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
            std::size_t bytes) override {
    if (!check_copy(from, from_offset, bytes) || !check_copy(to, to_offset, bytes)) return;
    const base::cuda::Address source = address(from) + from_offset,
                              target = address(to) + to_offset;
    const CurrentContext current(*context_);
    context_->check(context_->cuda.copy_on_device(target, source, bytes, stream_), "copying");
  }

  void finish() override {
    const CurrentContext current(*context_);
    wait();
  }

 private:
  void wait() const { context_->check(context_->cuda.wait_for_stream(stream_), "waiting"); }

  base::cuda::Address address(const Buffer& buffer) const {
    context_->check_process();
    const auto* const ours = dynamic_cast<const CudaBuffer*>(&buffer);
    if (ours == nullptr || ours->context() != context_)
      throw InternalError("a buffer of another device is copied");
    return ours->get();
  }

  const SharedCudaContext context_;
  const bool owned_ = true;
  base::cuda::Stream stream_ = nullptr;
};

}  // namespace

CudaBuffer::CudaBuffer(SharedCudaContext context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes), owned_(true) {
  if (bytes == 0) throw InternalError("a buffer of no bytes is asked for");
  const CurrentContext current(*context_);
  context_->check(context_->cuda.allocate(&address_, bytes),
                  "a buffer of " + std::to_string(bytes) + " bytes");
}

// A pointer that the driver does not know would end the context at the first access.
CudaBuffer::CudaBuffer(SharedCudaContext context, void* users)
    : context_(std::move(context)),
      owned_(false),
      address_(reinterpret_cast<std::uintptr_t>(users)) {
  using namespace base::cuda;
  const CurrentContext current(*context_);
  const auto& cuda = context_->cuda;
  int type = 0, ordinal = -1;
  if (users == nullptr || cuda.pointer_attribute(&type, kMemoryType, address_) != kSuccess)
    throw UserError("that is no memory which the CUDA driver knows");
  if (type == kOnDevice && cuda.pointer_attribute(&ordinal, kOrdinal, address_) == kSuccess &&
      ordinal != context_->device)
    throw UserError("memory of another GPU than the one that was opened");
  Context owner = nullptr;
  if (type == kOnDevice && cuda.pointer_attribute(&owner, kOwner, address_) == kSuccess &&
      owner != nullptr && owner != context_->context)
    throw UserError("memory of another context than the GPU's primary one");
  Address first = 0;
  std::size_t size = 0;
  const bool is_known = cuda.pointer_attribute(&first, kRangeStart, address_) == kSuccess &&
                        cuda.pointer_attribute(&size, kRangeSize, address_) == kSuccess &&
                        first <= address_ && address_ - first <= size;
  // Drivers before 10.2 do not say how long it is.
  bytes_ = is_known ? size - (address_ - first) : std::numeric_limits<std::size_t>::max() / 2;
}

CudaBuffer::~CudaBuffer() {
  if (!owned_ || !context_->is_of_this_process()) return;
  try {
    const CurrentContext current(*context_);
    context_->cuda.free(address_);
  } catch (const EnvironmentError&) {
    // The context is gone, and its memory with it.
  }
}

std::unique_ptr<Queue> adopt_cuda_queue(const SharedCudaContext& context,
                                        base::cuda::Stream users) {
  context->check_process();
  return std::make_unique<CudaQueue>(context, users);
}

std::unique_ptr<Queue> make_cuda_queue(const SharedCudaContext& context) {
  return std::make_unique<CudaQueue>(context);
}

}  // namespace reprosum::kernels::device
