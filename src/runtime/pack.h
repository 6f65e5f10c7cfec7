// Operands with increments that a kernel does not read in place are copied, in logical order,
// before it sees them: the order is that of the entry, so where the summands lie does not matter
// any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/thread_object.h"

namespace reprosum::runtime {

// The increment is known to the compiler, which then shuffles whole registers.
template <int kIncrement, class T>
void pack_fixed(std::int64_t n, const T* __restrict first, T* __restrict to) {
  for (std::int64_t k = 0; k < n; ++k) to[k] = first[k * kIncrement];
}

// to[k] = summand k of BLAS's vector (from, increment) for 0 <= k < n. `to` is memory of its own.
template <class T>
void pack(std::int64_t n, const T* from, std::int64_t increment, T* to) {
  const T* const first = increment < 0 ? from + (1 - n) * increment : from;
  switch (increment) {
    case 2:
      return pack_fixed<2>(n, first, to);
    case -1:
      return pack_fixed<-1>(n, first, to);
    case -2:
      return pack_fixed<-2>(n, first, to);
    default:
      for (std::int64_t k = 0; k < n; ++k) to[k] = first[k * increment];
  }
}

// Scratch of the calling thread. It grows; what is larger than kKeptBytes is given back after use,
// so that one long call does not hold memory for the life of its thread. A call that comes after
// the thread's objects are destroyed keeps nothing.
template <class T>
class Scratch {
 public:
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 22;

  // Throws std::bad_alloc. The pointer stays until the next call or the destruction.
  T* reserve(std::int64_t count) {
    std::vector<T>* const kept = base::kept_by_this_thread<std::vector<T>>();
    std::vector<T>& memory = kept != nullptr ? *kept : own_;
    if (memory.size() < static_cast<std::size_t>(count)) {
      memory.clear();
      memory.resize(static_cast<std::size_t>(count));
    }
    return memory.data();
  }
  Scratch() = default;
  ~Scratch() {
    std::vector<T>* const kept = base::kept_by_this_thread<std::vector<T>>();
    if (kept != nullptr && kept->size() * sizeof(T) > kKeptBytes) std::vector<T>().swap(*kept);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  std::vector<T> own_;
};

}  // namespace reprosum::runtime
