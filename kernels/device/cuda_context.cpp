// Finds the GPUs and says what they are.
#include "kernels/device/cuda.h"
#include "kernels/device/cuda_objects.h"
#include "kernels/device/nvrtc.h"
#include "spec/error.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels::device {
namespace {

using base::cuda::kSuccess;

std::string words(const base::CudaDriver& cuda, base::cuda::Status status) {
  const char *name = nullptr, *text = nullptr;
  if (cuda.error_name(status, &name) != kSuccess || name == nullptr)
    return "error " + std::to_string(status);
  if (cuda.error_text(status, &text) != kSuccess || text == nullptr) return name;
  return std::string(name) + ", " + text;
}

// "13.0" of 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class CudaDevice : public Device {
 public:
  explicit CudaDevice(SharedCudaContext context) : context_(std::move(context)) {}
  const Facts& facts() const override { return context_->facts; }
  void check_process() const override { context_->check_process(); }
  std::unique_ptr<Buffer> adopt(void* memory) override {
    return std::make_unique<CudaBuffer>(context_, memory);
  }
  std::unique_ptr<Queue> adopt_queue(void* queue) override {
    return adopt_cuda_queue(context_, static_cast<base::cuda::Stream>(queue));
  }
  std::unique_ptr<Buffer> allocate(std::size_t bytes) override {
    return std::make_unique<CudaBuffer>(context_, bytes);
  }
  std::unique_ptr<Queue> make_queue() override { return make_cuda_queue(context_); }
  std::shared_ptr<const Program> compile(const std::string& text,
                                         const std::string& more) override {
    context_->check_process();
    if (context_->packed == nullptr) return load(compile_cuda(text, context_->capability, more));
    return load(context_->packed->code(text, context_->capability,
                                       more.empty() ? options() : options() + " " + more));
  }
  std::string options() const override { return cuda_options(); }
  std::shared_ptr<const Program> load(const std::string& binary) override {
    return std::make_shared<const CudaProgram>(context_, binary);
  }

 private:
  const SharedCudaContext context_;
};

}  // namespace

CudaContext::CudaContext(const base::CudaDriver& driver, base::cuda::DeviceNumber device)
    : cuda(driver),
      device(device),
      packed(PackedPrograms::named()),
      generation_(base::generation()) {
  char name[256] = {};
  check(cuda.device_name(name, sizeof name - 1, device), "the name of a GPU");
  facts.dialect = Dialect::cuda;
  facts.name = name;
  const auto attribute = [&](int which) {
    int value = 0;
    check(cuda.device_attribute(&value, which, device), "an attribute");
    return value;
  };
  using namespace base::cuda;
  capability = 10 * attribute(kCapabilityMajor) + attribute(kCapabilityMinor);
  int version = 0;
  check(cuda.driver_version(&version), "the version of the driver");
  facts.driver = "CUDA driver " + version_text(version);
  facts.target = "sm_" + std::to_string(capability);
  std::string why;
  facts.compiler = packed == nullptr ? nvrtc_version(&why) : packed->compiler() + ", packed";
  facts.has_f64 = true;
  facts.units = attribute(kMultiprocessors);
  std::size_t memory = 0;
  check(cuda.device_memory(&memory, device), "the memory");
  facts.memory_bytes = facts.buffer_bytes = static_cast<std::int64_t>(memory);
  facts.local_bytes = attribute(kMaxSharedBytes);
  facts.group_size = attribute(kMaxThreadsPerBlock);
  facts.group_sizes = {attribute(kMaxBlockX), attribute(kMaxBlockY), attribute(kMaxBlockZ)};
  facts.groups = {attribute(kMaxGridX), attribute(kMaxGridY), attribute(kMaxGridZ)};
  check(cuda.retain_primary(&context, device), "the primary context");
}

CudaContext::~CudaContext() {
  if (is_of_this_process()) cuda.release_primary(device);
}

void CudaContext::check(base::cuda::Status status, const std::string& what) const {
  if (status == kSuccess) return;
  throw EnvironmentError(what + (facts.name.empty() ? "" : " on " + facts.name) + ": " +
                         words(cuda, status));
}

bool CudaContext::is_of_this_process() const { return generation_ == base::generation(); }

void CudaContext::check_process() const {
  if (!is_of_this_process())
    throw EnvironmentError(facts.name +
                           " was opened before this process was forked: open it again in a process "
                           "that starts anew");
}

CurrentContext::CurrentContext(const CudaContext& context) : context_(context) {
  context.check_process();
  context.check(context.cuda.push_context(context.context), "entering the context");
}

CurrentContext::~CurrentContext() {
  base::cuda::Context ignored = nullptr;
  context_.cuda.pop_context(&ignored);
}

std::vector<std::unique_ptr<Device>> cuda_devices(std::string* why) {
  const base::CudaDriver* const driver = base::cuda_driver(why);
  if (driver == nullptr) return {};
  int count = 0;
  base::cuda::Status status = driver->init(0);
  if (status == kSuccess) status = driver->device_count(&count);
  if (status != kSuccess || count == 0) {
    *why = "the CUDA driver finds no GPU" +
           (status == kSuccess ? std::string() : ": " + words(*driver, status));
    return {};
  }
  std::vector<std::unique_ptr<Device>> out;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    base::cuda::DeviceNumber device = 0;
    if (driver->device(&device, ordinal) != kSuccess) continue;
    out.push_back(
        std::make_unique<CudaDevice>(std::make_shared<const CudaContext>(*driver, device)));
  }
  return out;
}

}  // namespace reprosum::kernels::device
