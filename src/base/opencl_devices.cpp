#include "src/base/opencl_devices.h"

#include <algorithm>

namespace reprosum::base {
namespace {

template <class Ask>
std::string text_of(Ask&& ask) {
  std::size_t size = 0;
  if (ask(0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return "";
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

int rank(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return 0;
  return (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1 : 2;
}

}  // namespace

std::string opencl_text(const OpenClDriver& cl, cl_device_id device, cl_device_info what) {
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return cl.clGetDeviceInfo(device, what, size, to, needed);
  });
}

std::string opencl_platform_text(const OpenClDriver& cl, cl_device_id device,
                                 cl_platform_info what) {
  const auto platform = opencl_number<cl_platform_id>(cl, device, CL_DEVICE_PLATFORM);
  return text_of([&](std::size_t size, void* to, std::size_t* needed) {
    return cl.clGetPlatformInfo(platform, what, size, to, needed);
  });
}

std::vector<cl_device_id> opencl_devices(const OpenClDriver& cl, std::string* why) {
  cl_uint platforms = 0;
  std::vector<cl_platform_id> ids;
  if (cl.clGetPlatformIDs(0, nullptr, &platforms) == CL_SUCCESS) ids.resize(platforms);
  if (ids.empty() || cl.clGetPlatformIDs(platforms, ids.data(), nullptr) != CL_SUCCESS) {
    *why = "OpenCL has no platform: no driver is registered in /etc/OpenCL/vendors";
    return {};
  }
  std::vector<cl_device_id> out;
  for (const cl_platform_id platform : ids) {
    cl_uint count = 0;
    if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> here(count);
    if (count > 0 &&
        cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, here.data(), nullptr) == CL_SUCCESS)
      out.insert(out.end(), here.begin(), here.end());
  }
  std::erase_if(out, [&](cl_device_id device) {
    return opencl_number<cl_bool>(cl, device, CL_DEVICE_AVAILABLE) == CL_FALSE ||
           opencl_number<cl_bool>(cl, device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE ||
           opencl_number<cl_bool>(cl, device, CL_DEVICE_ENDIAN_LITTLE) == CL_FALSE;
  });
  std::stable_sort(out.begin(), out.end(), [&](cl_device_id a, cl_device_id b) {
    return rank(opencl_number<cl_device_type>(cl, a, CL_DEVICE_TYPE)) <
           rank(opencl_number<cl_device_type>(cl, b, CL_DEVICE_TYPE));
  });
  if (out.empty()) *why = "OpenCL has platforms, but none has a device with a compiler";
  return out;
}

}  // namespace reprosum::base
