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

  // One call. there(orders), on the device, writes the whole result, or throws and writes nothing;
  // then here() does it, with the same bits, or reports the fault of a faulty call. After an
  // InternalError here() is not tried. A call that needs no kernel is not sent.
  template <class There, class Here>
  void run(bool needs_kernel, const There& there, const Here& here) const;

  // Why the device did not do this thread's latest call; "" if it did, or was not asked.
  const char* refusal() const { return refusals_.of_this_thread(); }
  std::int64_t calls_there() const { return there_.load(std::memory_order_relaxed); }
  std::int64_t calls_here() const { return here_.load(std::memory_order_relaxed); }

  // "ddot_8c463ce4a44f_opencl", "opencl: every output"; none where the device would not do the
  // call. @pre there are outputs and summands
  std::optional<std::string> kernel(const spec::Context& context) const;
  std::optional<std::string> product_kernels(const spec::Context& context) const;

 private:
  // A call on any device. None begins in a child of fork, nor once the process ends. The end of the
  // process waits for those that have begun, because drivers end then as well.
  class Visit {
   public:
    explicit Visit(int generation);  // that the device was opened in
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
  };
  static std::shared_ptr<kernels::device::OpenDevice> opened(kernels::Isa isa);
  template <class There>
  bool does(const There& there) const;

  const kernels::Isa isa_;
  const int generation_;
  const DeviceOrders orders_;
  mutable std::atomic<std::int64_t> there_{0}, here_{0};
  mutable Messages refusals_;
};

template <class There>
bool ForcedDevice::does(const There& there) const {
  try {
    const Visit visit(generation_);
    there(orders_);
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& why) {
    refusals_.set(why.what());
    return false;
  }
  refusals_.set("");
  return true;
}

template <class There, class Here>
void ForcedDevice::run(bool needs_kernel, const There& there, const Here& here) const {
  if (!needs_kernel) {
    refusals_.set("");
    return here();
  }
  const bool is_done = does(there);
  if (!is_done) here();
  (is_done ? there_ : here_).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace reprosum::runtime
