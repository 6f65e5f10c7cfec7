#include "kernels/device/open_device.h"

#include "kernels/device/devices.h"
#include "kernels/device/self_test.h"
#include "kernels/text/device_text.h"
#include "spec/error.h"

namespace reprosum::kernels::device {

OpenDevice::OpenDevice(std::unique_ptr<Device> device, const std::string& cache_directory)
    : device_(std::move(device)), programs_(*device_, cache_directory) {
  const std::string wrong =
      self_test([this](const std::string& text) { return programs_.get(text); }, *device_,
                text::device_macros());
  if (!wrong.empty())
    throw EnvironmentError(facts().name + " (" + facts().driver +
                           ") fails the self-test and is not used: " + wrong);
}

std::unique_ptr<Device> find_device(Dialect dialect, std::size_t number) {
  std::string why;
  auto all = devices(dialect, &why);
  if (all.empty()) throw EnvironmentError(std::string("no ") + name(dialect) + " device: " + why);
  if (number >= all.size())
    throw EnvironmentError("there is no " + std::string(name(dialect)) + " device number " +
                           std::to_string(number) + ": this host has " +
                           std::to_string(all.size()));
  return std::move(all[number]);
}

std::shared_ptr<OpenDevice> open_device(Dialect dialect, std::size_t number,
                                        const std::string& cache_directory) {
  return std::make_shared<OpenDevice>(find_device(dialect, number), cache_directory);
}

std::shared_ptr<OpenDevice> open_opencl_device(void* context, void* device,
                                               const std::string& cache_directory) {
  return std::make_shared<OpenDevice>(adopt_opencl_device(context, device), cache_directory);
}

}  // namespace reprosum::kernels::device
