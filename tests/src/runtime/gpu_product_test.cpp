// gemv and gemm of include/reprosum/gpu.h: the bits of the calls on this processor.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gpu_device.h"
#include "sample_products.h"
#if REPROSUM_HAS_OPENCL
#include "src/base/opencl_driver.h"
#endif

namespace reprosum {
namespace {

class GpuProduct : public OnGpu {};
INSTANTIATE_TEST_SUITE_P(Backends, GpuProduct, testing::Values(REPROSUM_OPENCL, REPROSUM_CUDA),
                         backend_name);

constexpr auto kN = REPROSUM_NO_TRANS, kT = REPROSUM_TRANS;

reprosum_status on_cpu(const reprosum_handle* handle, const reprosum_gpu_product& p, const float* a,
                       const float* b, float* c) {
  const auto alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
  return p.routine == REPROSUM_GEMV
             ? reprosum_sgemv(handle, p.layout, p.transa, p.m, p.n, alpha, a, p.a.leading, b,
                              p.b.leading, beta, c, p.c.leading)
             : reprosum_sgemm(handle, p.layout, p.transa, p.transb, p.m, p.n, p.k, alpha, a,
                              p.a.leading, b, p.b.leading, beta, c, p.c.leading);
}
reprosum_status on_cpu(const reprosum_handle* handle, const reprosum_gpu_product& p,
                       const double* a, const double* b, double* c) {
  return p.routine == REPROSUM_GEMV
             ? reprosum_dgemv(handle, p.layout, p.transa, p.m, p.n, p.alpha, a, p.a.leading, b,
                              p.b.leading, p.beta, c, p.c.leading)
             : reprosum_dgemm(handle, p.layout, p.transa, p.transb, p.m, p.n, p.k, p.alpha, a,
                              p.a.leading, b, p.b.leading, p.beta, c, p.c.leading);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::memcmp(&a[k], &b[k], sizeof(T)) != 0 && !(std::isnan(a[k]) && std::isnan(b[k])))
      return false;
  return a.size() == b.size();
}

constexpr std::size_t kElements = 20'000;

template <class T>
struct Operands {
  std::vector<T> a = samples::random_data<T>(kElements, 1),
                 b = samples::random_data<T>(kElements, 2),
                 c = samples::random_data<T>(kElements, 3);
};

template <class T>
reprosum_gpu_product with(reprosum_gpu_product product, Operands<T>& operands) {
  product.type = sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64;
  product.a.memory = operands.a.data();
  product.b.memory = operands.b.data();
  product.c.memory = operands.c.data();
  return product;
}

template <class T>
void expect_same(const reprosum_handle* handle, const reprosum_gpu* gpu,
                 const reprosum_gpu_product& product) {
  Operands<T> right, got;
  for (std::int64_t k = 0; k < product.batch; ++k)
    ASSERT_EQ(on_cpu(handle, product, right.a.data() + product.a.first + k * product.a.stride,
                     right.b.data() + product.b.first + k * product.b.stride,
                     right.c.data() + product.c.first + k * product.c.stride),
              REPROSUM_OK)
        << reprosum_last_error(handle);
  const auto call = with(product, got);
  ASSERT_EQ(reprosum_gpu_multiply_host(gpu, &call), REPROSUM_OK) << reprosum_gpu_last_error(gpu);
  EXPECT_TRUE(same(right.c, got.c))
      << "routine " << product.routine << " layout " << product.layout << " m " << product.m
      << " n " << product.n << " k " << product.k << " beta " << product.beta;
}

reprosum_gpu_product gemm(reprosum_layout layout, reprosum_transpose transa,
                          reprosum_transpose transb, std::int64_t m, std::int64_t n,
                          std::int64_t k) {
  reprosum_gpu_product p{};
  p.routine = REPROSUM_GEMM;
  p.layout = layout;
  p.transa = transa;
  p.transb = transb;
  p.m = m;
  p.n = n;
  p.k = k;
  p.batch = 1;
  p.alpha = 1.5;
  p.beta = 0.5;
  p.a.leading = 41;
  p.b.leading = 43;
  p.c.leading = 47;
  return p;
}

reprosum_gpu_product gemv(reprosum_layout layout, reprosum_transpose trans, std::int64_t m,
                          std::int64_t n, std::int64_t incx, std::int64_t incy) {
  reprosum_gpu_product p = gemm(layout, trans, kN, m, n, 0);
  p.routine = REPROSUM_GEMV;
  p.b.leading = incx;
  p.c.leading = incy;
  return p;
}

// Vectors of a few elements, each in a page of its own: what lies between is not copied.
TEST_P(GpuProduct, GapsOfVectorsAreNeitherCopiedNorWritten) {
  constexpr std::int64_t kApart = std::int64_t{1} << 26, kLength = 40;
  spec::Spec spec = samples::product_spec();
  const spec::IncrementRange far(2, spec::IncrementRange::kGreatest);
  for (spec::Entry& entry : spec.entries)
    if (entry.routine == spec::Routine::gemv) entry.guard.increments = {{far, far}};
  open(spec);
  const auto all = static_cast<std::size_t>(kLength * kApart) * sizeof(double);
  const auto reserved = [&] {
    void* const memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<double*>(memory);
  };
  double *const x = reserved(), *const y = reserved();
  if (x == nullptr || y == nullptr) GTEST_SKIP() << "no address space";
  Operands<double> some;
  std::vector<double> wanted(some.c.begin(), some.c.begin() + kLength);
  for (std::int64_t i = 0; i < kLength; ++i) {
    x[i * kApart] = some.b[static_cast<std::size_t>(i)];
    y[i * kApart] = some.c[static_cast<std::size_t>(i)];
  }
  auto call = with(gemv(REPROSUM_COLUMN_MAJOR, kN, kLength, kLength, kApart, kApart), some);
  call.b.memory = x;
  call.c.memory = y;
  ASSERT_EQ(reprosum_gpu_multiply_host(gpu_, &call), REPROSUM_OK) << reprosum_gpu_last_error(gpu_);
  std::vector<double> got;
  for (std::int64_t i = 0; i < kLength; ++i) {
    got.push_back(y[i * kApart]);
    y[i * kApart] = wanted[static_cast<std::size_t>(i)];
    EXPECT_EQ(y[i * kApart + 1], 0);
  }
  ASSERT_EQ(on_cpu(handle_, call, some.a.data(), x, y), REPROSUM_OK)
      << reprosum_last_error(handle_);
  for (std::int64_t i = 0; i < kLength; ++i) wanted[static_cast<std::size_t>(i)] = y[i * kApart];
  EXPECT_TRUE(same(wanted, got));
  ::munmap(x, all);
  ::munmap(y, all);
}

TEST_P(GpuProduct, EveryLayoutAndTransposeGivesTheBitsOfThisProcessor) {
  open(samples::product_spec());
  for (const auto layout : {REPROSUM_COLUMN_MAJOR, REPROSUM_ROW_MAJOR})
    for (const auto transa : {kN, kT}) {
      for (const auto transb : {kN, kT}) {
        expect_same<double>(handle_, gpu_, gemm(layout, transa, transb, 31, 19, 37));
        expect_same<float>(handle_, gpu_, gemm(layout, transa, transb, 8, 6, 40));
      }
      expect_same<float>(handle_, gpu_, gemv(layout, transa, 33, 29, 1, 1));
      expect_same<double>(handle_, gpu_, gemv(layout, transa, 33, 29, 2, -2));
      expect_same<double>(handle_, gpu_, gemv(layout, transa, 7, 40, -3, 2));
    }
}

TEST_P(GpuProduct, SpecialScalarsAreThoseOfTheSpec) {
  open(samples::product_spec());
  for (const double alpha : {0.0, 1.0, -0.0, 2.5})
    for (const double beta : {0.0, 1.0, -0.0, HUGE_VAL, std::nan("")}) {
      auto product = gemm(REPROSUM_COLUMN_MAJOR, kN, kN, 9, 7, 5);
      product.alpha = alpha;
      product.beta = beta;
      expect_same<double>(handle_, gpu_, product);
    }
  expect_same<double>(handle_, gpu_, gemm(REPROSUM_COLUMN_MAJOR, kN, kN, 9, 7, 0));
  expect_same<double>(handle_, gpu_, gemv(REPROSUM_COLUMN_MAJOR, kN, 9, 0, 1, 1));
  expect_same<double>(handle_, gpu_, gemm(REPROSUM_COLUMN_MAJOR, kN, kN, 0, 7, 5));
}

TEST_P(GpuProduct, BatchesBeginWhereTheyAreToldTo) {
  open(samples::product_spec());
  auto product = gemm(REPROSUM_ROW_MAJOR, kN, kT, 10, 11, 12);
  product.batch = 4;
  product.a = {nullptr, 5, 13, 500};
  product.b = {nullptr, 7, 14, 0};  // shared
  product.c = {nullptr, 11, 15, 1000};
  expect_same<double>(handle_, gpu_, product);
  expect_same<float>(handle_, gpu_, product);
}

TEST_P(GpuProduct, RefusalsAreInWordsAndWriteNothing) {
  open(samples::product_spec());
  Operands<float> operands;
  const std::vector<float> before = operands.c;
  const auto refused = [&](reprosum_status status, const char* words, auto&& change) {
    auto call = with(gemm(REPROSUM_COLUMN_MAJOR, kN, kN, 9, 7, 5), operands);
    change(call);
    EXPECT_EQ(reprosum_gpu_multiply_host(gpu_, &call), status) << words;
    EXPECT_NE(std::string(reprosum_gpu_last_error(gpu_)).find(words), std::string::npos)
        << reprosum_gpu_last_error(gpu_);
    EXPECT_TRUE(same(before, operands.c));
  };
  using Call = reprosum_gpu_product;
  refused(REPROSUM_NOT_COVERED, "not covered",
          [](Call& call) { call.k = 301, call.b.leading = 400; });
  refused(REPROSUM_BAD_ARGUMENT, "lda", [](Call& call) { call.a.leading = 8; });
  refused(REPROSUM_BAD_ARGUMENT, "a is null", [](Call& call) { call.a.memory = nullptr; });
  refused(REPROSUM_BAD_ARGUMENT, "c is null", [](Call& call) { call.c.memory = nullptr; });
  refused(REPROSUM_BAD_ARGUMENT, "alpha is no float", [](Call& call) { call.alpha = 0.1; });
  refused(REPROSUM_BAD_ARGUMENT, "batch", [](Call& call) { call.batch = -1; });
  refused(REPROSUM_BAD_ARGUMENT, "neither gemv nor gemm",
          [](Call& call) { call.routine = REPROSUM_DOT; });
  EXPECT_EQ(reprosum_gpu_multiply_host(gpu_, nullptr), REPROSUM_BAD_ARGUMENT);
}

#if REPROSUM_HAS_OPENCL

// Operands in the memory of a user's own context.
class UsersProduct : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    cl_ = base::opencl_driver(&why);
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    if (cl_ == nullptr || cl_->clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
        cl_->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "no OpenCL device " << why;
    context_ = cl_->clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue_ = cl_->clCreateCommandQueue(context_, device, 0, nullptr);
    handle_ = samples::open(samples::product_spec());
    ASSERT_EQ(reprosum_gpu_open_opencl(handle_, context_, device, &gpu_), REPROSUM_OK)
        << reprosum_gpu_last_error(nullptr);
    for (const auto* data : {&operands_.a, &operands_.b, &operands_.c}) {
      on_device_.push_back(cl_->clCreateBuffer(context_, CL_MEM_READ_WRITE,
                                               kElements * sizeof(double), nullptr, nullptr));
      cl_->clEnqueueWriteBuffer(queue_, on_device_.back(), CL_TRUE, 0, kElements * sizeof(double),
                                data->data(), 0, nullptr, nullptr);
    }
  }
  void TearDown() override {
    if (context_ == nullptr) return;
    for (const cl_mem memory : on_device_) cl_->clReleaseMemObject(memory);
    reprosum_gpu_close(gpu_);
    reprosum_close(handle_);
    cl_->clReleaseCommandQueue(queue_);
    cl_->clReleaseContext(context_);
  }
  reprosum_gpu_product on_device(reprosum_gpu_product product) const {
    product.type = REPROSUM_F64;
    product.a.memory = on_device_[0];
    product.b.memory = on_device_[1];
    product.c.memory = on_device_[2];
    return product;
  }
  std::vector<double> c() const {
    std::vector<double> out(kElements);
    cl_->clEnqueueReadBuffer(queue_, on_device_[2], CL_TRUE, 0, kElements * sizeof(double),
                             out.data(), 0, nullptr, nullptr);
    return out;
  }
  Operands<double> operands_;
  const base::OpenClDriver* cl_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::vector<cl_mem> on_device_;
  reprosum_handle* handle_ = nullptr;
  reprosum_gpu* gpu_ = nullptr;
};

