// doctor: the devices that can replay orders, and whether they compute right.
#include <fmt/core.h>

#include "kernels/device/devices.h"
#include "kernels/device/nvrtc.h"
#include "kernels/device/open_device.h"
#include "spec/error.h"
#include "src/cli/finding.h"
#include "src/runtime/cache_directory.h"

namespace reprosum::cli {
namespace {

using kernels::device::Dialect;

void add(Dialect dialect, std::vector<Finding>& out) {
  const std::string what = kernels::device::name(dialect);
  std::string why;
  auto all = kernels::device::devices(dialect, &why);
  if (all.empty()) out.push_back({what, "none: " + why, ""});
  for (auto& device : all) {
    const kernels::device::Facts facts = device->facts();
    const std::string found = fmt::format("{} ({}{}{})", facts.name, facts.driver,
                                          facts.compiler.empty() ? "" : ", ", facts.compiler);
    try {
      kernels::device::OpenDevice(std::move(device), runtime::cache_directory());
      out.push_back(
          {what, found + ": passes the self-test" + (facts.has_f64 ? "" : ", has no f64"), ""});
    } catch (const EnvironmentError& e) {
      out.push_back({what, found, e.what()});
    }
  }
}

}  // namespace

std::vector<Finding> find_devices() {
  std::vector<Finding> out;
  for (const Dialect dialect : {Dialect::opencl, Dialect::cuda}) {
    try {
      add(dialect, out);
    } catch (const EnvironmentError& e) {
      out.push_back({kernels::device::name(dialect), "a driver that fails", e.what()});
    }
  }
  std::string why;
  const std::string nvrtc = kernels::device::nvrtc_version(&why);
  out.push_back({"nvrtc", nvrtc.empty() ? "none: " + why : nvrtc, ""});
  return out;
}

}  // namespace reprosum::cli
