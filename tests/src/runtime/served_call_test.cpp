// A call that was served before asks for no memory and takes no lock.
//
// The test stands in for malloc and pthread_mutex_lock of the whole process, the library's own
// calls among them.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sample_products.h"

namespace {
std::atomic<std::int64_t> allocations{0}, locks{0};
using Lock = int (*)(pthread_mutex_t*);
std::atomic<Lock> next_lock{nullptr};
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** made, std::size_t alignment, std::size_t size) {
  ++allocations;
  *made = __libc_memalign(alignment, size);
  return 0;
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  ++locks;
  Lock next = next_lock.load();
  if (next == nullptr) {
    next = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    next_lock = next;
  }
  return next(mutex);
}
}

namespace reprosum {
namespace {

struct Counts {
  std::int64_t allocations, locks;
};

// Counts of the third call: the first makes kernels, the second may keep what it found.
Counts counts_of(const std::function<reprosum_status()>& call) {
  EXPECT_EQ(call(), REPROSUM_OK);
  EXPECT_EQ(call(), REPROSUM_OK);
  const std::int64_t allocated = allocations, locked = locks;
  const reprosum_status status = call();
  const Counts counts{allocations - allocated, locks - locked};
  EXPECT_EQ(status, REPROSUM_OK);
  return counts;
}

void expect_none(const std::string& what, const std::function<reprosum_status()>& call) {
  const Counts counts = counts_of(call);
  EXPECT_EQ(counts.allocations, 0) << what;
  EXPECT_EQ(counts.locks, 0) << what;
}

TEST(ServedCall, TheCountersCount) {
  const std::int64_t allocated = allocations, locked = locks;
  std::vector<double> memory(100);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  EXPECT_GT(allocations - allocated, 0);
  EXPECT_GT(locks - locked, 0);
  EXPECT_EQ(memory.size(), 100u);
}

TEST(ServedCall, SumsTakeNoMemoryAndNoLock) {
  for (const bool strided : {false, true}) {
    reprosum_handle* const handle =
        samples::open(strided ? samples::strided_spec() : samples::plain_spec());
    ASSERT_NE(handle, nullptr) << reprosum_last_error(nullptr);
    const std::vector<double> x(4000, 1.5), y(4000, 2.5);
    double out = 0;
    for (const std::int64_t n : {1, 17, 1000}) {
      for (const int inc : {1, 2, -1}) {
        if (inc != 1 && !strided) continue;
        const std::string what = "n = " + std::to_string(n) + ", " + std::to_string(inc);
        if (reprosum_ddot(handle, n, x.data(), inc, y.data(), inc, &out) != REPROSUM_OK) continue;
        expect_none("ddot " + what,
                    [&] { return reprosum_ddot(handle, n, x.data(), inc, y.data(), inc, &out); });
      }
    }
    reprosum_close(handle);
  }
}

TEST(ServedCall, ProductsTakeNoMemoryAndNoLock) {
  reprosum_handle* const handle = samples::open(samples::product_spec());
  ASSERT_NE(handle, nullptr) << reprosum_last_error(nullptr);
  if (!samples::has_tiles(handle)) {
    reprosum_close(handle);
    GTEST_SKIP() << "nothing is generated here, and the interpreter asks for memory";
  }
  const std::vector<double> a(40'000, 1.5), b(40'000, 2.5);
  std::vector<double> c(40'000, 3.5);
  for (const auto layout : {REPROSUM_COLUMN_MAJOR, REPROSUM_ROW_MAJOR})
    for (const auto trans : {REPROSUM_NO_TRANS, REPROSUM_TRANS})
      for (const std::int64_t n : {1, 5, 30, 100, 200})
        for (const double beta : {0.0, 1.0, 0.5}) {
          const std::string what = "n = " + std::to_string(n) + ", beta " + std::to_string(beta);
          expect_none("dgemv " + what, [&] {
            return reprosum_dgemv(handle, layout, trans, n, n, 0.7, a.data(), n, b.data(), 1, beta,
                                  c.data(), 1);
          });
          expect_none("dgemm " + what, [&] {
            return reprosum_dgemm(handle, layout, trans, REPROSUM_NO_TRANS, n, n, n, 0.7, a.data(),
                                  n, b.data(), n, beta, c.data(), n);
          });
        }
  reprosum_close(handle);
}

// Many values of k, then the first again: what was made for it is found.
TEST(ServedCall, AThousandLengthsAreKept) {
  reprosum_handle* const handle = samples::open(samples::product_spec());
  ASSERT_NE(handle, nullptr) << reprosum_last_error(nullptr);
  if (!samples::has_tiles(handle)) {
    reprosum_close(handle);
    GTEST_SKIP() << "nothing is generated here, and the interpreter asks for memory";
  }
  const std::vector<double> a(90'000, 1.5), b(90'000, 2.5);
  std::vector<double> c(90'000);
  for (std::int64_t m = 1; m <= 5; ++m)
    for (std::int64_t k = 1; k <= samples::kLargestProduct; ++k)
      ASSERT_EQ(reprosum_dgemm(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS,
                               m, 2, k, 1, a.data(), m, b.data(), k, 0, c.data(), m),
                REPROSUM_OK);
  expect_none("k = 1 again", [&] {
    return reprosum_dgemm(handle, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, 1, 2,
                          1, 1, a.data(), 1, b.data(), 1, 0, c.data(), 1);
  });
  reprosum_close(handle);
}

}  // namespace
}  // namespace reprosum