TEST_F(UsersProduct, MultipliesWhereTheOperandsLie) {
  auto first = gemm(REPROSUM_ROW_MAJOR, kN, kT, 10, 11, 12);
  first.batch = 3;
  first.a = {nullptr, 5, 13, 500};
  first.b = {nullptr, 7, 14, 600};
  first.c = {nullptr, 11, 15, 1000};
  auto second = gemv(REPROSUM_COLUMN_MAJOR, kT, 30, 20, 2, -2);
  second.a.first = 3;
  second.b.first = 9000;
  second.c.first = 8000;
  auto third = gemm(REPROSUM_COLUMN_MAJOR, kN, kN, 9, 7, 0);  // without summands
  third.c.first = 12'000;
  auto fourth = gemv(REPROSUM_COLUMN_MAJOR, kN, 30, 20, -3, 2);
  fourth.b.first = 50;
  fourth.c.first = 15'000;
  for (const auto& product : {first, second, third, fourth}) {
    const auto call = on_device(product);
    ASSERT_EQ(reprosum_gpu_multiply(gpu_, queue_, &call), REPROSUM_OK)
        << reprosum_gpu_last_error(gpu_);
    for (std::int64_t k = 0; k < product.batch; ++k)
      ASSERT_EQ(
          on_cpu(handle_, product, operands_.a.data() + product.a.first + k * product.a.stride,
                 operands_.b.data() + product.b.first + k * product.b.stride,
                 operands_.c.data() + product.c.first + k * product.c.stride),
          REPROSUM_OK);
    EXPECT_TRUE(same(operands_.c, c())) << product.routine << " k " << product.k;
  }
}

