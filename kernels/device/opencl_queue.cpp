// Buffers, and the queue in whose sequence they are used.
#include "kernels/device/launch_checks.h"
#include "kernels/device/opencl_errors.h"
#include "kernels/device/opencl_objects.h"
#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

class OpenClQueue : public Queue {
 public:
  explicit OpenClQueue(SharedContext context) : context_(std::move(context)) {
    context_->check_process();
    cl_int status = CL_SUCCESS;
    queue_ = context_->cl.clCreateCommandQueue(context_->context, context_->device, 0, &status);
    check_opencl(status, "a queue of " + context_->facts.name);
  }
  ~OpenClQueue() override {
    if (!context_->is_of_this_process()) return;
    context_->cl.clFinish(queue_);  // what is enqueued may use buffers that go next
    context_->cl.clReleaseCommandQueue(queue_);
  }
  OpenClQueue(const OpenClQueue&) = delete;
  OpenClQueue& operator=(const OpenClQueue&) = delete;

  void launch(const Program& program, const std::string& entry, Extent groups, Extent group_size,
              std::span<const Argument> arguments) override {
    context_->check_process();
    if (!check_launch(context_->facts, entry, groups, group_size)) return;
    const auto* const ours = dynamic_cast<const OpenClProgram*>(&program);
    if (ours == nullptr || ours->context() != context_)
      throw InternalError("a program of another device is started");
    ours->enqueue(queue_, entry, groups, group_size, arguments);
  }

  void write(Buffer& to, std::size_t offset, const void* host, std::size_t bytes) override {
    if (!check_copy(to, offset, bytes)) return;
    check_opencl(context_->cl.clEnqueueWriteBuffer(queue_, memory(to), CL_TRUE, offset, bytes, host,
                                                   0, nullptr, nullptr),
                 "copying to " + context_->facts.name);
  }

  void read(const Buffer& from, std::size_t offset, void* host, std::size_t bytes) override {
    if (!check_copy(from, offset, bytes)) return;
    check_opencl(context_->cl.clEnqueueReadBuffer(queue_, memory(from), CL_TRUE, offset, bytes,
                                                  host, 0, nullptr, nullptr),
                 "copying from " + context_->facts.name);
  }

  void copy(const Buffer& from, std::size_t from_offset, Buffer& to, std::size_t to_offset,
            std::size_t bytes) override {
    if (!check_copy(from, from_offset, bytes) || !check_copy(to, to_offset, bytes)) return;
    check_opencl(context_->cl.clEnqueueCopyBuffer(queue_, memory(from), memory(to), from_offset,
                                                  to_offset, bytes, 0, nullptr, nullptr),
                 "copying on " + context_->facts.name);
  }

  void finish() override {
    context_->check_process();
    check_opencl(context_->cl.clFinish(queue_), "waiting for " + context_->facts.name);
  }

 private:
  cl_mem memory(const Buffer& buffer) const {
    context_->check_process();
    const auto* const ours = dynamic_cast<const OpenClBuffer*>(&buffer);
    if (ours == nullptr || ours->context() != context_)
      throw InternalError("a buffer of another device is copied");
    return ours->get();
  }

  const SharedContext context_;
  cl_command_queue queue_ = nullptr;
};

}  // namespace

OpenClBuffer::OpenClBuffer(SharedContext context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes) {
  context_->check_process();
  if (bytes == 0) throw InternalError("a buffer of no bytes is asked for");
  cl_int status = CL_SUCCESS;
  memory_ =
      context_->cl.clCreateBuffer(context_->context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check_opencl(status,
               "a buffer of " + std::to_string(bytes) + " bytes on " + context_->facts.name);
}

OpenClBuffer::~OpenClBuffer() {
  if (context_->is_of_this_process()) context_->cl.clReleaseMemObject(memory_);
}

std::unique_ptr<Queue> make_opencl_queue(const SharedContext& context) {
  return std::make_unique<OpenClQueue>(context);
}

}  // namespace reprosum::kernels::device
