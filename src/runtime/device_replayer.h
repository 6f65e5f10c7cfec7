// A spec's sums and dot products on a device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "kernels/launch/sum_launches.h"
#include "src/runtime/device_work.h"
#include "src/runtime/replayer.h"

namespace reprosum::runtime {

// `rows` reductions: what selects their order, and where the summands are. BLAS's pointers: the
// lowest address of a vector, `first` elements behind the beginning of its memory.
struct RowsOperand {
  std::int64_t first = 0, increment = 1, leading = 0;
  std::uintptr_t address = 0;  // of the memory's beginning, as guards see it
};
struct RowsContext {
  spec::Routine routine = spec::Routine::sum;
  spec::Type type = spec::Type::f64;
  std::int64_t n = 0, rows = 1;
  RowsOperand x, y;  // y is not looked at by a sum
};

// Any thread; the device's work of host calls is done one call after the other.
class DeviceReplayer {
 public:
  // Both must outlive this.
  DeviceReplayer(const Replayer& replayer, DeviceWork& work) : replayer_(replayer), work_(work) {}

  // Enqueues the rows; out[out_first + i] is row i. Throws BadArgument for operands that leave
  // their memory, NotCovered for contexts and orders that are not served, before anything is
  // enqueued.
  void reduce(const RowsContext& rows, const kernels::device::Buffer& x,
              const kernels::device::Buffer* y, kernels::device::Buffer& out,
              std::int64_t out_first, kernels::device::Queue& queue) const;

  // The same with operands of this process; done when it returns. T is the context's type.
  template <class T>
  void reduce_host(const RowsContext& rows, const T* x, const T* y, T* out) const;

  // "ddot_8c463ce4a44f", of what would run for one row; generates it if need be. @pre n >= 1
  std::string kernel(const spec::Context& context) const;

 private:
  kernels::device::Device& device() const { return work_.device->device(); }

  // Throw NotCovered; no lock is held while they make anything.
  const kernels::launch::SumLaunches& launches_of(const RowsContext& rows) const;
  const kernels::launch::SumLaunches& launches_of(std::size_t order, spec::Routine routine,
                                                  spec::Type type) const;
  kernels::launch::Launches prepare(const kernels::launch::SumLaunches& order,
                                    const kernels::launch::RowsCall& call) const;
  // Vectors in the sequence of their summands, packed; one that all share, once.
  template <class T>
  std::unique_ptr<kernels::device::Buffer> upload(const RowsOperand& operand, const T* first,
                                                  std::int64_t n, std::int64_t count) const;

  const Replayer& replayer_;
  DeviceWork& work_;
  mutable std::mutex mutex_;
  // An order that devices cannot run is kept as well, since it takes long to plan it only to refuse
  // it.
  struct Made {
    std::unique_ptr<const kernels::launch::SumLaunches> launches;
    std::string refused;  // why there are none
  };
  mutable std::map<std::tuple<std::size_t, spec::Routine, spec::Type>, Made> launches_;
};

}  // namespace reprosum::runtime
