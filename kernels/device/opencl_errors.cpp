#include "kernels/device/opencl_errors.h"

#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

constexpr cl_int kPlatformNotFound = -1001;  // of the loader's extension, cl_khr_icd

struct Meaning {
  cl_int status;
  const char* name;
  const char* words;
};

constexpr Meaning kMeanings[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", "the platform has no such device"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", "the device is in use or switched off"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", "the driver has no compiler"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
     "the device has not so much memory left"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES",
     "the device ran out of registers, local memory or time, or a kernel failed"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "this computer has not so much memory left"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", "the compiler refuses the text"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", ""},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", "an object belongs to another context"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", "that is no command queue"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", "that is no buffer of the device"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", "the program was made by another driver"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", "the compiler knows no such option"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", "the program has no such entry"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", "the entry has fewer arguments"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE", "an argument is not of its type"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", "an argument is not of its type"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS", "the entry has more arguments"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", "the group is too large"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE", "the group is too long on one axis"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", "the device has no buffers of that size"},
    {kPlatformNotFound, "CL_PLATFORM_NOT_FOUND_KHR",
     "no driver is registered (in /etc/OpenCL/vendors)"},
};

}  // namespace

std::string opencl_error(cl_int status) {
  for (const Meaning& meaning : kMeanings)
    if (meaning.status == status) return meaning.name;
  return "error " + std::to_string(status);
}

void check_opencl(cl_int status, const std::string& what) {
  if (status == CL_SUCCESS) return;
  std::string message = what + ": " + opencl_error(status);
  for (const Meaning& meaning : kMeanings)
    if (meaning.status == status && *meaning.words != '\0')
      message += std::string(", ") + meaning.words;
  throw EnvironmentError(message);
}

}  // namespace reprosum::kernels::device
