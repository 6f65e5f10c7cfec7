// The threads that share the work of a call: every part once, on whatever thread, with the caller's
// modes; several callers, nested calls, failures, children of fork.
#include "src/base/workers.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {
std::atomic<bool> no_threads{false}, no_memory{false};
}

void* operator new(std::size_t bytes) {
  void* const memory = no_memory ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// Before the system's: a system that grants no thread, as under a limit on their number.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  if (no_threads) return EAGAIN;
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, body, argument);
}

namespace reprosum::base::testing {
namespace {

// How often each part was run.
std::vector<int> parts_of(int workers) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(workers));
  run_workers(workers, [&](int w) { ++runs[static_cast<std::size_t>(w)]; });
  return {runs.begin(), runs.end()};
}

bool all_once(int workers) {
  return parts_of(workers) == std::vector<int>(static_cast<std::size_t>(workers), 1);
}

// First, while none has been kept: the caller does every part; and later threads are had again.
TEST(Workers, ASystemWithoutThreads) {
  no_threads = true;
  const auto caller = std::this_thread::get_id();
  for (int round = 0; round < 3; ++round) {
    run_workers(4, [&](int) { EXPECT_EQ(std::this_thread::get_id(), caller); });
    EXPECT_TRUE(all_once(5));
  }
  no_threads = false;
  EXPECT_TRUE(all_once(5));
}

// A caller that has written half of its output counts on its parts being done.
TEST(Workers, ASystemWithoutMemory) {
  for (const int workers : {2, 7, 40}) {
    std::atomic<int> runs[40] = {};
    no_memory = true;
    bool threw = false;
    try {
      run_workers(workers, [&](int w) { ++runs[w]; });
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    no_memory = false;
    EXPECT_FALSE(threw) << workers;
    for (int w = 0; w < workers; ++w) EXPECT_EQ(runs[w], 1) << w << " of " << workers;
  }
}

TEST(Workers, EveryPartOnce) {
  for (int round = 0; round < 300; ++round)
    for (const int workers : {1, 2, 3, 4, 7, 2, 16}) ASSERT_TRUE(all_once(workers)) << workers;
}

#if defined(__linux__)
TEST(Workers, CoresOfTheThread) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(available_cores(), 1);
  }).join();
}
#endif

// A part that lasts is left to no caller: another thread has the time to take the next one, and is
// the same one each time, also after it has slept.
TEST(Workers, ThreadsAreKept) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  int elsewhere = 0;
  for (int round = 0; round < 30; ++round) {
    run_workers(2, [&](int w) {
      const std::lock_guard<std::mutex> lock(mutex);
      threads.insert(std::this_thread::get_id());
      elsewhere += w == 1 && threads.size() > 1;
    });
    run_workers(2, [&](int w) {
      if (w == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      const std::lock_guard<std::mutex> lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(threads.size(), 2);
  EXPECT_GT(elsewhere, 0);
}

TEST(Workers, SeveralCallersAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&wrong, c] {
      for (int round = 0; round < 500; ++round) wrong += !all_once(2 + (c + round) % 3);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Workers, BodiesMayShareToo) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> wrong{0};
    run_workers(3, [&](int) { wrong += !all_once(3); });
    ASSERT_EQ(wrong, 0);
  }
}

// The first failure is thrown, the other parts are done, and the threads are there for others.
TEST(Workers, Failures) {
  for (int failing = 0; failing < 4; ++failing) {
    std::atomic<int> done{0};
    try {
      run_workers(4, [&](int w) {
        if (w >= failing) throw std::runtime_error(std::to_string(w));
        ++done;
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(failing));
    }
    EXPECT_EQ(done, failing);
    EXPECT_TRUE(all_once(4));
  }
}

#if defined(__SSE2__)
// What the caller set, for every part; and what it finds afterwards.
TEST(Workers, ModesOfTheCaller) {
  constexpr unsigned kFlags = 0x3f, kDefault = 0x1f80;
  for (const unsigned modes : {kDefault, 0x9fc0U, 0x3f80U, 0x5f80U}) {
    for (int round = 0; round < 20; ++round) {
      std::vector<unsigned> seen(3);
      const auto caller = std::this_thread::get_id();
      _mm_setcsr(modes);
      run_workers(3, [&](int w) {
        seen[static_cast<std::size_t>(w)] = _mm_getcsr() & ~kFlags;
        if (std::this_thread::get_id() != caller) _mm_setcsr(kDefault ^ 0x2000);
        if (w == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      });
      EXPECT_EQ(_mm_getcsr() & ~kFlags, modes & ~kFlags);
      _mm_setcsr(kDefault);
      for (const unsigned one : seen) ASSERT_EQ(one, modes & ~kFlags);
    }
  }
}
#endif

#if defined(__unix__)
// Runs `body` in a child; its exit code, or -1 if it hangs.
template <class Body>
int code_of_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    body();
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Children have none of the threads: they make their own, and end as they like.
TEST(Workers, ChildrenOfFork) {
  ASSERT_TRUE(all_once(3));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(code_of_child([] { _exit(all_once(3) ? 7 : 1); }), 7);
    EXPECT_EQ(code_of_child([] { std::exit(all_once(3) ? 7 : 1); }), 7);
    EXPECT_EQ(code_of_child([] { std::exit(8); }), 8);
    EXPECT_EQ(code_of_child([] {
                const int code = code_of_child([] { std::exit(all_once(4) ? 9 : 1); });
                std::exit(all_once(2) ? code : 1);
              }),
              9);
  }
  ASSERT_TRUE(all_once(3));
}

// A child that is made while another thread's call has the threads.
TEST(Workers, ForkDuringACall) {
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) all_once(3);
  });
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(code_of_child([] { _exit(all_once(3) ? 7 : 1); }), 7);
  stop = true;
  caller.join();
}
#endif

}  // namespace
}  // namespace reprosum::base::testing
