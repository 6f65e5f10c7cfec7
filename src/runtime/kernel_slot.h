// The kernels of one order, generated when they are first called for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/kernel.h"
#include "spec/order.h"
#include "spec/spec.h"
#include "src/base/fork_gate.h"

namespace reprosum::runtime {

// A slot is used by many threads: the first to ask generates, the others wait for it once; after
// that a call costs one atomic load. Kernels live as long as the slot. Where no thread can be had
// to generate, the interpreter serves the call and the next one asks again.
template <class T>
class KernelSlot {
 public:
  // The order must outlive the slot.
  KernelSlot(const spec::Order& order, spec::Routine routine) : order_(order), routine_(routine) {}

  const kernels::Kernel<T>& get(kernels::Isa isa, const std::string& cache_directory) {
    const auto index = isa.index();
    if (const auto* ready = ready_[index].load(std::memory_order_acquire)) return *ready;
    const base::ForkSafeLock lock(mutex_);
    if (const auto* ready = ready_[index].load(std::memory_order_acquire)) return *ready;
    bool for_now = false;
    auto made = kernels::compile<T>(order_, routine_, {isa, cache_directory}, nullptr, &for_now);
    if (!for_now) return keep(index, std::move(made));
    constexpr std::size_t kInterpreter = kernels::Isa::interpreter.index();
    if (const auto* ready = ready_[kInterpreter].load(std::memory_order_acquire)) return *ready;
    return keep(kInterpreter, std::move(made));
  }

 private:
  const kernels::Kernel<T>& keep(std::size_t index,
                                 std::shared_ptr<const kernels::Kernel<T>> kernel) {
    kept_[index] = std::move(kernel);
    ready_[index].store(kept_[index].get(), std::memory_order_release);
    return *kept_[index];
  }

  const spec::Order& order_;
  const spec::Routine routine_;
  std::array<std::atomic<const kernels::Kernel<T>*>, kernels::kMaxBackends> ready_{};
  std::array<std::shared_ptr<const kernels::Kernel<T>>, kernels::kMaxBackends> kept_;
  std::mutex mutex_;
};

}  // namespace reprosum::runtime
