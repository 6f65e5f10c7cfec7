// The functions of the CUDA driver and of NVRTC, its compiler, found when they are first needed.
// They are declared here, so that no toolkit is needed for a build; a test compares the
// declarations with a toolkit's headers where there is one. Their binary interface does not change.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct _nvrtcProgram;

namespace reprosum::base {

namespace cuda {

using Status = int;  // CUresult
using DeviceNumber = int;
using Address = unsigned long long;  // CUdeviceptr
using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;

inline constexpr Status kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100;
inline constexpr int kMaxThreadsPerBlock = 1, kMaxBlockX = 2, kMaxBlockY = 3, kMaxBlockZ = 4,
                     kMaxGridX = 5, kMaxGridY = 6, kMaxGridZ = 7, kMaxSharedBytes = 8,
                     kMultiprocessors = 16, kCapabilityMajor = 75, kCapabilityMinor = 76;
inline constexpr unsigned kNonBlocking = 1;  // of a stream
// Attributes of a pointer: the context and kind of its memory, the range that was allocated, the
// device.
inline constexpr int kOwner = 1, kMemoryType = 2, kOrdinal = 9, kRangeStart = 11, kRangeSize = 12,
                     kOnDevice = 2;

}  // namespace cuda

// X(name, name in the library, type)
// clang-format off
#define REPROSUM_CUDA_FUNCTIONS(X) \
  X(init, "cuInit", int (*)(unsigned)) \
  X(driver_version, "cuDriverGetVersion", int (*)(int*)) \
  X(device_count, "cuDeviceGetCount", int (*)(int*)) \
  X(device, "cuDeviceGet", int (*)(int*, int)) \
  X(device_name, "cuDeviceGetName", int (*)(char*, int, int)) \
  X(device_attribute, "cuDeviceGetAttribute", int (*)(int*, int, int)) \
  X(device_memory, "cuDeviceTotalMem_v2", int (*)(std::size_t*, int)) \
  X(retain_primary, "cuDevicePrimaryCtxRetain", int (*)(cuda::Context*, int)) \
  X(release_primary, "cuDevicePrimaryCtxRelease_v2", int (*)(int)) \
  X(push_context, "cuCtxPushCurrent_v2", int (*)(cuda::Context)) \
  X(pop_context, "cuCtxPopCurrent_v2", int (*)(cuda::Context*)) \
  X(load_module, "cuModuleLoadData", int (*)(cuda::Module*, const void*)) \
  X(unload_module, "cuModuleUnload", int (*)(cuda::Module)) \
  X(find_function, "cuModuleGetFunction", int (*)(cuda::Function*, cuda::Module, const char*)) \
  X(launch, "cuLaunchKernel", int (*)(cuda::Function, unsigned, unsigned, unsigned, unsigned, \
                                      unsigned, unsigned, unsigned, cuda::Stream, void**, void**)) \
  X(make_stream, "cuStreamCreate", int (*)(cuda::Stream*, unsigned)) \
  X(destroy_stream, "cuStreamDestroy_v2", int (*)(cuda::Stream)) \
  X(wait_for_stream, "cuStreamSynchronize", int (*)(cuda::Stream)) \
  X(allocate, "cuMemAlloc_v2", int (*)(cuda::Address*, std::size_t)) \
  X(free, "cuMemFree_v2", int (*)(cuda::Address)) \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", \
    int (*)(cuda::Address, const void*, std::size_t, cuda::Stream)) \
  X(copy_from_device, "cuMemcpyDtoHAsync_v2", \
    int (*)(void*, cuda::Address, std::size_t, cuda::Stream)) \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", \
    int (*)(cuda::Address, cuda::Address, std::size_t, cuda::Stream)) \
  X(pointer_attribute, "cuPointerGetAttribute", int (*)(void*, int, cuda::Address)) \
  X(error_name, "cuGetErrorName", int (*)(int, const char**)) \
  X(error_text, "cuGetErrorString", int (*)(int, const char**))
// Functions of drivers since 12.4; nullptr in others.
#define REPROSUM_CUDA_NEW_FUNCTIONS(X) \
  X(parameter, "cuFuncGetParamInfo", \
    int (*)(cuda::Function, std::size_t, std::size_t*, std::size_t*))
#define REPROSUM_NVRTC_FUNCTIONS(X) \
  X(version, "nvrtcVersion", int (*)(int*, int*)) \
  X(architecture_count, "nvrtcGetNumSupportedArchs", int (*)(int*)) \
  X(architectures, "nvrtcGetSupportedArchs", int (*)(int*)) \
  X(make_program, "nvrtcCreateProgram", int (*)(_nvrtcProgram**, const char*, const char*, int, \
                                                const char* const*, const char* const*)) \
  X(destroy_program, "nvrtcDestroyProgram", int (*)(_nvrtcProgram**)) \
  X(compile, "nvrtcCompileProgram", int (*)(_nvrtcProgram*, int, const char* const*)) \
  X(log_bytes, "nvrtcGetProgramLogSize", int (*)(_nvrtcProgram*, std::size_t*)) \
  X(log, "nvrtcGetProgramLog", int (*)(_nvrtcProgram*, char*)) \
  X(cubin_bytes, "nvrtcGetCUBINSize", int (*)(_nvrtcProgram*, std::size_t*)) \
  X(cubin, "nvrtcGetCUBIN", int (*)(_nvrtcProgram*, char*)) \
  X(ptx_bytes, "nvrtcGetPTXSize", int (*)(_nvrtcProgram*, std::size_t*)) \
  X(ptx, "nvrtcGetPTX", int (*)(_nvrtcProgram*, char*)) \
  X(error_text, "nvrtcGetErrorString", const char* (*)(int))
// clang-format on

#define REPROSUM_MEMBER(name, symbol, type) std::type_identity_t<type> name = nullptr;
struct CudaDriver {
  std::string library;  // by which name it was found
  int generation = 0;   // in which process (fork_gate.h)
  REPROSUM_CUDA_FUNCTIONS(REPROSUM_MEMBER)
  REPROSUM_CUDA_NEW_FUNCTIONS(REPROSUM_MEMBER)
};
struct Nvrtc {
  std::string library;
  REPROSUM_NVRTC_FUNCTIONS(REPROSUM_MEMBER)
};
#undef REPROSUM_MEMBER

// nullptr where there is none, or an older one: `why` says so. Looked for again until it is found.
// Nor in a child of fork whose parent found it.
const CudaDriver* cuda_driver(std::string* why);

// libnvrtc.so.13 or .12: the file, or the one in the directory, that REPROSUM_NVRTC names; then as
// cuda_library_candidates() says.
const Nvrtc* nvrtc(std::string* why);

// The files that nvrtc() tries, in that sequence.
std::vector<std::string> nvrtc_candidates();

// Where a library of the toolkit may be that has one of these names: where the loader looks; then
// in the toolkit of CUDA_HOME, CUDA_PATH or /usr/local/cuda; then in the packages nvidia/*/lib of
// this user's and the system's Python.
std::vector<std::string> cuda_library_candidates(const std::vector<std::string>& names);

}  // namespace reprosum::base
