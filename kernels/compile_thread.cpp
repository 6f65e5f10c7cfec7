#include "kernels/compile_thread.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include "src/base/fork_gate.h"

#if REPROSUM_LLVM
#include "kernels/llvm/fatal_errors.h"
#endif

namespace reprosum::kernels {
namespace {

// LLVM's selection of instructions is deep. Pages that are never touched cost nothing.
constexpr std::size_t kStack = std::size_t{16} << 20;
// A system that grants no thread is asked again after so long.
constexpr std::chrono::seconds kPause{1};

// A thread, and the job that it has.
struct Maker {
  enum State { kIdle, kOffered, kDone, kGaveUp, kEnd };
  std::atomic<int> state{kIdle};
  void (*run)(void*) = nullptr;
  void* job = nullptr;
  pthread_t thread{};
  const int generation = base::generation();
};

constinit thread_local Maker* of_this_thread = nullptr;
constinit thread_local bool waits = false;  // for a job

std::mutex turn;  // of those who have a job; taken inside NoFork
constinit std::atomic<Maker*> current{nullptr};
constinit std::atomic<bool> ended{false};
constinit std::atomic<int> given_up{0};
constinit bool ends_with_process = false;            // written by compile threads alone
std::chrono::steady_clock::time_point refused_at{};  // under `turn`

void set_state(Maker& maker, Maker::State state) {
  maker.state.store(state, std::memory_order_release);
  maker.state.notify_all();
}

#if REPROSUM_LLVM
void park() {
  if (of_this_thread == nullptr) return;  // LLVM prints and ends the process
  given_up.fetch_add(1);
  set_state(*of_this_thread, Maker::kGaveUp);
  for (;;) ::pause();
}
#endif

// When the process ends or the library goes: the code and the data of jobs are there no more.
void end_thread() {
  ended.store(true);
  if (of_this_thread != nullptr || waits) return;  // exit() inside a job
  const base::ForkSafeLock lock(turn);
  Maker* const maker = current.load();
  if (maker == nullptr || maker->generation != base::generation()) return;
  current.store(nullptr);
  set_state(*maker, Maker::kEnd);
  pthread_join(maker->thread, nullptr);
  delete maker;
}

// Makes what exceptions need of this thread, as long as there is memory: where the library came by
// dlopen(), glibc makes it at the thread's first exception and ends the process that has no memory
// then, be the exception a bad_alloc.
void prepare_for_exceptions() {
  // Volatile: the function is declared pure, and would not be called for nothing.
  [[maybe_unused]] const volatile int counted = std::uncaught_exceptions();
}

void* live(void* argument) {
  Maker& maker = *static_cast<Maker*>(argument);
  prepare_for_exceptions();
  std::fesetenv(FE_DFL_ENV);  // not that of whoever called first
  if (!ends_with_process) {
    std::atexit(end_thread);
#if REPROSUM_LLVM
    on_llvm_fatal_error(park);
#endif
    ends_with_process = true;
  }
  of_this_thread = &maker;
  for (;;) {
    const int seen = maker.state.load(std::memory_order_acquire);
    if (seen == Maker::kEnd) return nullptr;
    if (seen != Maker::kOffered) {
      maker.state.wait(seen, std::memory_order_acquire);
      continue;
    }
    maker.run(maker.job);
    set_state(maker, Maker::kDone);
  }
}

// nullptr if the system grants no thread. @pre the caller has its turn
Maker* started() {
  const auto now = std::chrono::steady_clock::now();
  if (refused_at != std::chrono::steady_clock::time_point{} && now - refused_at < kPause)
    return nullptr;
  std::unique_ptr<Maker> made(new (std::nothrow) Maker);
  pthread_attr_t attributes;
  bool is_there = made != nullptr && pthread_attr_init(&attributes) == 0;
  if (is_there) {
    // Signals are for the threads of the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_there = pthread_attr_setstacksize(&attributes, kStack) == 0 &&
               pthread_create(&made->thread, &attributes, live, made.get()) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
  }
  refused_at = is_there ? std::chrono::steady_clock::time_point{} : now;
  return is_there ? made.release() : nullptr;
}

}  // namespace

int times_given_up() { return given_up.load(); }

bool is_compile_thread() { return of_this_thread != nullptr; }

JobEnd detail::run_job(void (*run)(void*), void* job) {
  if (is_compile_thread()) {
    run(job);
    return JobEnd::done;
  }
  prepare_for_exceptions();  // the job's is thrown again here
  const base::ForkSafeLock lock(turn);
  if (ended.load()) return JobEnd::no_thread;
  Maker* maker = current.load();
  // A parent's thread is not here; what was its stays where it is.
  if (maker == nullptr || maker->generation != base::generation()) {
    maker = started();
    if (maker == nullptr) return JobEnd::no_thread;
    current.store(maker);
  }
  maker->run = run;
  maker->job = job;
  waits = true;
  set_state(*maker, Maker::kOffered);
  int seen = Maker::kOffered;
  while (seen == Maker::kOffered) {
    maker->state.wait(seen, std::memory_order_acquire);
    seen = maker->state.load(std::memory_order_acquire);
  }
  waits = false;
  if (seen == Maker::kDone) return JobEnd::done;
  current.store(nullptr);  // it sleeps for ever, with its Maker
  return JobEnd::gave_up;
}

}  // namespace reprosum::kernels

extern "C" {
int __real___cxa_atexit(void (*function)(void*), void* argument, void* library);
int __wrap___cxa_atexit(void (*function)(void*), void* argument, void* library);

// What LLVM makes at its first use (linked with --wrap) is not destroyed at the end of the process:
// it would be before end_thread() can wait for the job that uses it.
int __wrap___cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (reprosum::kernels::is_compile_thread()) return 0;
  return __real___cxa_atexit(function, argument, library);
}
}
