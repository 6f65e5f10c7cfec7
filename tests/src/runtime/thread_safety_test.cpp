// Eight threads open, call, fail and close at once; one handle shared by all of them.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "sample_specs.h"

namespace reprosum {
namespace {

constexpr int kThreads = 8;

template <class Body>
void in_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ThreadSafety, OneHandleSharedByAll) {
  reprosum_handle* handle = samples::open(samples::strided_spec());
  reprosum_handle* referee = samples::open(samples::strided_spec());
  ASSERT_NE(handle, nullptr);
  ASSERT_NE(referee, nullptr);
  const std::vector<double> x = samples::random_data<double>(5000, 21);
  double wanted[2][50];
  for (int n = 0; n < 50; ++n) {
    ASSERT_EQ(reprosum_ddot(referee, n, x.data(), 1, x.data(), 1, &wanted[0][n]), REPROSUM_OK);
    ASSERT_EQ(reprosum_dsum(referee, n, x.data(), -2, &wanted[1][n]), REPROSUM_OK);
  }
  std::atomic<int> wrong = 0;
  in_threads([&](int thread) {
    for (int round = 0; round < 200; ++round) {
      const int n = (round + 7 * thread) % 50;
      double dot = -1, sum = -1;
      wrong += reprosum_ddot(handle, n, x.data(), 1, x.data(), 1, &dot) != REPROSUM_OK;
      wrong += reprosum_dsum(handle, n, x.data(), -2, &sum) != REPROSUM_OK;
      wrong += dot != wanted[0][n] || sum != wanted[1][n];
      // Each thread sees its own message, whatever the others do meanwhile.
      const int beyond = 6000 + thread;
      wrong += reprosum_dsum(handle, beyond, x.data(), 1, &sum) != REPROSUM_NOT_COVERED;
      const std::string said = reprosum_last_error(handle);
      wrong += said.find("n = " + std::to_string(beyond)) == std::string::npos;
      if (round % 16 == 0) reprosum_set_isa(handle, round % 32 == 0 ? "interpreter" : "");
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  reprosum_close(handle);
  reprosum_close(referee);
}

TEST(ThreadSafety, EachOpensItsOwn) {
  spec::Spec spec = samples::plain_spec();
  spec::canonicalize(spec);
  const std::string text = spec::to_json(spec);
  const std::vector<float> x = samples::random_data<float>(100, 22);
  std::vector<float> results(kThreads);
  std::atomic<int> wrong = 0;
  in_threads([&](int thread) {
    for (int round = 0; round < 4; ++round) {
      reprosum_handle* handle = nullptr;
      if (reprosum_open_memory(text.data(), text.size(), &handle) != REPROSUM_OK) {
        ++wrong;
        return;
      }
      wrong += reprosum_ssum(handle, 100, x.data(), 1,
                             &results[static_cast<std::size_t>(thread)]) != REPROSUM_OK;
      reprosum_close(handle);
      wrong += reprosum_open_memory("[]", 2, &handle) != REPROSUM_BAD_SPEC;
    }
  });
  EXPECT_EQ(wrong.load(), 0);
  for (const float result : results) EXPECT_EQ(result, results.front());
}

}  // namespace
}  // namespace reprosum
