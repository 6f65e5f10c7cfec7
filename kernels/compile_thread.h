// The one thread of the process that makes kernels.
#pragma once

#include <exception>
#include <type_traits>

namespace reprosum::kernels {

// What became of a job.
enum class JobEnd {
  done,
  no_thread,  // the system grants none now, or the process is ending: nothing was begun
  gave_up     // LLVM met what it calls a fatal error; asked again, it would once more
};

namespace detail {
JobEnd run_job(void (*run)(void*), void* job);
}

// Whether the caller is that thread.
bool is_compile_thread();

// How often LLVM gave up in this process.
int times_given_up();

// job() on the compile thread, in the default floating-point environment; waits for it, and throws
// what it throws. On the compile thread itself it runs at once. LLVM and all tables of kernels are
// used in jobs alone, one after the other, so they need no locks, and:
//  * the caller's stack may be small: the thread has its own;
//  * a child of fork finds nothing half done: fork() waits for the job (base::NoFork), and the
//    child starts a thread of its own when it needs one;
//  * exit() and dlclose() wait for the job; afterwards there is no thread;
//  * a fatal error of LLVM ends no process: the thread that met it sleeps for ever, what it holds
//    is lost, and the next job gets a new one.
// So a job holds no lock that others wait for, and leaves tables whole wherever LLVM is called.
template <class Job>
JobEnd on_compile_thread(Job&& job) {
  struct Call {
    std::remove_reference_t<Job>& job;
    std::exception_ptr failure;
  } call{job, nullptr};
  const JobEnd end = detail::run_job(
      [](void* it) {
        auto& told = *static_cast<Call*>(it);
        try {
          told.job();
        } catch (...) {
          told.failure = std::current_exception();
        }
      },
      &call);
  if (end == JobEnd::done && call.failure) std::rethrow_exception(call.failure);
  return end;
}

}  // namespace reprosum::kernels
