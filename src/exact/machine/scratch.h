// Memory of a call that the thread keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "src/base/thread_object.h"

namespace reprosum::exact {

// Up to kMostKept bytes stay with the thread: fresh pages would cost a small product more than its
// arithmetic. One at a time in a thread. A call that comes after the thread's objects are destroyed
// leaves nothing behind: its memory goes when it returns.
class Scratch {
 public:
  static constexpr std::int64_t kMostKept = std::int64_t{64} << 20;

  // `count` doubles, not initialised, from the start of a cache line on, for loads of whole lines.
  double* take(std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    const bool is_kept = count <= kMostKept / std::int64_t{sizeof(double)};
    Memory* const kept = is_kept ? base::kept_by_this_thread<Memory>() : nullptr;
    Memory& memory = kept != nullptr ? *kept : own_;
    if (memory.bytes < bytes) {
      memory = {};
      memory = Memory(bytes);
    }
    return static_cast<double*>(memory.first.get());
  }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Memory {
    Memory() = default;
    explicit Memory(std::size_t wanted) {
      // Large pages, where the system gives them: fewer to be made and to be found again.
      const std::size_t page = wanted >= kLarge ? kLarge : 64;
      bytes = (wanted + page - 1) / page * page;
      first.reset(std::aligned_alloc(page, bytes));
      if (first == nullptr) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
      if (page == kLarge) static_cast<void>(::madvise(first.get(), bytes, MADV_HUGEPAGE));
#endif
    }
    static constexpr std::size_t kLarge = std::size_t{2} << 20;
    std::unique_ptr<void, Free> first;
    std::size_t bytes = 0;
  };
  Memory own_;
};

}  // namespace reprosum::exact
