// Finds the devices and says what they are.
#include <algorithm>
#include <array>
#include <limits>

#include "kernels/device/opencl.h"
#include "kernels/device/opencl_errors.h"
#include "kernels/device/opencl_objects.h"
#include "spec/error.h"
#include "src/base/fork_gate.h"
#include "src/base/opencl_devices.h"

namespace reprosum::kernels::device {
namespace {

using base::opencl_platform_text;
using base::opencl_text;

template <class T>
T number(const base::OpenClDriver& cl, cl_device_id device, cl_device_info what) {
  T value{};
  check_opencl(cl.clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

std::int64_t signed_size(cl_ulong value) {
  constexpr auto kMost = static_cast<cl_ulong>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kMost));
}

Facts facts_of(const base::OpenClDriver& cl, cl_device_id device) {
  Facts facts;
  facts.dialect = Dialect::opencl;
  facts.name = opencl_text(cl, device, CL_DEVICE_NAME);
  facts.driver = opencl_platform_text(cl, device, CL_PLATFORM_NAME) + ", " +
                 opencl_platform_text(cl, device, CL_PLATFORM_VERSION) + ", driver " +
                 opencl_text(cl, device, CL_DRIVER_VERSION);
  facts.target = facts.name + ", " + facts.driver;
  facts.compiler = opencl_text(cl, device, CL_DEVICE_OPENCL_C_VERSION) + " of " +
                   opencl_text(cl, device, CL_DRIVER_VERSION);
  facts.has_f64 = number<cl_device_fp_config>(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  facts.is_processor =
      (number<cl_device_type>(cl, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
  facts.units = number<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS);
  facts.memory_bytes = signed_size(number<cl_ulong>(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE));
  facts.buffer_bytes = signed_size(number<cl_ulong>(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  facts.local_bytes = signed_size(number<cl_ulong>(cl, device, CL_DEVICE_LOCAL_MEM_SIZE));
  facts.group_size = signed_size(number<std::size_t>(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  std::array<std::size_t, 8> sizes{1, 1, 1};
  if (number<cl_uint>(cl, device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) <= sizes.size())
    check_opencl(cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes,
                                    sizes.data(), nullptr),
                 "clGetDeviceInfo");
  facts.group_sizes = {signed_size(sizes[0]), signed_size(sizes[1]), signed_size(sizes[2])};
  // Work-items are counted in size_t; drivers of 32 bits inside are not told apart from others.
  constexpr std::int64_t kGroups = std::numeric_limits<std::int32_t>::max();
  facts.groups = {kGroups, 65535, 65535};
  return facts;
}

class OpenClDevice : public Device {
 public:
  explicit OpenClDevice(SharedContext context) : context_(std::move(context)) {}
  const Facts& facts() const override { return context_->facts; }
  void check_process() const override { context_->check_process(); }
  std::unique_ptr<Buffer> adopt(void* memory) override {
    return std::make_unique<OpenClBuffer>(context_, static_cast<cl_mem>(memory));
  }
  std::unique_ptr<Queue> adopt_queue(void* queue) override {
    return adopt_opencl_queue(context_, static_cast<cl_command_queue>(queue));
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes) override {
    return std::make_unique<OpenClBuffer>(context_, bytes);
  }
  std::unique_ptr<Queue> make_queue() override { return make_opencl_queue(context_); }
  std::shared_ptr<const Program> compile(const std::string& text,
                                         const std::string& more) override {
    return build_opencl(context_, text, context_->options + (more.empty() ? "" : " " + more));
  }
  std::string options() const override { return context_->options; }
  std::shared_ptr<const Program> load(const std::string& binary) override {
    return load_opencl(context_, binary);
  }

 private:
  const SharedContext context_;
};

}  // namespace

OpenClContext::OpenClContext(const base::OpenClDriver& driver, cl_device_id device)
    : OpenClContext(driver, device, nullptr) {}

OpenClContext::OpenClContext(const base::OpenClDriver& driver, cl_device_id device,
                             cl_context users)
    : cl(driver), device(device), generation_(base::generation()) {
  facts = facts_of(cl, device);
  options = "-cl-std=CL1.2 -cl-kernel-arg-info";
  // Devices without it round otherwise and must not be given the option.
  if ((number<cl_device_fp_config>(cl, device, CL_DEVICE_SINGLE_FP_CONFIG) &
       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0)
    options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (users != nullptr) {
    check_opencl(cl.clRetainContext(users), "the context that was given");
    context = users;
    return;
  }
  cl_int status = CL_SUCCESS;
  context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check_opencl(status, "a context of " + facts.name);
}

// In a child of fork, releasing would wait for threads that are not there.
OpenClContext::~OpenClContext() {
  if (is_of_this_process()) cl.clReleaseContext(context);
}

bool OpenClContext::is_of_this_process() const { return generation_ == base::generation(); }

void OpenClContext::check_process() const {
  if (!is_of_this_process())
    throw EnvironmentError(facts.name +
                           " was opened before this process was forked: open it again in a process "
                           "that starts anew");
}

std::unique_ptr<Device> opencl_device_of(void* context, void* device) {
  std::string why;
  const base::OpenClDriver* const driver = base::opencl_driver(&why);
  if (driver == nullptr) throw EnvironmentError(why);
  return std::make_unique<OpenClDevice>(std::make_shared<const OpenClContext>(
      *driver, static_cast<cl_device_id>(device), static_cast<cl_context>(context)));
}

std::vector<std::unique_ptr<Device>> opencl_devices(std::string* why) {
  const base::OpenClDriver* const driver = base::opencl_driver(why);
  if (driver == nullptr) return {};
  std::vector<std::unique_ptr<Device>> out;
  for (const cl_device_id device : base::opencl_devices(*driver, why))
    out.push_back(
        std::make_unique<OpenClDevice>(std::make_shared<const OpenClContext>(*driver, device)));
  return out;
}

}  // namespace reprosum::kernels::device
