#include "src/capture/own_thread.h"

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <exception>

#include "spec/error.h"
#include "src/runtime/float_environment.h"

namespace reprosum::capture {
namespace {

constexpr std::size_t kStack = std::size_t{16} << 20;

struct Run {
  const std::function<void()>& job;
  std::exception_ptr failure;

  void operator()() noexcept {
    const runtime::DefaultFloatEnvironment environment;
    try {
      job();
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void* run_there(void* run) {
  (*static_cast<Run*>(run))();
  return nullptr;
}

bool start(Run& run, pthread_t& thread) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  sigset_t all, before;
  sigfillset(&all);
  const bool is_there = pthread_attr_setstacksize(&attributes, kStack) == 0 &&
                        pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  bool begun = false;
  if (is_there) {
    begun = pthread_create(&thread, &attributes, run_there, &run) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  pthread_attr_destroy(&attributes);
  return begun;
}

}  // namespace

void on_own_thread(const std::function<void()>& job) {
  Run run{job, nullptr};
  pthread_t thread;
  if (start(run, thread))
    pthread_join(thread, nullptr);
  else
    run();
  if (run.failure) std::rethrow_exception(run.failure);
}

void on_own_thread(const std::function<void()>& job, const std::function<void()>& meanwhile) {
  Run run{job, nullptr};
  pthread_t thread;
  if (!start(run, thread)) throw EnvironmentError("no thread can be had for the capture");
  meanwhile();
  pthread_join(thread, nullptr);
  if (run.failure) std::rethrow_exception(run.failure);
}

}  // namespace reprosum::capture
