// Calls on a device against the interpreter, entry by entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reveal/check/random_data.h"
#include "spec/spec.h"
#include "src/runtime/device_work.h"

namespace reprosum::cli {

struct DeviceReport {
  std::int64_t outputs = 0, calls = 0;
  struct Mismatch {
    std::string call, expected, got;  // hex floats
  };
  std::optional<Mismatch> first;
  std::string why_not;  // of calls that devices have no kernels for
};

// Hostile data and every class of data, in sizes of every magnitude up to what the entry covers,
// half a million summands of a sum and two million multiplications of a product at most.
class DeviceCheck {
 public:
  DeviceCheck(const spec::Spec& spec, runtime::DeviceWork& work, std::uint64_t seed)
      : spec_(spec), work_(work), random_(seed) {}

  DeviceReport run(const spec::Entry& entry, std::int64_t outputs);

 private:
  template <class T>
  void calls(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report);
  template <class T>
  void sums(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report);
  template <class T>
  void products(const spec::Entry& entry, std::int64_t outputs, DeviceReport& report);

  const spec::Spec& spec_;
  runtime::DeviceWork& work_;
  reveal::FastRandom random_;
};

}  // namespace reprosum::cli
