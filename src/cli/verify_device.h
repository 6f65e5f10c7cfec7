// verify --backend: does a device give what the interpreter gives?
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace reprosum::cli {

struct DeviceOptions {
  std::string backend;  // "opencl" or "cuda"
  std::uint64_t device = 0;
  std::int64_t outputs = 2000;  // compared in each entry
  std::uint64_t seed = 1;
  double timeout_s =
      std::numeric_limits<double>::infinity();  // entries that are not begun by then are not tested
  bool json = false;
};

// Replays every entry of the spec file on the device and by the interpreter. An exit code as
// verify's: an entry that devices have no kernels for is not tested. Throws EnvironmentError where
// there is no such device, or one that fails its self-test, and where time ended before all entries
// were looked at and none differs.
int verify_on_device(const std::string& file, const DeviceOptions& options);

}  // namespace reprosum::cli
