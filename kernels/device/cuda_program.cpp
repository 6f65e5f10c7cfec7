// Programs of machine code, and how their entries are enqueued.
#include <array>
#include <type_traits>
#include <vector>

#include "kernels/device/cuda_objects.h"
#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

std::size_t size_of(const Argument& argument) {
  return std::visit(
      [](const auto& value) -> std::size_t {
        using Value = std::decay_t<decltype(value)>;
        return std::is_pointer_v<Value> ? sizeof(base::cuda::Address) : sizeof(Value);
      },
      argument);
}

}  // namespace

CudaProgram::CudaProgram(SharedCudaContext context, std::string code)
    : context_(std::move(context)), code_(std::move(code)) {
  if (code_.empty()) throw EnvironmentError("a compiled kernel is empty");
  const CurrentContext current(*context_);
  context_->check(context_->cuda.load_module(&module_, code_.c_str()), "loading a compiled kernel");
}

CudaProgram::~CudaProgram() {
  if (!context_->is_of_this_process()) return;
  try {
    const CurrentContext current(*context_);
    context_->cuda.unload_module(module_);
  } catch (const EnvironmentError&) {
    // The context is gone, and the module with it.
  }
}

base::cuda::Function CudaProgram::find(const std::string& entry) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = functions_.find(entry);
  if (known != functions_.end()) return known->second;
  base::cuda::Function function = nullptr;
  if (context_->cuda.find_function(&function, module_, entry.c_str()) != base::cuda::kSuccess)
    throw InternalError("the program has no entry \"" + entry + "\"");
  return functions_[entry] = function;
}

void CudaProgram::check_sizes(base::cuda::Function function, const std::string& entry,
                              std::span<const Argument> arguments) const {
  if (context_->cuda.parameter == nullptr) return;
  for (std::size_t place = 0; place <= arguments.size(); ++place) {
    std::size_t offset = 0, size = 0;
    const bool is_there =
        context_->cuda.parameter(function, place, &offset, &size) == base::cuda::kSuccess;
    if (is_there != (place < arguments.size()))
      throw InternalError("the entry \"" + entry + "\" takes " + (is_there ? "more" : "fewer") +
                          " than " + std::to_string(arguments.size()) + " arguments");
    if (is_there && size != size_of(arguments[place]))
      throw InternalError("the entry \"" + entry + "\" does not take its argument " +
                          std::to_string(place) + ": it has another size");
  }
}

void CudaProgram::enqueue(base::cuda::Stream stream, const std::string& entry, Extent groups,
                          Extent group_size, std::span<const Argument> arguments) const {
  const base::cuda::Function function = find(entry);
  check_sizes(function, entry, arguments);
  union Value {
    base::cuda::Address address;
    std::int64_t integer;
    float f32;
    double f64;
  };
  std::vector<Value> values(arguments.size());
  std::vector<void*> pointers;
  for (std::size_t place = 0; place < arguments.size(); ++place) {
    Value& to = values[place];
    const Argument& argument = arguments[place];
    if (const auto* const buffer = std::get_if<const Buffer*>(&argument)) {
      const auto* const ours = dynamic_cast<const CudaBuffer*>(*buffer);
      if (*buffer != nullptr && (ours == nullptr || ours->context() != context_))
        throw InternalError("the entry \"" + entry + "\" does not take its argument " +
                            std::to_string(place) + ": it is a buffer of another device");
      to.address = ours == nullptr ? 0 : ours->get();
    } else if (const auto* const integer = std::get_if<std::int64_t>(&argument)) {
      to.integer = *integer;
    } else if (const auto* const f32 = std::get_if<float>(&argument)) {
      to.f32 = *f32;
    } else {
      to.f64 = std::get<double>(argument);
    }
    pointers.push_back(&to);
  }
  const auto number = [](std::int64_t size) { return static_cast<unsigned>(size); };
  context_->check(
      context_->cuda.launch(function, number(groups.x), number(groups.y), number(groups.z),
                            number(group_size.x), number(group_size.y), number(group_size.z), 0,
                            stream, pointers.data(), nullptr),
      "the entry \"" + entry + "\" was not started");
}

}  // namespace reprosum::kernels::device
