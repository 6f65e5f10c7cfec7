#include "kernels/device/devices.h"

#include "kernels/device/cuda.h"
#include "spec/error.h"
#if REPROSUM_HAS_OPENCL
#include "kernels/device/opencl.h"
#endif

namespace reprosum::kernels::device {

std::vector<std::unique_ptr<Device>> devices(Dialect dialect, std::string* why) {
  if (dialect == Dialect::cuda) return cuda_devices(why);
#if REPROSUM_HAS_OPENCL
  return opencl_devices(why);
#else
  *why = "this library was built without the headers of OpenCL (CL/cl.h)";
  return {};
#endif
}

std::unique_ptr<Device> adopt_opencl_device(void* context, void* device) {
#if REPROSUM_HAS_OPENCL
  return opencl_device_of(context, device);
#else
  static_cast<void>(context), static_cast<void>(device);
  throw EnvironmentError("this library was built without the headers of OpenCL (CL/cl.h)");
#endif
}

}  // namespace reprosum::kernels::device
