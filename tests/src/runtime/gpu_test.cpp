// include/reprosum/gpu.h: the bits of the calls on this processor, from every device of this host.
#include "reprosum/gpu.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cfenv>
#include <cstring>
#include <thread>

#include "gpu_caller.h"
#include "gpu_device.h"
#include "spec/surface.h"
#include "tests/spec/sample_orders.h"

namespace reprosum {
namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class Gpu : public OnGpu {};
INSTANTIATE_TEST_SUITE_P(Backends, Gpu, testing::Values(REPROSUM_OPENCL, REPROSUM_CUDA),
                         backend_name);

struct Case {
  std::int64_t n, rows, incx, ldx, incy, ldy;
};

// Operands, large enough for the case, that begin at the vectors.
template <class T>
struct Operands {
  explicit Operands(const Case& c, std::uint64_t seed)
      : x(samples::random_data<T>(length(c.n, c.rows, c.incx, c.ldx), seed)),
        y(samples::random_data<T>(length(c.n, c.rows, c.incy, c.ldy), seed + 1)) {}
  static std::size_t length(std::int64_t n, std::int64_t rows, std::int64_t inc, std::int64_t ld) {
    return static_cast<std::size_t>((n - 1) * std::abs(inc) + (rows - 1) * ld + 1);
  }
  std::vector<T> x, y;
};

template <class T>
reprosum_gpu_reduction call_of(const Case& c, reprosum_routine routine, const T* x, const T* y,
                               T* out) {
  reprosum_gpu_reduction call{};
  call.routine = routine;
  call.type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;
  call.n = c.n;
  call.rows = c.rows;
  call.x = {const_cast<T*>(x), 0, c.incx, c.ldx};
  call.y = {const_cast<T*>(y), 0, c.incy, c.ldy};
  call.out = out;
  return call;
}

reprosum_status on_cpu(const reprosum_handle* handle, const Case& c, reprosum_routine routine,
                       const float* x, const float* y, float* out) {
  return routine == REPROSUM_SUM
             ? reprosum_ssum_batch(handle, c.n, c.rows, x, c.incx, c.ldx, out)
             : reprosum_sdot_batch(handle, c.n, c.rows, x, c.incx, c.ldx, y, c.incy, c.ldy, out);
}
reprosum_status on_cpu(const reprosum_handle* handle, const Case& c, reprosum_routine routine,
                       const double* x, const double* y, double* out) {
  return routine == REPROSUM_SUM
             ? reprosum_dsum_batch(handle, c.n, c.rows, x, c.incx, c.ldx, out)
             : reprosum_ddot_batch(handle, c.n, c.rows, x, c.incx, c.ldx, y, c.incy, c.ldy, out);
}

template <class T>
void expect_same(const reprosum_handle* handle, const reprosum_gpu* gpu, const Case& c,
                 reprosum_routine routine) {
  const Operands<T> operands(c, static_cast<std::uint64_t>(c.n + 7 * c.rows));
  std::vector<T> right(static_cast<std::size_t>(c.rows)), got(right.size());
  ASSERT_EQ(on_cpu(handle, c, routine, operands.x.data(), operands.y.data(), right.data()),
            REPROSUM_OK)
      << reprosum_last_error(handle);
  const auto call = call_of<T>(c, routine, operands.x.data(), operands.y.data(), got.data());
  ASSERT_EQ(reprosum_gpu_reduce_host(gpu, &call), REPROSUM_OK) << reprosum_gpu_last_error(gpu);
  EXPECT_TRUE(same_bits(right, got)) << "n " << c.n << " rows " << c.rows << " incx " << c.incx;
}

TEST_P(Gpu, WorksFromC) {
  handle_ = samples::open(samples::plain_spec());
  double result = 0;
  EXPECT_EQ(reduce_from_c(handle_, GetParam(), &result), 0);
  EXPECT_EQ(result, 55);
}

TEST_P(Gpu, OperandsOfTheProcessGiveTheBitsOfThisProcessor) {
  open(samples::strided_spec());
  for (const Case& c : {Case{1, 1, 1, 0, 1, 0}, Case{7, 3, 1, 7, 1, 7}, Case{100, 50, 1, 130, 1, 0},
                        Case{5000, 9, 1, 5000, 1, 5001}, Case{999, 5, -1, 1000, 2, 2000},
                        Case{64, 200, 3, 1, -2, 5}, Case{33, 2, -3, 0, -1, 40}})
    for (const auto routine : {REPROSUM_SUM, REPROSUM_DOT}) {
      expect_same<float>(handle_, gpu_, c, routine);
      expect_same<double>(handle_, gpu_, c, routine);
    }
}

TEST_P(Gpu, OfNoSummandsItGivesWhatTheSpecSays) {
  open(samples::plain_spec());
  double out[3] = {1, 1, 1};
  auto call = call_of<double>({0, 3, 1, 0, 1, 0}, REPROSUM_SUM, nullptr, nullptr, out);
  EXPECT_EQ(reprosum_gpu_reduce_host(gpu_, &call), REPROSUM_OK);
  for (const double value : out) EXPECT_TRUE(value == 0 && std::signbit(value));
  call.n = -1;  // of which the spec says nothing
  EXPECT_EQ(reprosum_gpu_reduce_host(gpu_, &call), REPROSUM_NOT_COVERED);
  call.rows = 0;
  EXPECT_EQ(reprosum_gpu_reduce_host(gpu_, &call), REPROSUM_OK);
}

TEST_P(Gpu, RefusalsAreInWordsAndWriteNothing) {
  open(samples::plain_spec());
  const std::vector<double> x(6000, 1);
  double out = -1;
  const auto refused = [&](reprosum_status status, const char* words, auto&& change) {
    auto call = call_of<double>({10, 1, 1, 0, 1, 0}, REPROSUM_DOT, x.data(), x.data(), &out);
    change(call);
    EXPECT_EQ(reprosum_gpu_reduce_host(gpu_, &call), status) << words;
    EXPECT_NE(std::string(reprosum_gpu_last_error(gpu_)).find(words), std::string::npos)
        << reprosum_gpu_last_error(gpu_);
    EXPECT_EQ(out, -1);
  };
  using Call = reprosum_gpu_reduction;
  refused(REPROSUM_NOT_COVERED, "n = 5001", [](Call& call) { call.n = 5001; });
  refused(REPROSUM_NOT_COVERED, "incx", [](Call& call) { call.x.increment = 2; });
  refused(REPROSUM_BAD_ARGUMENT, "y is null", [](Call& call) { call.y.memory = nullptr; });
  refused(REPROSUM_BAD_ARGUMENT, "out is null", [](Call& call) { call.out = nullptr; });
  refused(REPROSUM_BAD_ARGUMENT, "rows = -1", [](Call& call) { call.rows = -1; });
  refused(REPROSUM_BAD_ARGUMENT, "aligned",
          [](Call& call) { call.x.memory = static_cast<char*>(call.x.memory) + 1; });
  refused(REPROSUM_BAD_ARGUMENT, "address space", [](Call& call) {
    call.rows = 3;
    call.x.leading = INT64_MAX / 2;
  });
  refused(REPROSUM_ENVIRONMENT, "memory", [](Call& call) {  // rows of one vector
    call.rows = INT64_MAX;
    call.x.leading = call.y.leading = 0;
  });
  refused(REPROSUM_BAD_ARGUMENT, "unknown routine 2",
          [](Call& call) { call.routine = REPROSUM_GEMV; });
  EXPECT_EQ(reprosum_gpu_reduce_host(gpu_, nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_gpu_reduce_host(nullptr, nullptr), REPROSUM_BAD_ARGUMENT);

  reprosum_gpu* none = nullptr;
  EXPECT_EQ(reprosum_gpu_open(nullptr, GetParam(), 0, &none), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_gpu_open(handle_, GetParam(), 0, nullptr), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_gpu_open(handle_, GetParam(), -1, &none), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_gpu_open(handle_, GetParam(), 99, &none), REPROSUM_ENVIRONMENT);
  EXPECT_EQ(none, nullptr);
  reprosum_gpu_close(nullptr);
}

// An order that devices have no kernels for.
TEST_P(Gpu, AnOrderWithoutKernelsIsNotCovered) {
  spec::Spec spec = samples::plain_spec();
  for (spec::Order& order : spec.orders) order = spec::parse_order(spec::samples::kPasses);
  open(spec);
  const std::vector<double> x(10, 1);
  double out = -1;
  auto call = call_of<double>({10, 1, 1, 0, 1, 0}, REPROSUM_SUM, x.data(), nullptr, &out);
  EXPECT_EQ(reprosum_gpu_reduce_host(gpu_, &call), REPROSUM_NOT_COVERED);
  EXPECT_NE(std::string(reprosum_gpu_last_error(gpu_)).find("windows"), std::string::npos)
      << reprosum_gpu_last_error(gpu_);
}

TEST_P(Gpu, TheCallersEnvironmentChangesNothing) {
  open(samples::plain_spec());
  std::fesetround(FE_DOWNWARD);
  expect_same<float>(handle_, gpu_, {777, 3, 1, 777, 1, 777}, REPROSUM_DOT);
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  std::fesetround(FE_TONEAREST);
}

// Compilers of drivers need more stack than a small thread has.
TEST_P(Gpu, ASmallThreadMayCallFirst) {
  open(samples::plain_spec());
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 64 << 10), 0);
  pthread_t thread;
  std::pair<reprosum_handle*, reprosum_gpu*> both{handle_, gpu_};
  ASSERT_EQ(pthread_create(
                &thread, &small,
                [](void* of) -> void* {
                  const auto& [handle, gpu] =
                      *static_cast<std::pair<reprosum_handle*, reprosum_gpu*>*>(of);
                  expect_same<double>(handle, gpu, {500, 3, 1, 500, 1, 500}, REPROSUM_DOT);
                  return nullptr;
                },
                &both),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
}

TEST_P(Gpu, ThreadsShareADevice) {
  open(samples::plain_spec());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 5; ++k)
        expect_same<float>(handle_, gpu_, {100 + 17 * t + k, 4, 1, 300, 1, 300},
                           t % 2 == 0 ? REPROSUM_SUM : REPROSUM_DOT);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Gpu, AChildOfForkIsTold) {
  open(samples::plain_spec());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    const double x[2] = {1, 2};
    double out = 0;
    const auto call = call_of<double>({2, 1, 1, 0, 1, 0}, REPROSUM_SUM, x, nullptr, &out);
    const bool told =
        reprosum_gpu_reduce_host(gpu_, &call) == REPROSUM_ENVIRONMENT &&
        std::string(reprosum_gpu_last_error(gpu_)).find("forked") != std::string::npos;
    // Nor does it open one anew: the driver would wait for threads of the parent.
    int count = -1;
    const bool sees_none =
        reprosum_gpu_device_count(GetParam(), &count) == REPROSUM_OK && count == 0;
    reprosum_gpu* again = nullptr;
    const bool opens_none =
        reprosum_gpu_open(handle_, GetParam(), 0, &again) == REPROSUM_ENVIRONMENT &&
        std::string(reprosum_gpu_last_error(nullptr)).find("forked") != std::string::npos;
    reprosum_gpu_close(gpu_);
    ::_exit((told ? 0 : 1) + (sees_none ? 0 : 2) + (opens_none ? 0 : 4));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(GpuWithoutDevice, SaysWhatIsMissing) {
  int count = -1;
  EXPECT_EQ(reprosum_gpu_device_count(REPROSUM_CUDA, &count), REPROSUM_OK);
  if (count == 0) {
    EXPECT_STRNE(reprosum_gpu_last_error(nullptr), "");
  }
  reprosum_gpu_backend wild = REPROSUM_CUDA;
  const int seven = 7;
  std::memcpy(&wild, &seven, sizeof wild);
  EXPECT_EQ(reprosum_gpu_device_count(wild, &count), REPROSUM_BAD_ARGUMENT);
  EXPECT_EQ(reprosum_gpu_device_count(REPROSUM_CUDA, nullptr), REPROSUM_BAD_ARGUMENT);
}

}  // namespace
}  // namespace reprosum
