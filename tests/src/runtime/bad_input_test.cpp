// Every bad argument gives a status and a message, and nothing is written.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "sample_specs.h"

namespace reprosum {
namespace {

constexpr double kUntouched = 12345.5;

class BadInput : public testing::Test {
 protected:
  void SetUp() override {
    handle_ = samples::open(samples::strided_spec());
    ASSERT_NE(handle_, nullptr) << reprosum_last_error(nullptr);
  }
  void TearDown() override { reprosum_close(handle_); }

  void expect(reprosum_status wanted, const std::string& words,
              const std::function<reprosum_status(double*)>& call) {
    double out[3] = {kUntouched, kUntouched, kUntouched};
    EXPECT_EQ(call(out), wanted) << words;
    EXPECT_NE(std::string(reprosum_last_error(handle_)).find(words), std::string::npos)
        << "said: " << reprosum_last_error(handle_) << "\nwanted: " << words;
    for (const double value : out) EXPECT_EQ(value, kUntouched);
  }

  reprosum_handle* handle_ = nullptr;
  const std::vector<double> data_ = samples::random_data<double>(20000, 1);
  const double* x_ = data_.data();
};

TEST_F(BadInput, NullPointers) {
  expect(REPROSUM_BAD_ARGUMENT, "x is null",
         [&](double* out) { return reprosum_ddot(handle_, 3, nullptr, 1, x_, 1, out); });
  expect(REPROSUM_BAD_ARGUMENT, "y is null",
         [&](double* out) { return reprosum_ddot(handle_, 3, x_, 1, nullptr, 1, out); });
  expect(REPROSUM_BAD_ARGUMENT, "x is null",
         [&](double* out) { return reprosum_dsum(handle_, 3, nullptr, 1, out); });
  expect(REPROSUM_BAD_ARGUMENT, "out is null",
         [&](double*) { return reprosum_dsum(handle_, 3, x_, 1, nullptr); });
  expect(REPROSUM_BAD_ARGUMENT, "out is null",
         [&](double*) { return reprosum_dsum_batch(handle_, 3, 2, x_, 1, 3, nullptr); });
  double out = kUntouched;
  EXPECT_EQ(reprosum_dsum(nullptr, 3, x_, 1, &out), REPROSUM_BAD_ARGUMENT);
  EXPECT_STREQ(reprosum_last_error(nullptr), "the handle is null");
  EXPECT_EQ(out, kUntouched);
  reprosum_close(nullptr);
}

TEST_F(BadInput, Sizes) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  expect(REPROSUM_NOT_COVERED, "was not captured",
         [&](double* out) { return reprosum_dsum(handle_, least, x_, 1, out); });
  expect(REPROSUM_BAD_ARGUMENT, "rows = -2 is negative",
         [&](double* out) { return reprosum_dsum_batch(handle_, 3, -2, x_, 1, 3, out); });
  expect(REPROSUM_NOT_COVERED, "n = 5001 is beyond the captured 5000",
         [&](double* out) { return reprosum_ddot(handle_, 5001, x_, 1, x_, 1, out); });
  expect(REPROSUM_NOT_COVERED, "n = 5001",
         [&](double* out) { return reprosum_dsum_batch(handle_, 5001, 3, x_, 1, 3, out); });
}

TEST_F(BadInput, Increments) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  expect(REPROSUM_NOT_COVERED, "incx = 7",
         [&](double* out) { return reprosum_ddot(handle_, 3, x_, 7, x_, 1, out); });
  for (const std::int64_t wild : {most, least, most / 8}) {
    expect(REPROSUM_BAD_ARGUMENT, "increment of x",
           [&](double* out) { return reprosum_ddot(handle_, 3, x_, wild, x_, 1, out); });
    expect(REPROSUM_BAD_ARGUMENT, "increment of y",
           [&](double* out) { return reprosum_ddot(handle_, 3, x_, 1, x_, wild, out); });
    expect(REPROSUM_BAD_ARGUMENT, "increment of x",
           [&](double* out) { return reprosum_dsum_batch(handle_, 3, 3, x_, 1, wild, out); });
  }
}

