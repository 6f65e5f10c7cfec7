#include "src/base/fork_gate.h"

#if defined(__unix__)
#include <pthread.h>
#endif

namespace reprosum::base {
namespace {

constinit std::atomic<int> inside{0};   // threads that hold a NoFork
constinit std::atomic<int> forking{0};  // threads that are in fork()
constinit std::atomic<int> forks_before{0};
constinit thread_local int held = 0;  // by this thread

void leave() {
  inside.fetch_sub(1);
  if (forking.load() > 0) inside.notify_all();
}

void prepare() {
  forking.fetch_add(1);
  const int own = held > 0 ? 1 : 0;
  for (int others = inside.load(); others > own; others = inside.load()) inside.wait(others);
}

void go_on_in_parent() {
  if (forking.fetch_sub(1) == 1) forking.notify_all();
}

void go_on_in_child() {
  forks_before.fetch_add(1);
  forking.store(0);
  inside.store(held > 0 ? 1 : 0);
}

#if defined(__unix__)
// When the library is loaded: after the libraries that it needs, so that fork() closes the outer
// gate before the inner one, through which those go who hold the outer.
[[maybe_unused]] const int registered = pthread_atfork(prepare, go_on_in_parent, go_on_in_child);
#endif

}  // namespace

int generation() { return forks_before.load(std::memory_order_relaxed); }

NoFork::NoFork() {
  if (held++ > 0) return;
  for (;;) {
    inside.fetch_add(1);
    const int forks = forking.load();
    if (forks == 0) return;
    leave();
    forking.wait(forks);
  }
}

NoFork::~NoFork() {
  if (--held == 0) leave();
}

}  // namespace reprosum::base