TEST_F(UsersProduct, WhatLeavesItsMemoryIsRefused) {
  const auto refused = [&](const char* words, auto&& change) {
    auto call = on_device(gemm(REPROSUM_COLUMN_MAJOR, kN, kN, 9, 7, 5));
    change(call);
    EXPECT_EQ(reprosum_gpu_multiply(gpu_, queue_, &call), REPROSUM_BAD_ARGUMENT) << words;
    EXPECT_NE(std::string(reprosum_gpu_last_error(gpu_)).find(words), std::string::npos)
        << reprosum_gpu_last_error(gpu_);
  };
  using Call = reprosum_gpu_product;
  const auto most = static_cast<std::int64_t>(kElements);
  refused("a reaches beyond", [&](Call& call) { call.a.first = most - (41 * 4 + 9) + 1; });
  refused("b reaches beyond", [&](Call& call) { call.b.first = most - (43 * 6 + 5) + 1; });
  refused("c reaches beyond", [&](Call& call) { call.c.first = most - (47 * 6 + 9) + 1; });
  refused("c reaches beyond", [](Call& call) { call.c.first = -1; });
  refused("c reaches beyond", [](Call& call) { call.batch = 3, call.c.stride = 10'000; });
  refused("a reaches beyond", [](Call& call) { call.batch = 3, call.a.stride = -1; });
  refused("a reaches beyond", [](Call& call) { call.batch = 3, call.a.stride = INT64_MAX / 2; });
  refused("b reaches beyond", [&](Call& call) {
    call.layout = REPROSUM_ROW_MAJOR;
    call.b.first = most - (43 * 4 + 7) + 1;
  });
  refused("a is null", [](Call& call) { call.a.memory = nullptr; });
  EXPECT_TRUE(same(operands_.c, c()));
}

#endif

}  // namespace
}  // namespace reprosum
