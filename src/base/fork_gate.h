// What a child of fork must not inherit half done.
#pragma once

#include <atomic>
#include <mutex>

namespace reprosum::base {

// A child of fork has the thread that forked alone. A lock that another thread held stays locked in
// it, what that thread was making stays half made. So whoever takes a lock that others wait for, or
// makes what others will find, holds one of these: fork() waits until nobody does, and new ones
// wait until the fork is over. One thread may hold several at a time. The thread that forks may
// hold some itself (fork in a signal's handler); it is not waited for.
//
// Locks are taken inside, never outside: a thread that holds a lock and waits here would be waited
// for by one that holds this and waits for the lock.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

// A lock that no child of fork finds locked.
class ForkSafeLock {
 public:
  explicit ForkSafeLock(std::mutex& mutex) : lock_(mutex) {}

 private:
  const NoFork no_fork_;  // first, and until the last
  const std::lock_guard<std::mutex> lock_;
};

// How many forks lie between this process and the one that loaded the library: threads that were
// started at another number are not here.
int generation();

// What `kept` points at; made by make() at the first call and never freed. There is no lock: of
// several threads that make it at once, all but one throw theirs away, and a child of fork that
// finds nothing makes its own. (The guard of a function's static variable would hang such a child.)
template <class T, class Make>
const T& made_once(std::atomic<const T*>& kept, Make&& make) {
  if (const T* const there = kept.load(std::memory_order_acquire)) [[likely]]
    return *there;
  const T* const made = new T(make());
  const T* other = nullptr;
  if (kept.compare_exchange_strong(other, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *other;
}

}  // namespace reprosum::base
