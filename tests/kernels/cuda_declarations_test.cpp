// Our declarations of CUDA against the headers of a toolkit: the same binary interface.
#include <cuda.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "src/base/cuda_driver.h"
#include "tests/same_interface.h"

namespace {

using reprosum::testing::Alike;

#define REPROSUM_SAME(name, theirs) \
  static_assert(Alike<decltype(reprosum::base::CudaDriver::name), decltype(&theirs)>::value)
REPROSUM_SAME(init, cuInit);
REPROSUM_SAME(driver_version, cuDriverGetVersion);
REPROSUM_SAME(device_count, cuDeviceGetCount);
REPROSUM_SAME(device, cuDeviceGet);
REPROSUM_SAME(device_name, cuDeviceGetName);
REPROSUM_SAME(device_attribute, cuDeviceGetAttribute);
REPROSUM_SAME(device_memory, cuDeviceTotalMem);
REPROSUM_SAME(retain_primary, cuDevicePrimaryCtxRetain);
REPROSUM_SAME(release_primary, cuDevicePrimaryCtxRelease);
REPROSUM_SAME(push_context, cuCtxPushCurrent);
REPROSUM_SAME(pop_context, cuCtxPopCurrent);
REPROSUM_SAME(load_module, cuModuleLoadData);
REPROSUM_SAME(unload_module, cuModuleUnload);
REPROSUM_SAME(find_function, cuModuleGetFunction);
REPROSUM_SAME(launch, cuLaunchKernel);
REPROSUM_SAME(make_stream, cuStreamCreate);
REPROSUM_SAME(destroy_stream, cuStreamDestroy);
REPROSUM_SAME(wait_for_stream, cuStreamSynchronize);
REPROSUM_SAME(allocate, cuMemAlloc);
REPROSUM_SAME(free, cuMemFree);
REPROSUM_SAME(copy_to_device, cuMemcpyHtoDAsync);
REPROSUM_SAME(copy_from_device, cuMemcpyDtoHAsync);
REPROSUM_SAME(copy_on_device, cuMemcpyDtoDAsync);
REPROSUM_SAME(pointer_attribute, cuPointerGetAttribute);
REPROSUM_SAME(error_name, cuGetErrorName);
REPROSUM_SAME(error_text, cuGetErrorString);
#if CUDA_VERSION >= 12040
REPROSUM_SAME(parameter, cuFuncGetParamInfo);
#endif
#undef REPROSUM_SAME

#define REPROSUM_SAME(name, theirs) \
  static_assert(Alike<decltype(reprosum::base::Nvrtc::name), decltype(&theirs)>::value)
REPROSUM_SAME(version, nvrtcVersion);
REPROSUM_SAME(architecture_count, nvrtcGetNumSupportedArchs);
REPROSUM_SAME(architectures, nvrtcGetSupportedArchs);
REPROSUM_SAME(make_program, nvrtcCreateProgram);
REPROSUM_SAME(destroy_program, nvrtcDestroyProgram);
REPROSUM_SAME(compile, nvrtcCompileProgram);
REPROSUM_SAME(log_bytes, nvrtcGetProgramLogSize);
REPROSUM_SAME(log, nvrtcGetProgramLog);
REPROSUM_SAME(cubin_bytes, nvrtcGetCUBINSize);
REPROSUM_SAME(cubin, nvrtcGetCUBIN);
REPROSUM_SAME(ptx_bytes, nvrtcGetPTXSize);
REPROSUM_SAME(ptx, nvrtcGetPTX);
static_assert(std::is_same_v<decltype(nvrtcGetErrorString(NVRTC_SUCCESS)), const char*>);

static_assert(reprosum::base::cuda::kSuccess == CUDA_SUCCESS);
static_assert(reprosum::base::cuda::kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(reprosum::base::cuda::kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(reprosum::base::cuda::kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(reprosum::base::cuda::kMaxThreadsPerBlock ==
              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
static_assert(reprosum::base::cuda::kMaxBlockX == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
static_assert(reprosum::base::cuda::kMaxBlockY == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
static_assert(reprosum::base::cuda::kMaxBlockZ == CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
static_assert(reprosum::base::cuda::kMaxGridX == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
static_assert(reprosum::base::cuda::kMaxGridY == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
static_assert(reprosum::base::cuda::kMaxGridZ == CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
static_assert(reprosum::base::cuda::kMaxSharedBytes ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
static_assert(reprosum::base::cuda::kMultiprocessors == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(reprosum::base::cuda::kCapabilityMajor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(reprosum::base::cuda::kCapabilityMinor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(reprosum::base::cuda::kNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(reprosum::base::cuda::kMemoryType == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(reprosum::base::cuda::kOrdinal == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(reprosum::base::cuda::kOwner == CU_POINTER_ATTRIBUTE_CONTEXT);
static_assert(reprosum::base::cuda::kRangeStart == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
static_assert(reprosum::base::cuda::kRangeSize == CU_POINTER_ATTRIBUTE_RANGE_SIZE);
static_assert(reprosum::base::cuda::kOnDevice == CU_MEMORYTYPE_DEVICE);

#define REPROSUM_TEXT(name) REPROSUM_TEXT_OF(name)
#define REPROSUM_TEXT_OF(name) #name

// The versioned names, which are macros of the headers.
TEST(CudaDeclarations, NamesAreThoseOfTheHeaders) {
  std::vector<std::string> ours;
#define REPROSUM_NAME(name, symbol, type) ours.emplace_back(symbol);
  REPROSUM_CUDA_FUNCTIONS(REPROSUM_NAME)
#undef REPROSUM_NAME
  const auto has = [&](const char* name) {
    return std::find(ours.begin(), ours.end(), name) != ours.end();
  };
  for (const char* const theirs :
       {REPROSUM_TEXT(cuDeviceTotalMem), REPROSUM_TEXT(cuDevicePrimaryCtxRelease),
        REPROSUM_TEXT(cuCtxPushCurrent), REPROSUM_TEXT(cuCtxPopCurrent),
        REPROSUM_TEXT(cuStreamDestroy), REPROSUM_TEXT(cuMemAlloc), REPROSUM_TEXT(cuMemFree),
        REPROSUM_TEXT(cuMemcpyHtoDAsync), REPROSUM_TEXT(cuMemcpyDtoHAsync),
        REPROSUM_TEXT(cuMemcpyDtoDAsync), REPROSUM_TEXT(cuStreamCreate),
        REPROSUM_TEXT(cuStreamSynchronize), REPROSUM_TEXT(cuLaunchKernel),
        REPROSUM_TEXT(cuPointerGetAttribute), REPROSUM_TEXT(cuModuleLoadData)})
    EXPECT_TRUE(has(theirs)) << theirs;
}

}  // namespace
