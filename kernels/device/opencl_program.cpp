// Programs of text or of binaries, and how their entries are enqueued.
#include <array>
#include <type_traits>
#include <vector>

#include "kernels/device/opencl_errors.h"
#include "kernels/device/opencl_objects.h"
#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

constexpr std::size_t kMaxLog = 4000;

std::string build_log(const OpenClContext& context, cl_program program) {
  std::size_t size = 0;
  if (context.cl.clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BUILD_LOG, 0, nullptr,
                                       &size) != CL_SUCCESS)
    return "";
  std::string log(size, '\0');
  context.cl.clGetProgramBuildInfo(program, context.device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                                   nullptr);
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log.substr(0, kMaxLog);
}

// Owns the program from the start, so that a failed build frees it.
std::shared_ptr<const Program> built(const SharedContext& context, cl_program program,
                                     const std::string& options) {
  auto owner = std::make_shared<OpenClProgram>(context, program);
  const cl_int status =
      context->cl.clBuildProgram(program, 1, &context->device, options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return owner;
  const std::string log = build_log(*context, program);
  check_opencl(status, "a kernel for " + context->facts.name + " was not compiled (options " +
                           options + ")" + (log.empty() ? "" : ":\n" + log + "\n"));
  return owner;
}

}  // namespace

std::shared_ptr<const Program> build_opencl(const SharedContext& context, const std::string& text,
                                            const std::string& options) {
  context->check_process();
  const char* source = text.c_str();
  const std::size_t length = text.size();
  cl_int status = CL_SUCCESS;
  const cl_program program =
      context->cl.clCreateProgramWithSource(context->context, 1, &source, &length, &status);
  check_opencl(status, "clCreateProgramWithSource");
  return built(context, program, options);
}

std::shared_ptr<const Program> load_opencl(const SharedContext& context,
                                           const std::string& binary) {
  context->check_process();
  if (binary.empty()) throw EnvironmentError("a compiled kernel is empty");
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl_int status = CL_SUCCESS, of_binary = CL_SUCCESS;
  const cl_program program = context->cl.clCreateProgramWithBinary(
      context->context, 1, &context->device, &length, &bytes, &of_binary, &status);
  check_opencl(status, "a compiled kernel for " + context->facts.name);
  return built(context, program, context->options);
}

OpenClProgram::OpenClProgram(SharedContext context, cl_program program)
    : context_(std::move(context)), program_(program) {}

OpenClProgram::~OpenClProgram() {
  if (!context_->is_of_this_process()) return;
  for (const auto& [name, entry] : entries_) context_->cl.clReleaseKernel(entry.kernel);
  context_->cl.clReleaseProgram(program_);
}

std::string OpenClProgram::binary() const {
  context_->check_process();
  std::size_t size = 0;
  check_opencl(
      context_->cl.clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
      "clGetProgramInfo");
  std::string bytes(size, '\0');
  auto* to = reinterpret_cast<unsigned char*>(bytes.data());
  check_opencl(
      context_->cl.clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr),
      "clGetProgramInfo");
  return bytes;
}

const OpenClProgram::Entry& OpenClProgram::find(const std::string& entry) const {
  const auto known = entries_.find(entry);
  if (known != entries_.end()) return known->second;
  cl_int status = CL_SUCCESS;
  const cl_kernel made = context_->cl.clCreateKernel(program_, entry.c_str(), &status);
  if (status == CL_INVALID_KERNEL_NAME)
    throw InternalError("the program has no entry \"" + entry + "\"");
  check_opencl(status, "the entry \"" + entry + "\"");
  Entry& kept = entries_[entry];
  kept.kernel = made;
  kept.kinds = kinds(made);
  return kept;
}

// Drivers need not know the types of a program that was loaded.
std::vector<OpenClProgram::Kind> OpenClProgram::kinds(cl_kernel kernel) const {
  cl_uint count = 0;
  check_opencl(
      context_->cl.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
      "clGetKernelInfo");
  std::vector<Kind> out(count, Kind::unknown);
  for (cl_uint place = 0; place < count; ++place) {
    cl_kernel_arg_address_qualifier space = 0;
    if (context_->cl.clGetKernelArgInfo(kernel, place, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                        sizeof space, &space, nullptr) == CL_SUCCESS)
      out[place] = space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? Kind::scalar : Kind::pointer;
  }
  return out;
}

void OpenClProgram::set(const Entry& entry, const std::string& name,
                        std::span<const Argument> arguments) const {
  if (entry.kinds.size() != arguments.size())
    throw InternalError("the entry \"" + name + "\" takes " + std::to_string(entry.kinds.size()) +
                        " arguments, not " + std::to_string(arguments.size()));
  cl_uint place = 0;
  for (const Argument& argument : arguments) {
    const auto refuse = [&](const std::string& why) {
      throw InternalError("the entry \"" + name + "\" does not take its argument " +
                          std::to_string(place) + ": " + why);
    };
    // Some drivers follow a number as if it were a buffer.
    const bool is_pointer = std::holds_alternative<const Buffer*>(argument);
    if (entry.kinds[place] == (is_pointer ? Kind::scalar : Kind::pointer))
      refuse(is_pointer ? "it is a number" : "it is a buffer");
    const cl_int status = std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, const Buffer*>) {
            const auto* const buffer = dynamic_cast<const OpenClBuffer*>(value);
            if (value != nullptr && (buffer == nullptr || buffer->context() != context_))
              refuse("it is a buffer of another device");
            const cl_mem memory = buffer == nullptr ? nullptr : buffer->get();
            return context_->cl.clSetKernelArg(entry.kernel, place, sizeof memory, &memory);
          } else {
            return context_->cl.clSetKernelArg(entry.kernel, place, sizeof value, &value);
          }
        },
        argument);
    if (status != CL_SUCCESS) refuse(opencl_error(status));
    ++place;
  }
}

void OpenClProgram::enqueue(cl_command_queue queue, const std::string& entry, Extent groups,
                            Extent group_size, std::span<const Argument> arguments) const {
  const std::array<std::size_t, 3> local{static_cast<std::size_t>(group_size.x),
                                         static_cast<std::size_t>(group_size.y),
                                         static_cast<std::size_t>(group_size.z)};
  const std::array<std::size_t, 3> global{static_cast<std::size_t>(groups.x) * local[0],
                                          static_cast<std::size_t>(groups.y) * local[1],
                                          static_cast<std::size_t>(groups.z) * local[2]};
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry& found = find(entry);
  set(found, entry, arguments);
  check_opencl(context_->cl.clEnqueueNDRangeKernel(queue, found.kernel, 3, nullptr, global.data(),
                                                   local.data(), 0, nullptr, nullptr),
               "the entry \"" + entry + "\" was not started on " + context_->facts.name);
}

}  // namespace reprosum::kernels::device
