// Memory between two pages that nobody may touch: generated code is not instrumented, so what it
// reads or writes astray must fault by itself.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// `count` elements that end at the guard behind them, or begin at the one before them.
template <class T>
class Guarded {
 public:
  Guarded(std::int64_t count, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const std::size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    void* const all = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) std::abort();
    memory_ = static_cast<char*>(all);
    if (inner > 0 && mprotect(memory_ + page, inner, PROT_READ | PROT_WRITE) != 0) std::abort();
    data_ = reinterpret_cast<T*>(memory_ + page + (at_end ? inner - bytes : 0));
  }
  ~Guarded() { munmap(memory_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  T* data() const { return data_; }

 private:
  char* memory_ = nullptr;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};
