// Own threads for parts of a routine. Parts are disjoint outputs, or sums that are merged exactly,
// so their number changes no bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace reprosum::exact {

// Worker w of `workers` gets [begin, end) of `count` items.
struct Share {
  std::int64_t begin, end;
};
inline Share share_of(std::int64_t count, int w, int workers) {
  return {count * w / workers, count * (w + 1) / workers};
}

// How many workers are worth their start when each should have `least` operations at least. With
// integers: this runs in the caller's floating-point environment.
inline int useful_workers(int workers, unsigned __int128 operations, std::int64_t least) {
  const unsigned __int128 most = operations / static_cast<unsigned __int128>(least);
  return most >= static_cast<unsigned>(workers) ? workers : std::max(1, static_cast<int>(most));
}

// body(w) for w = 0 .. workers - 1, each on a thread of its own or, where the system has no more
// threads, on the caller's. Throws what the first failing body threw, after all have ended.
template <class Body>
void run_workers(int workers, Body&& body) {
  if (workers <= 1) return body(0);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(workers));
  const auto guarded = [&](int w) {
    try {
      body(w);
    } catch (...) {
      failures[static_cast<std::size_t>(w)] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(failures.size());
  int started = 1;
  try {
    for (; started < workers; ++started) threads.emplace_back(guarded, started);
  } catch (const std::exception&) {
    // The rest is done below.
  }
  guarded(0);
  for (int w = started; w < workers; ++w) guarded(w);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace reprosum::exact
