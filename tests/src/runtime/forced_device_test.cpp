// reprosum_set_isa(handle, "opencl" | "cuda"): calls of reprosum.h on a device, with the bits of
// this processor; what a device does not do; how it is told.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <cstring>
#include <thread>
#include <tuple>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "gpu_device.h"
#include "sample_products.h"
#include "spec/surface.h"
#include "tests/spec/sample_orders.h"

namespace reprosum {
namespace {

class ForcedDevice : public OnGpu {
 protected:
  const char* isa() const { return GetParam() == REPROSUM_OPENCL ? "opencl" : "cuda"; }
  void choose(const spec::Spec& spec) {
    handle_ = samples::open(spec);
    ASSERT_NE(handle_, nullptr);
    ASSERT_EQ(reprosum_set_isa(handle_, isa()), REPROSUM_OK) << reprosum_last_error(handle_);
  }
  std::pair<std::int64_t, std::int64_t> calls() const {
    std::pair<std::int64_t, std::int64_t> there_and_here;
    EXPECT_EQ(reprosum_device_calls(handle_, &there_and_here.first, &there_and_here.second),
              REPROSUM_OK);
    return there_and_here;
  }
  std::string refusal() const { return reprosum_device_refusal(handle_); }
  std::string kernel(std::int64_t n) const {
    const reprosum_reduction dot = {REPROSUM_DOT, REPROSUM_F64, n, 1, 1, 0, 0, 0};
    char name[200] = "";
    const char* where = "";
    EXPECT_EQ(reprosum_kernel_name(handle_, &dot, name, sizeof name, &where), REPROSUM_OK);
    EXPECT_TRUE(std::string(name).ends_with(std::string("_") + where)) << name << where;
    return where;
  }
  double dot(const std::vector<double>& x) const {
    double value = -1;
    EXPECT_EQ(reprosum_ddot(handle_, static_cast<std::int64_t>(x.size()), x.data(), 1, x.data(), 1,
                            &value),
              REPROSUM_OK)
        << reprosum_last_error(handle_);
    return value;
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, ForcedDevice, testing::Values(REPROSUM_OPENCL, REPROSUM_CUDA),
                         backend_name);

using Counts = std::pair<std::int64_t, std::int64_t>;

TEST_P(ForcedDevice, ReductionsAreDoneThere) {
  choose(samples::strided_spec());
  const std::vector<double> x = samples::random_data<double>(3000, 7);
  const auto all = [&] {
    std::vector<double> out(5, -1);
    EXPECT_EQ(reprosum_ddot(handle_, 1000, x.data(), 1, x.data() + 3, 1, &out[0]), REPROSUM_OK);
    EXPECT_EQ(reprosum_ddot(handle_, 900, x.data(), -3, x.data(), 2, &out[1]), REPROSUM_OK);
    EXPECT_EQ(reprosum_dsum_batch(handle_, 500, 3, x.data(), 1, 700, &out[2]), REPROSUM_OK);
    return out;
  };
  const std::vector<double> there = all();
  EXPECT_EQ(calls(), Counts(3, 0));
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(kernel(1000), isa());
  ASSERT_EQ(reprosum_set_isa(handle_, "interpreter"), REPROSUM_OK);
  EXPECT_EQ(all(), there);
  EXPECT_EQ(calls(), Counts(0, 0));
  EXPECT_EQ(kernel(1000), "interpreter");
  ASSERT_EQ(reprosum_set_isa(handle_, isa()), REPROSUM_OK);  // the same as before
  EXPECT_EQ(calls(), Counts(3, 0));
}

TEST_P(ForcedDevice, ProductsAreDoneThere) {
  choose(samples::product_spec());
  const std::vector<double> a = samples::random_data<double>(400, 11);
  const auto all = [&] {
    std::vector<double> c = samples::random_data<double>(400, 13);
    EXPECT_EQ(reprosum_dgemm(handle_, REPROSUM_ROW_MAJOR, REPROSUM_NO_TRANS, REPROSUM_TRANS, 9, 13,
                             7, 0.7, a.data(), 8, a.data() + 9, 11, -0.3, c.data(), 15),
              REPROSUM_OK);
    EXPECT_EQ(reprosum_dgemv(handle_, REPROSUM_COLUMN_MAJOR, REPROSUM_TRANS, 9, 6, 1, a.data(), 10,
                             a.data(), -3, 0, c.data() + 200, 2),
              REPROSUM_OK);
    return c;
  };
  const std::vector<double> there = all();
  EXPECT_EQ(calls(), Counts(2, 0));
  reprosum_product product{};
  product.routine = REPROSUM_GEMM;
  product.type = REPROSUM_F64;
  product.transa = product.transb = REPROSUM_NO_TRANS;
  product.m = product.n = product.k = 5;
  char names[100] = "";
  EXPECT_EQ(reprosum_product_kernels(handle_, &product, names, sizeof names), REPROSUM_OK);
  EXPECT_EQ(names, std::string(isa()) + ": every output");
  ASSERT_EQ(reprosum_set_isa(handle_, "interpreter"), REPROSUM_OK);
  EXPECT_EQ(all(), there);
}

// They need no kernel; what becomes of their outputs is the spec's to say.
TEST_P(ForcedDevice, CallsWithoutSummandsAreNotSent) {
  choose(samples::plain_spec());
  double out = 1;
  EXPECT_EQ(reprosum_dsum(handle_, 0, nullptr, 1, &out), REPROSUM_OK);
  EXPECT_TRUE(out == 0 && std::signbit(out));
  EXPECT_EQ(reprosum_dsum(handle_, -1, nullptr, 1, &out), REPROSUM_NOT_COVERED);
  EXPECT_EQ(calls(), Counts(0, 0));
}

// This host does it, and says so; what no backend can do is refused as without a device.
TEST_P(ForcedDevice, AnOrderWithoutKernelsIsDoneHere) {
  spec::Spec spec = samples::plain_spec();
  for (spec::Order& order : spec.orders) order = spec::parse_order(spec::samples::kFusedGroups);
  choose(spec);
  const std::vector<double> x = samples::random_data<double>(30, 5);
  double there = 0, here = 0, out = -1;
  EXPECT_EQ(reprosum_dsum(handle_, 30, x.data(), 1, &there), REPROSUM_OK)
      << reprosum_last_error(handle_);
  EXPECT_EQ(calls(), Counts(0, 1));
  EXPECT_NE(refusal().find("devices have no kernels for this order"), std::string::npos)
      << refusal();
  ASSERT_EQ(reprosum_set_isa(handle_, "interpreter"), REPROSUM_OK);
  EXPECT_EQ(reprosum_dsum(handle_, 30, x.data(), 1, &here), REPROSUM_OK);
  EXPECT_EQ(there, here);
  ASSERT_EQ(reprosum_set_isa(handle_, isa()), REPROSUM_OK);
  EXPECT_EQ(reprosum_dsum(handle_, 30, x.data(), 2, &out), REPROSUM_NOT_COVERED);
  EXPECT_EQ(reprosum_dsum(handle_, 30, nullptr, 1, &out), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(calls(), Counts(0, 1));  // nobody did those
  EXPECT_EQ(out, -1);
}

TEST_P(ForcedDevice, AChildOfForkIsServedByThisHost) {
  choose(samples::plain_spec());
  const std::vector<double> x = samples::random_data<double>(1000, 3);
  const double there = dot(x);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(100);
    const bool right = dot(x) == there;
    const bool told = refusal().find("forked") != std::string::npos && calls() == Counts(1, 1);
    reprosum_close(handle_);
    ::_exit((right ? 0 : 1) + (told ? 0 : 2));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(dot(x), there);
  EXPECT_EQ(calls(), Counts(2, 0));
}

TEST_P(ForcedDevice, ThreadsMayChooseAndCallAtOnce) {
  handle_ = samples::open(samples::plain_spec());
  ASSERT_NE(handle_, nullptr);
  const std::vector<double> x = samples::random_data<double>(700, 3);
  const double right = dot(x);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (int round = 0; round < 20; ++round) {
        if (round % 5 == k) {
          EXPECT_EQ(reprosum_set_isa(handle_, k == 3 ? "" : isa()), REPROSUM_OK);
        }
        EXPECT_EQ(dot(x), right);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

#if defined(__SSE2__)
// Threads of drivers begin with the environment of whoever opens the device.
TEST_P(ForcedDevice, TheOpenersEnvironmentChangesNothing) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1f80U | 0x8040U | 0x2000U);  // subnormal numbers are zero, and it rounds down
  choose(samples::plain_spec());
  EXPECT_EQ(_mm_getcsr() & ~0x3fU, 0x1f80U | 0x8040U | 0x2000U);
  _mm_setcsr(before);
  std::vector<double> x(100, 0x1p-537);  // products are subnormal numbers
  x[0] = 1 + 0x1p-52;
  const double there = dot(x);
  EXPECT_EQ(calls(), Counts(1, 0));
  ASSERT_EQ(reprosum_set_isa(handle_, "interpreter"), REPROSUM_OK);
  EXPECT_EQ(dot(x), there);
  x[0] = 0;
  EXPECT_EQ(dot(x), 99 * 0x1p-1074);
  ASSERT_EQ(reprosum_set_isa(handle_, isa()), REPROSUM_OK);
  EXPECT_EQ(dot(x), 99 * 0x1p-1074);
}
#endif

TEST(ForcedDeviceNone, IsSaid) {
  reprosum_handle* handle = samples::open(samples::plain_spec());
  int opencl = 0, cuda = 0;
  ASSERT_EQ(reprosum_gpu_device_count(REPROSUM_OPENCL, &opencl), REPROSUM_OK);
  ASSERT_EQ(reprosum_gpu_device_count(REPROSUM_CUDA, &cuda), REPROSUM_OK);
  for (const auto& [name, count] : {std::pair("opencl", opencl), std::pair("cuda", cuda)}) {
    if (count > 0) continue;
    EXPECT_EQ(reprosum_set_isa(handle, name), REPROSUM_ENVIRONMENT);
    EXPECT_EQ(std::string(reprosum_last_error(handle)).find(std::string("no ") + name + " device"),
              0u)
        << reprosum_last_error(handle);
  }
  EXPECT_STREQ(reprosum_device_refusal(handle), "");
  EXPECT_STREQ(reprosum_device_refusal(nullptr), "");
  reprosum_close(handle);
}

}  // namespace
}  // namespace reprosum
