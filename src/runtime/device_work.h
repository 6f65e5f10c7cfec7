// What sums and products on a device share.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "kernels/compile_thread.h"
#include "kernels/device/open_device.h"
#include "kernels/device/run_launches.h"
#include "src/runtime/errors.h"
#include "src/runtime/float_environment.h"

namespace reprosum::runtime {

struct DeviceWork {
  explicit DeviceWork(std::shared_ptr<kernels::device::OpenDevice> opened)
      : device(std::move(opened)), runner(*device), queue(device->device().make_queue()) {}

  const std::shared_ptr<kernels::device::OpenDevice> device;
  kernels::device::LaunchRunner runner;
  // The queue of calls whose operands lie in the process's memory, one after the other.
  const std::unique_ptr<kernels::device::Queue> queue;
  std::mutex queue_mutex;
};

// A device's compiler, and the passes of ours, may need more stack than a caller has. The caller
// holds no lock that make() takes.
template <class Make>
void with_room(Make&& make) {
  if (kernels::on_compile_thread(make) != kernels::JobEnd::done) make();
}

// A device that open() gives. Drivers start threads with the environment of whoever opens them.
template <class Open>
std::shared_ptr<kernels::device::OpenDevice> open_with_room(Open&& open) {
  const DefaultFloatEnvironment environment;
  std::shared_ptr<kernels::device::OpenDevice> device;
  with_room([&] { device = open(); });
  return device;
}

// What the passes refuse, in the words of a call.
template <class Make>
void in_words(Make&& make) {
  try {
    make();
  } catch (const UserError& e) {
    throw NotCovered(std::string("devices have no kernels for this order: ") + e.what());
  }
}

}  // namespace reprosum::runtime
