#include "src/base/workers.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

#include "src/base/fork_gate.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif
#if defined(__unix__)
#include <signal.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace reprosum::base {
namespace {

// How a thread computes, but for the flags that it has raised.
class Modes {
 public:
#if defined(__SSE2__)
  Modes() : control_(_mm_getcsr() & ~kFlags) {}
  void set() const { _mm_setcsr(control_); }

 private:
  static constexpr unsigned kFlags = 0x3f;
  unsigned control_;
#else
  Modes() { std::fegetenv(&environment_); }
  void set() const {
    std::fesetenv(&environment_);
    std::feclearexcept(FE_ALL_EXCEPT);
  }

 private:
  std::fenv_t environment_;
#endif
};

// A call's parts, and what the first of them threw that failed. Takes no memory: a caller that has
// written half of its output could not go on without.
struct Job {
  void (*run)(void*, int);
  void* body;
  Modes modes = {};
  std::mutex failing = {};
  int failed = std::numeric_limits<int>::max();
  std::exception_ptr failure = {};

  void part(int w) noexcept {
    try {
      run(body, w);
    } catch (...) {
      const std::lock_guard<std::mutex> one(failing);
      if (w < failed) failed = w, failure = std::current_exception();
    }
  }
};

// Longer than the pauses between the updates of a factorisation, shorter than anything that another
// program would miss.
constexpr std::chrono::microseconds kSpin{100};

// Returns when the state is no longer `old`; looks for it kSpin long before it sleeps.
void wait_for_change(const std::atomic<int>& state, int old) {
  static std::atomic<const bool*> alone{nullptr};
  if (made_once(alone, [] { return available_cores() == 1; }))
    return state.wait(old, std::memory_order_acquire);
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int k = 0; k < 32; ++k) {
      if (state.load(std::memory_order_acquire) != old) return;
#if defined(__SSE2__)
      _mm_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  state.wait(old, std::memory_order_acquire);
}

// A thread, and the part that it is offered. Offered by the caller; taken by whoever changes the
// state first, the thread to kTaken and kDone, or the caller back to kIdle.
struct Helper {
  enum State { kIdle, kOffered, kTaken, kDone, kEnd };
  std::atomic<int> state{kIdle};
  Job* job = nullptr;
  int part = 0;
  std::thread thread;

  void loop() {
    for (;;) {
      int seen = state.load(std::memory_order_acquire);
      if (seen == kEnd) return;
      if (seen != kOffered) {
        wait_for_change(state, seen);
      } else if (state.compare_exchange_strong(seen, kTaken, std::memory_order_acquire)) {
        const Modes own;
        job->modes.set();
        job->part(part);
        own.set();
        state.store(kDone, std::memory_order_release);
        state.notify_all();
      }
    }
  }

  void offer(Job& work, int w) {
    job = &work;
    part = w;
    state.store(kOffered, std::memory_order_release);
    state.notify_all();
  }
  // The part is done afterwards.
  void finish() {
    int seen = kOffered;
    if (state.compare_exchange_strong(seen, kIdle, std::memory_order_acquire)) {
      job->part(part);
      return;
    }
    while (seen != kDone) {
      wait_for_change(state, seen);
      seen = state.load(std::memory_order_acquire);
    }
    state.store(kIdle, std::memory_order_relaxed);
  }
};

// Signals are for the threads of the program.
class SignalsBlocked {
 public:
#if defined(__unix__)
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
#else
  SignalsBlocked() {}
#endif
 public:
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
};

// The threads of a process. A child of fork has none of them, and makes a new pool.
class Pool {
 public:
  explicit Pool(const Pool* of_parent) : of_parent_(of_parent) {}

  bool of_this_process() const { return generation_ == generation(); }

  // False if another call has them.
  bool acquire() { return !busy_.exchange(true, std::memory_order_acquire); }
  void release() { busy_.store(false, std::memory_order_release); }

  // Up to `count` helpers, or as many as the system grants. @pre acquired
  std::size_t helpers(std::size_t count) {
    if (helpers_.size() < count) {
      const SignalsBlocked blocked;
      try {
        while (helpers_.size() < count) {
          Helper& added = helpers_.emplace_back();
          try {
            added.thread = std::thread([&added] { added.loop(); });
          } catch (...) {
            helpers_.pop_back();
            throw;
          }
        }
      } catch (const std::exception&) {
        // The caller does the parts that no helper can take.
      }
    }
    return std::min(count, helpers_.size());
  }
  Helper& helper(std::size_t k) { return helpers_[k]; }

  // @pre acquired, and never released
  void end() {
    for (Helper& helper : helpers_) {
      helper.state.store(Helper::kEnd, std::memory_order_release);
      helper.state.notify_all();
    }
    for (Helper& helper : helpers_) helper.thread.join();
    helpers_.clear();
  }

 private:
  [[maybe_unused]] const Pool* const of_parent_;  // found by who looks for lost memory
  const int generation_ = generation();
  std::atomic<bool> busy_{false};
  std::deque<Helper> helpers_;  // stay where they are
};

std::atomic<Pool*> current{nullptr};
std::atomic<bool> ended{false};

// When the library goes, its code must not run any more. Pools of a parent process stay: their
// threads are not here to be joined.
struct AtEnd {
  ~AtEnd() {
    ended.store(true);
    Pool* const pool = current.load();
    if (pool == nullptr || !pool->of_this_process()) return;
    // A call that lasts may be the one that ends the process: its threads are left to the system.
    for (int k = 0; !pool->acquire(); ++k) {
      if (k == 1000) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    pool->end();
  }
} at_end;

// Null if there are no threads to be had now; else it is to be released.
Pool* acquired_pool() {
  if (ended.load(std::memory_order_relaxed)) return nullptr;
  Pool* pool = current.load(std::memory_order_acquire);
  if (pool == nullptr || !pool->of_this_process()) {
    Pool* const made = new (std::nothrow) Pool(pool);
    if (made == nullptr) return nullptr;
    if (current.compare_exchange_strong(pool, made)) {
      pool = made;
    } else {
      delete made;  // another thread was first
    }
  }
  return pool->acquire() ? pool : nullptr;
}

}  // namespace

int available_cores() {
#if defined(__linux__)
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void detail::run_parts(int workers, void (*run)(void* body, int w), void* body) {
  Job job{run, body};
  Pool* const pool = acquired_pool();
  const auto others = static_cast<std::size_t>(workers - 1);
  const std::size_t helpers = pool != nullptr ? pool->helpers(others) : 0;
  for (std::size_t k = 0; k < helpers; ++k) pool->helper(k).offer(job, static_cast<int>(k) + 1);
  job.part(0);
  for (std::size_t k = helpers; k < others; ++k) job.part(static_cast<int>(k) + 1);
  for (std::size_t k = 0; k < helpers; ++k) pool->helper(k).finish();
  if (pool != nullptr) pool->release();
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace reprosum::base
