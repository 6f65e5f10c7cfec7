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
  OpenClQueue(SharedContext context, cl_command_queue users)
      : context_(std::move(context)), owned_(false), queue_(users) {}
  ~OpenClQueue() override {
    if (!owned_ || !context_->is_of_this_process()) return;
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
  const bool owned_ = true;
  cl_command_queue queue_ = nullptr;
};

template <class T>
T info(const OpenClContext& context, cl_mem memory, cl_mem_info what) {
  context.check_process();
  T value{};
  if (memory == nullptr ||
      context.cl.clGetMemObjectInfo(memory, what, sizeof value, &value, nullptr) != CL_SUCCESS)
    throw UserError("that is no cl_mem");
  return value;
}

}  // namespace

OpenClBuffer::OpenClBuffer(SharedContext context, std::size_t bytes)
    : context_(std::move(context)), bytes_(bytes), owned_(true) {
  context_->check_process();
  if (bytes == 0) throw InternalError("a buffer of no bytes is asked for");
  cl_int status = CL_SUCCESS;
  memory_ =
      context_->cl.clCreateBuffer(context_->context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check_opencl(status,
               "a buffer of " + std::to_string(bytes) + " bytes on " + context_->facts.name);
}

OpenClBuffer::OpenClBuffer(SharedContext context, cl_mem users)
    : context_(std::move(context)),
      bytes_(info<std::size_t>(*context_, users, CL_MEM_SIZE)),
      owned_(false),
      memory_(users) {
  if (info<cl_context>(*context_, users, CL_MEM_CONTEXT) != context_->context)
    throw UserError("a cl_mem of another context than the one that was opened");
}

OpenClBuffer::~OpenClBuffer() {
  if (owned_ && context_->is_of_this_process()) context_->cl.clReleaseMemObject(memory_);
}

std::unique_ptr<Queue> adopt_opencl_queue(const SharedContext& context, cl_command_queue users) {
  context->check_process();
  cl_context of = nullptr;
  cl_device_id device = nullptr;
  const auto& cl = context->cl;
  if (users == nullptr ||
      cl.clGetCommandQueueInfo(users, CL_QUEUE_CONTEXT, sizeof of, &of, nullptr) != CL_SUCCESS ||
      cl.clGetCommandQueueInfo(users, CL_QUEUE_DEVICE, sizeof device, &device, nullptr) !=
          CL_SUCCESS)
    throw UserError("that is no cl_command_queue");
  if (of != context->context || device != context->device)
    throw UserError("a cl_command_queue of another context or device than what was opened");
  cl_command_queue_properties properties = 0;
  cl.clGetCommandQueueInfo(users, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    throw UserError("a cl_command_queue that runs commands out of their sequence");
  return std::make_unique<OpenClQueue>(context, users);
}

std::unique_ptr<Queue> make_opencl_queue(const SharedContext& context) {
  return std::make_unique<OpenClQueue>(context);
}

}  // namespace reprosum::kernels::device
