// The device to which a handle sends its calls: REPROSUM_ISA=opencl, reprosum_set_isa(h, "cuda").
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "kernels/backends.h"
#include "spec/error.h"
#include "src/runtime/device_orders.h"
#include "src/runtime/handle.h"

namespace reprosum::runtime {

// Any thread.
class ForcedDevice {
 public:
  // The first device of that backend. Throws EnvironmentError, in words, where there is none or
  // where it fails the self-test. @pre backend(isa).on_device; the replayer outlives this.
  ForcedDevice(const Replayer& replayer, kernels::Isa isa);

  kernels::Isa isa() const { return isa_; }

  // Whether the device has done the call: call(orders) writes the whole result, or throws and
  // writes nothing. If it has not, this processor is to do it, with the same bits, which also says
  // what is wrong with a call that is. What throws InternalError is not done again.
  template <class Call>
  bool does(const Call& call) const;
  // Of a call that needs no kernel and is done by this processor.
  void is_not_asked() const { refusals_.set(""); }

  // Why the device did not do this thread's latest call; "" if it did, or was not asked.
  const char* refusal() const { return refusals_.of_this_thread(); }
  std::int64_t calls_there() const { return there_.load(std::memory_order_relaxed); }
  std::int64_t calls_here() const { return here_.load(std::memory_order_relaxed); }

  // "ddot_8c463ce4a44f_opencl", "opencl: every output"; none where the device would not do the
  // call. @pre there are outputs and summands
  std::optional<std::string> kernel(const spec::Context& context) const;
  std::optional<std::string> product_kernels(const spec::Context& context) const;

 private:
  // A call on any device. None begins in a child of fork, nor once the process ends, and its end
  // waits for those that have begun: a driver ends, too.
  class Visit {
   public:
    explicit Visit(int generation);  // that the device was opened in
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
  };
  static std::shared_ptr<kernels::device::OpenDevice> opened(kernels::Isa isa);
  void refused(const char* why) const;

  const kernels::Isa isa_;
  const int generation_;
  const DeviceOrders orders_;
  mutable std::atomic<std::int64_t> there_{0}, here_{0};
  mutable Messages refusals_;
};

template <class Call>
bool ForcedDevice::does(const Call& call) const {
  try {
    const Visit visit(generation_);
    call(orders_);
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& why) {
    refused(why.what());
    return false;
  }
  there_.fetch_add(1, std::memory_order_relaxed);
  refusals_.set("");
  return true;
}

}  // namespace reprosum::runtime