TEST_F(BadInput, Addresses) {
  const auto* crooked = reinterpret_cast<const double*>(reinterpret_cast<const char*>(x_) + 1);
  expect(REPROSUM_BAD_ARGUMENT, "x is not aligned",
         [&](double* out) { return reprosum_ddot(handle_, 3, crooked, 1, x_, 1, out); });
}

TEST_F(BadInput, WildEnumsAndQueries) {
  reprosum_reduction good = {REPROSUM_DOT, REPROSUM_F64, 3, 1, 1, 0, 0, 0};
  const auto covers = [&](const reprosum_reduction* reduction) {
    int covered = 77;
    const reprosum_status status = reprosum_covers(handle_, reduction, &covered);
    EXPECT_EQ(covered, 77);
    return status;
  };
  const int wild = 99;
  reprosum_reduction bad = good;
  std::memcpy(&bad.routine, &wild, sizeof wild);
  EXPECT_EQ(covers(&bad), REPROSUM_BAD_ARGUMENT);
  EXPECT_STREQ(reprosum_last_error(handle_), "unknown routine 99");
  bad = good;
  std::memcpy(&bad.type, &wild, sizeof wild);
  EXPECT_EQ(covers(&bad), REPROSUM_BAD_ARGUMENT);
  EXPECT_STREQ(reprosum_last_error(handle_), "unknown type 99");
  bad = good;
  bad.align_x = 64;
  EXPECT_EQ(covers(&bad), REPROSUM_BAD_ARGUMENT);
  bad = good;
  bad.align_y = -1;
  EXPECT_EQ(covers(&bad), REPROSUM_BAD_ARGUMENT);
  bad = good;
  bad.threads = -1;
  EXPECT_EQ(covers(&bad), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(covers(nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_covers(handle_, &good, nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_entry_count(handle_, nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_spec_hash(handle_, nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_largest_n(handle_, &good, nullptr), REPROSUM_BAD_ARGUMENT);
  char name[4] = "abc";
  EXPECT_EQ(reprosum_kernel_name(handle_, &good, name, 0, nullptr), REPROSUM_BAD_ARGUMENT);
  good.n = 0;
  EXPECT_EQ(reprosum_kernel_name(handle_, &good, name, 4, nullptr), REPROSUM_BAD_ARGUMENT);
  good.n = 9999;
  EXPECT_EQ(reprosum_kernel_name(handle_, &good, name, 4, nullptr), REPROSUM_NOT_COVERED);
  EXPECT_STREQ(name, "abc");
}

TEST_F(BadInput, Choices) {
  EXPECT_EQ(reprosum_set_threads(handle_, 0), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_set_threads(handle_, 5), REPROSUM_NOT_COVERED);
  EXPECT_STREQ(reprosum_last_error(handle_), "threads = 5 was not captured");
  int threads = 0;
  EXPECT_EQ(reprosum_get_threads(handle_, &threads), REPROSUM_OK);
  EXPECT_EQ(threads, 1);
  EXPECT_EQ(reprosum_set_isa(handle_, "sse9"), REPROSUM_BAD_ARGUMENT);
}

TEST(BadSpec, IsRefusedAndTheHandleNotTouched) {
  auto* const untouched = reinterpret_cast<reprosum_handle*>(0x40);
  reprosum_handle* handle = untouched;
  const std::string text = spec::to_json(samples::plain_spec());
  EXPECT_EQ(reprosum_open_memory("{", 1, &handle), REPROSUM_BAD_SPEC);
  EXPECT_STRNE(reprosum_last_error(nullptr), "");
  EXPECT_EQ(reprosum_open_memory("", 0, &handle), REPROSUM_BAD_SPEC);
  EXPECT_EQ(reprosum_open_memory(text.data(), text.size() / 2, &handle), REPROSUM_BAD_SPEC);
  EXPECT_EQ(reprosum_open_memory(nullptr, 0, &handle), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_open_file(nullptr, &handle), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_open_memory(text.data(), text.size(), nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_open_file("/nonexistent/spec.json", &handle), REPROSUM_ENVIRONMENT);
  EXPECT_NE(std::string(reprosum_last_error(nullptr)).find("/nonexistent/spec.json"),
            std::string::npos);
  EXPECT_EQ(reprosum_open_file("/", &handle), REPROSUM_ENVIRONMENT);
  EXPECT_EQ(handle, untouched);
}

}  // namespace
}  // namespace reprosum
