// late_caller exact|replay|blas|list: calls every routine of the exact mode, of a spec's replay
// (REPROSUM_SPEC) or of the drop-in, first in main, and again wherever a thread or the process
// ends: destructors of thread_locals and pthread keys of a thread and of main, handlers of exit(),
// destructors of statics, destructor functions. The bits must be those of the first call, and the
// program's own memory must stay as it is: blocks that are taken before each round of calls may lie
// where the library's memory lay that is gone by then. "list" prints the names. Exit code 9: a
// fault, told on stderr.#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "late_calls.h"

namespace reprosum::late {
namespace {

Results (*results_of)() = nullptr;
const Results* first = nullptr;  // never freed: read to the very end

void call_again(const char* where) {
  if (first == nullptr) return;  // "list"
  const Blocks blocks;
  const Results again = results_of();
  if (again.size() != first->size()) fail(where, "another number of results");
  for (std::size_t i = 0; i < again.size(); ++i)
    if (again[i].bytes != (*first)[i].bytes) fail(where, "other bits of " + again[i].name);
  blocks.check(where, "a routine");
  // Once more, one thing after the other: what a late call keeps is used by the next.
  if (results_of().size() != again.size()) fail(where, "another number of results");
  blocks.check(where, "a later routine");
}

struct CallsWhenDestroyed {
  explicit CallsWhenDestroyed(const char* where) : where(where) {}
  ~CallsWhenDestroyed() { call_again(where); }
  const char* where;
};

CallsWhenDestroyed of_program("the destructor of a static");

// Before the first call and after it: destroyed after the library's and before.
void touch(const CallsWhenDestroyed& one) { asm volatile("" : : "r"(&one)); }
void touch_early() {
  thread_local CallsWhenDestroyed early(
      "the destructor of a thread_local made before the first call");
  touch(early);
}
void touch_late() {
  thread_local CallsWhenDestroyed late(
      "the destructor of a thread_local made after the first call");
  touch(late);
}

pthread_key_t key;
void end_of_key(void* rounds_left) {
  call_again("the destructor of a pthread key");
  const auto left = reinterpret_cast<std::uintptr_t>(rounds_left);
  if (left > 1) pthread_setspecific(key, reinterpret_cast<void*>(left - 1));  // called once more
}

void run_thread() {
  touch_early();
  pthread_setspecific(key, reinterpret_cast<void*>(std::uintptr_t{2}));
  call_again("a thread");
  touch_late();
}

// A thread whose first call comes when it ends.
void run_late_thread() {
  touch_early();
  pthread_setspecific(key, reinterpret_cast<void*>(std::uintptr_t{1}));
}

void at_exit() { call_again("a handler of exit()"); }

[[gnu::destructor]] void at_very_end() { call_again("a destructor function"); }

int list() {
  for (const Result& one : exact_results()) std::printf("%s\n", one.name.c_str());
  return 0;
}

}  // namespace

int run(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "list") return list();
  results_of = what == "exact" ? exact_results : what == "replay" ? replay_results : blas_results;
  std::atexit(at_exit);
  pthread_key_create(&key, end_of_key);
  touch_early();
  static_cast<void>(reprosum_exact_set_workers(2));
  first = new Results(results_of());
  touch_late();
  pthread_setspecific(key, reinterpret_cast<void*>(std::uintptr_t{1}));
  call_again("main");
  std::thread(run_thread).join();
  std::thread(run_late_thread).join();
  // exit() by a thread other than main destroys that one's objects alone.
  if (argc > 2)
    std::thread([] {
      run_thread();
      std::exit(0);
    }).join();
  return 0;
}

}  // namespace reprosum::late

int main(int argc, char** argv) { return reprosum::late::run(argc, argv); }
