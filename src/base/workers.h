// Threads for parts of a routine. Parts are disjoint outputs, or sums that are merged exactly, so
// their number changes no bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace reprosum::base {

// Worker w of `workers` gets [begin, end) of `count` items.
struct Share {
  std::int64_t begin, end;
};
inline Share share_of(std::int64_t count, int w, int workers) {
  return {count * w / workers, count * (w + 1) / workers};
}

// How many workers are worth being woken when each should have `least` operations at least. With
// integers: this runs in the caller's floating-point environment.
inline int useful_workers(int workers, unsigned __int128 operations, std::int64_t least) {
  const unsigned __int128 most = operations / static_cast<unsigned __int128>(least);
  return most >= static_cast<unsigned>(workers) ? workers : std::max(1, static_cast<int>(most));
}

// Cores that the calling thread may run on, which are fewer than the machine's under taskset and in
// containers that are given some of them. At least 1.
int available_cores();

namespace detail {
void run_parts(int workers, void (*run)(void* body, int w), void* body);
}

// body(w) for w = 0 .. workers - 1, each once, on the caller's thread and on threads that are kept
// from call to call (workers.cpp). They start when first needed, sleep soon after a call, and end
// with the process or the library. When the caller is done with its own part, it also does the
// parts that no thread has taken; so bodies must not wait for one another. If several callers come
// at once, or bodies call this, one of them shares its work and the others do theirs alone. All
// bodies run with the caller's rounding mode, traps and treatment of subnormal numbers. Throws what
// the first failing body threw, after all have ended, and nothing else: it takes no memory.
template <class Body>
void run_workers(int workers, Body&& body) {
  using Type = std::remove_reference_t<Body>;
  if (workers <= 1) return body(0);
  detail::run_parts(
      workers, [](void* it, int w) { (*static_cast<Type*>(it))(w); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace reprosum::base
