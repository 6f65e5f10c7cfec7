// A CUDA driver whose device is this processor, as strict as CUDA's manual: what needs a current
// context has one, what is freed was allocated. Its modules are the text "module ENTRY ENTRY ...",
// of entries that are written here.
#include "tests/kernels/fake_cuda.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0, kInvalid = 1, kMemory = 2, kNoContext = 201, kNotFound = 500;

FakeCuda state{0, 0, 0, 0, 0, 1, 90, nullptr, 0};
int primary;  // its address is the context
std::vector<void*> stack;
std::map<std::uintptr_t, std::size_t> allocations;
std::set<std::string*> modules;
std::set<int*> streams;

// The function's name is asked for by `fails`.
int begin(const char* name, bool needs_context) {
  if (state.fails != nullptr && std::strcmp(state.fails, name) == 0) return kMemory;
  if (!needs_context || (!stack.empty() && stack.back() == &primary)) return kSuccess;
  ++state.faults;
  return kNoContext;
}

bool is_inside(std::uintptr_t address, std::size_t bytes) {
  for (const auto& [first, size] : allocations)
    if (address >= first && address - first <= size && bytes <= size - (address - first))
      return true;
  ++state.faults;
  return false;
}

template <class T>
T argument(void** arguments, int place) {
  T value;
  std::memcpy(&value, arguments[place], sizeof value);
  return value;
}

// scale(const float* x, float* out, long long n, float a): out = a * x.
constexpr std::size_t kScaleSizes[] = {8, 8, 8, 4};
void scale(void** arguments) {
  const auto* const x = argument<const float*>(arguments, 0);
  auto* const out = argument<float*>(arguments, 1);
  const auto n = argument<long long>(arguments, 2);
  const auto a = argument<float>(arguments, 3);
  for (long long i = 0; i < n; ++i) out[i] = a * x[i];
}

}  // namespace

#define BEGIN(needs_context) \
  if (const int failed = begin(__func__, needs_context); failed != 0) return failed

extern "C" {

FakeCuda* fake_cuda() {
  state.depth = static_cast<int>(stack.size());
  return &state;
}

int cuInit(unsigned) {
  BEGIN(false);
  return kSuccess;
}
int cuDriverGetVersion(int* version) {
  *version = 12040;
  return kSuccess;
}
int cuDeviceGetCount(int* count) {
  BEGIN(false);
  *count = state.devices;
  return state.devices > 0 ? kSuccess : 100;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < state.devices ? kSuccess : kInvalid;
}
int cuDeviceGetName(char* name, int length, int) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return kSuccess;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> known{{1, 1024},
                                 {2, 1024},
                                 {3, 1024},
                                 {4, 64},
                                 {5, 1 << 30},
                                 {6, 65535},
                                 {7, 65535},
                                 {8, 49152},
                                 {16, 132},
                                 {75, state.capability / 10},
                                 {76, state.capability % 10}};
  const auto found = known.find(attribute);
  if (found == known.end()) return kInvalid;
  *value = found->second;
  return kSuccess;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 30;
  return kSuccess;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  BEGIN(false);
  *context = &primary;
  ++state.contexts_retained;
  return kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  if (--state.contexts_retained < 0) ++state.faults;
  return kSuccess;
}
int cuCtxPushCurrent_v2(void* context) {
  BEGIN(false);
  if (context != &primary || state.contexts_retained == 0) ++state.faults;
  stack.push_back(context);
  return kSuccess;
}
int cuCtxPopCurrent_v2(void** context) {
  if (stack.empty()) {
    ++state.faults;
    return kNoContext;
  }
  *context = stack.back();
  stack.pop_back();
  return kSuccess;
}
int cuModuleLoadData(void** module, const void* image) {
  BEGIN(true);
  const std::string text = static_cast<const char*>(image);
  if (!text.starts_with("module ")) return 200;
  ++state.modules;
  *module = *modules.insert(new std::string(text)).first;
  return kSuccess;
}
int cuModuleUnload(void* module) {
  BEGIN(true);
  auto* const known = static_cast<std::string*>(module);
  if (modules.erase(known) == 0) return ++state.faults, kInvalid;
  delete known;
  --state.modules;
  return kSuccess;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  BEGIN(true);
  if (static_cast<std::string*>(module)->find(std::string(" ") + name) == std::string::npos ||
      std::strcmp(name, "scale") != 0)
    return kNotFound;
  *function = reinterpret_cast<void*>(&scale);
  return kSuccess;
}
int cuFuncGetParamInfo(void*, std::size_t place, std::size_t*, std::size_t* size) {
  BEGIN(true);
  if (place >= std::size(kScaleSizes)) return kInvalid;
  *size = kScaleSizes[place];
  return kSuccess;
}
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, void*, void** arguments, void** extra) {
  BEGIN(true);
  if (extra != nullptr) return kInvalid;
  reinterpret_cast<void (*)(void**)>(function)(arguments);
  return kSuccess;
}
int cuStreamCreate(void** stream, unsigned) {
  BEGIN(true);
  ++state.streams;
  *stream = *streams.insert(new int).first;
  return kSuccess;
}
int cuStreamDestroy_v2(void* stream) {
  BEGIN(true);
  auto* const known = static_cast<int*>(stream);
  if (streams.erase(known) == 0) return ++state.faults, kInvalid;
  delete known;
  --state.streams;
  return kSuccess;
}
int cuStreamSynchronize(void* stream) {
  BEGIN(true);
  if (stream == nullptr || streams.count(static_cast<int*>(stream)) == 1) return kSuccess;
  return ++state.faults, kInvalid;
}
int cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
  BEGIN(true);
  if (bytes > std::size_t{1} << 30) return kMemory;
  *address = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
  allocations[*address] = bytes;
  state.bytes += bytes;
  return kSuccess;
}
int cuMemFree_v2(std::uintptr_t address) {
  BEGIN(true);
  const auto found = allocations.find(address);
  if (found == allocations.end()) return ++state.faults, kInvalid;
  state.bytes -= found->second;
  allocations.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return kSuccess;
}
int cuMemcpyHtoDAsync_v2(std::uintptr_t to, const void* from, std::size_t bytes, void*) {
  BEGIN(true);
  if (!is_inside(to, bytes)) return kInvalid;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uintptr_t from, std::size_t bytes, void*) {
  BEGIN(true);
  if (!is_inside(from, bytes)) return kInvalid;
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return kSuccess;
}
int cuMemcpyDtoDAsync_v2(std::uintptr_t to, std::uintptr_t from, std::size_t bytes, void*) {
  BEGIN(true);
  if (!is_inside(to, bytes) || !is_inside(from, bytes)) return kInvalid;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return kSuccess;
}
int cuPointerGetAttribute(void* value, int attribute, std::uintptr_t address) {
  for (const auto& [first, size] : allocations)
    if (address >= first && address < first + size) {
      const int number = attribute == 2 ? 2 : 0;
      void* const context = &primary;
      if (attribute == 1) std::memcpy(value, &context, sizeof context);
      if (attribute == 2 || attribute == 9) std::memcpy(value, &number, sizeof number);
      if (attribute == 11) std::memcpy(value, &first, sizeof first);
      if (attribute == 12) std::memcpy(value, &size, sizeof size);
      return kSuccess;
    }
  return kInvalid;
}
int cuGetErrorName(int status, const char** name) {
  *name = status == kMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return status == kMemory ? kSuccess : kInvalid;
}
int cuGetErrorString(int, const char** text) {
  *text = "out of memory";
  return kSuccess;
}

}  // extern "C"
