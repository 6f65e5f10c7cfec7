// A spec's gemv and gemm on a device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "kernels/launch/matrix_launches.h"
#include "src/runtime/device_work.h"
#include "src/runtime/replayer.h"

namespace reprosum::runtime {

// `count` products that differ in where their operands begin.
struct Batch {
  std::int64_t count = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;  // elements, from one to the next
};

// Operands in the device's memory. BLAS's pointers of the first product are so many elements behind
// the beginning of each; a and b may be null where the call does not read them.
struct DeviceOperands {
  const kernels::device::Buffer *a = nullptr, *b = nullptr;
  kernels::device::Buffer* c = nullptr;
  std::int64_t a_first = 0, b_first = 0, c_first = 0;
};

// Any thread.
class DeviceProducts {
 public:
  // Both must outlive this.
  DeviceProducts(const Replayer& replayer, DeviceWork& work) : replayer_(replayer), work_(work) {}

  // The pointers of `call` are the addresses that guards ask about; nothing is read through them.
  // Enqueues all products. Throws BadArgument for operands that leave their memory, NotCovered for
  // contexts and orders that are not served, before anything is enqueued. An entry for some data
  // only covers no such call: the data are not looked at.
  template <class T>
  void multiply(const MatrixCall<T>& call, const Batch& batch, const DeviceOperands& operands,
                kernels::device::Queue& queue) const;

  // Operands of this process; done when it returns, and then all of C is written, or nothing.
  template <class T>
  void multiply_host(const MatrixCall<T>& call, const Batch& batch) const;

  // Makes the kernels of the shape, for beta = 0 and another one; throws NotCovered where a call of
  // it would not be served. @pre m, n, k >= 1
  void check_kernels(const spec::Context& context) const;

 private:
  const kernels::launch::MatrixLaunches& launches_of(const spec::Entry& entry) const;
  kernels::launch::Launches prepare(const Products::Cover& cover,
                                    const kernels::launch::MatrixCall& call) const;

  const Replayer& replayer_;
  DeviceWork& work_;
  mutable std::mutex mutex_;
  mutable std::map<const spec::Entry*, std::unique_ptr<const kernels::launch::MatrixLaunches>>
      launches_;
};

}  // namespace reprosum::runtime
