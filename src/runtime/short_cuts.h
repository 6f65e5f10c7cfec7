// From a routine straight to its kernel: most calls have unit increments and repeat the context of
// the call before, and the way through routes and slots is long beside a dot product of a thousand.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/kernel.h"
#include "src/base/fork_gate.h"
#include "src/runtime/routes.h"

namespace reprosum::runtime {

// What a unit-stride call leads to whatever its addresses, as long as the replayed thread count
// (`routes`) and the ISA are these. Never changes once it is kept.
template <class T>
struct ShortCut {
  const Routes* routes = nullptr;
  kernels::Isa isa = kernels::Isa::interpreter;
  std::int64_t n_max = 0;
  const kernels::Kernel<T>* kernel = nullptr;
  bool operator==(const ShortCut&) const = default;
};

// Thread safe: reading is one atomic load; what was kept stays until the end.
template <class T>
class ShortCuts {
 public:
  // The kernel, or nullptr: then the long way decides. @pre n > 0
  const kernels::Kernel<T>* find(spec::Routine routine, const Routes* routes, kernels::Isa isa,
                                 std::int64_t n) const {
    const ShortCut<T>* cut = latest_[index(routine)].load(std::memory_order_acquire);
    if (cut == nullptr || cut->routes != routes || cut->isa != isa || n > cut->n_max)
      return nullptr;
    return cut->kernel;
  }

  void keep(spec::Routine routine, const ShortCut<T>& cut) {
    const base::ForkSafeLock lock(mutex_);
    // There are few: routines times thread counts times ISAs times entries.
    for (const auto& known : kept_) {
      if (*known != cut) continue;
      latest_[index(routine)].store(known.get(), std::memory_order_release);
      return;
    }
    kept_.push_back(std::make_unique<const ShortCut<T>>(cut));
    latest_[index(routine)].store(kept_.back().get(), std::memory_order_release);
  }

 private:
  static std::size_t index(spec::Routine routine) { return static_cast<std::size_t>(routine); }
  std::array<std::atomic<const ShortCut<T>*>, 2> latest_{};  // by routine
  std::vector<std::unique_ptr<const ShortCut<T>>> kept_;
  std::mutex mutex_;
};

}  // namespace reprosum::runtime
