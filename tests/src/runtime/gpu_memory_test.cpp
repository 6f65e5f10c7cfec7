// Operands in the memory of a user's own OpenCL context, on the user's own queue.
#include <gtest/gtest.h>

#include <cstring>

#include "reprosum/gpu.h"
#include "sample_specs.h"
#include "src/base/opencl_driver.h"

namespace reprosum {
namespace {

class UsersOpenCl : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    cl_ = base::opencl_driver(&why);
    if (cl_ == nullptr) GTEST_SKIP() << why;
    cl_platform_id platform = nullptr;
    if (cl_->clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
        cl_->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "no OpenCL device";
    context_ = cl_->clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    queue_ = cl_->clCreateCommandQueue(context_, device_, 0, nullptr);
    handle_ = samples::open(samples::strided_spec());
    ASSERT_EQ(reprosum_gpu_open_opencl(handle_, context_, device_, &gpu_), REPROSUM_OK)
        << reprosum_gpu_last_error(nullptr);
  }
  void TearDown() override {
    if (cl_ == nullptr || context_ == nullptr) return;
    reprosum_gpu_close(gpu_);
    reprosum_close(handle_);
    cl_->clReleaseCommandQueue(queue_);
    cl_->clReleaseContext(context_);
  }
  template <class T>
  cl_mem memory(const std::vector<T>& data) {
    const cl_mem made =
        cl_->clCreateBuffer(context_, CL_MEM_READ_WRITE, data.size() * sizeof(T), nullptr, nullptr);
    cl_->clEnqueueWriteBuffer(queue_, made, CL_TRUE, 0, data.size() * sizeof(T), data.data(), 0,
                              nullptr, nullptr);
    return made;
  }
  template <class T>
  std::vector<T> content(cl_mem memory, std::size_t count) {
    std::vector<T> out(count);
    cl_->clEnqueueReadBuffer(queue_, memory, CL_TRUE, 0, count * sizeof(T), out.data(), 0, nullptr,
                             nullptr);
    return out;
  }
  const base::OpenClDriver* cl_ = nullptr;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  reprosum_handle* handle_ = nullptr;
  reprosum_gpu* gpu_ = nullptr;
};

TEST_F(UsersOpenCl, ReducesWhereTheOperandsLie) {
  const auto x = samples::random_data<double>(9000, 1), y = samples::random_data<double>(9000, 2);
  const cl_mem on_x = memory(x), on_y = memory(y);
  for (const std::int64_t out_first : {0, 3}) {
    const cl_mem on_out = memory(std::vector<double>(20, -1));
    reprosum_gpu_reduction call{};
    call.routine = REPROSUM_DOT;
    call.type = REPROSUM_F64;
    call.n = 1000;
    call.rows = 4;
    call.x = {on_x, 17, -2, 1500};
    call.y = {on_y, 5, 1, 1000};
    call.out = on_out;
    call.out_first = out_first;
    ASSERT_EQ(reprosum_gpu_reduce(gpu_, queue_, &call), REPROSUM_OK)
        << reprosum_gpu_last_error(gpu_);
    std::vector<double> right(20, -1);
    ASSERT_EQ(reprosum_ddot_batch(handle_, 1000, 4, x.data() + 17, -2, 1500, y.data() + 5, 1, 1000,
                                  right.data() + out_first),
              REPROSUM_OK);
    const auto got = content<double>(on_out, 20);
    EXPECT_EQ(std::memcmp(right.data(), got.data(), 20 * sizeof(double)), 0) << out_first;
    cl_->clReleaseMemObject(on_out);
  }
  cl_->clReleaseMemObject(on_x);
  cl_->clReleaseMemObject(on_y);
}

TEST_F(UsersOpenCl, WhatLeavesItsMemoryIsRefused) {
  const cl_mem on_x = memory(std::vector<float>(100, 1)),
               on_out = memory(std::vector<float>(2, -1));
  const auto refused = [&](const char* words, auto&& change) {
    reprosum_gpu_reduction call{};
    call.routine = REPROSUM_SUM;
    call.type = REPROSUM_F32;
    call.n = 50;
    call.rows = 2;
    call.x = {on_x, 0, 1, 50};
    call.out = on_out;
    change(call);
    EXPECT_EQ(reprosum_gpu_reduce(gpu_, queue_, &call), REPROSUM_BAD_ARGUMENT) << words;
    EXPECT_NE(std::string(reprosum_gpu_last_error(gpu_)).find(words), std::string::npos)
        << reprosum_gpu_last_error(gpu_);
  };
  using Call = reprosum_gpu_reduction;
  refused("x reaches beyond", [](Call& call) { call.x.first = 1; });
  refused("x reaches beyond", [](Call& call) { call.x.first = -1; });
  refused("x reaches beyond", [](Call& call) { call.x.leading = 51; });
  refused("x reaches beyond", [](Call& call) { call.x.leading = -1; });
  refused("x reaches beyond", [](Call& call) { call.x.first = INT64_MAX; });
  refused("x reaches beyond", [](Call& call) { call.x.increment = 2; });
  refused("out reaches beyond", [](Call& call) { call.rows = 3; });
  refused("out reaches beyond", [](Call& call) { call.out_first = 1; });
  refused("out reaches beyond", [](Call& call) { call.out_first = -1; });
  refused("no cl_mem", [](Call& call) { call.x.memory = nullptr; });
  refused("no cl_mem", [](Call& call) { call.out = nullptr; });
  refused("address space", [](Call& call) { call.x.leading = INT64_MIN; });
  EXPECT_EQ(content<float>(on_out, 2), std::vector<float>(2, -1));

  reprosum_gpu_reduction call{};
  call.routine = REPROSUM_SUM;
  call.type = REPROSUM_F32;
  call.n = 10;
  call.rows = 1;
  call.x = {on_x, 0, 1, 0};
  call.out = on_out;
  EXPECT_EQ(reprosum_gpu_reduce(gpu_, nullptr, &call), REPROSUM_BAD_ARGUMENT);
  // A device that this library opened has a context of its own.
  reprosum_gpu* other = nullptr;
  ASSERT_EQ(reprosum_gpu_open(handle_, REPROSUM_OPENCL, 0, &other), REPROSUM_OK);
  EXPECT_EQ(reprosum_gpu_reduce(other, queue_, &call), REPROSUM_BAD_ARGUMENT);
  EXPECT_NE(std::string(reprosum_gpu_last_error(other)).find("another context"), std::string::npos);
  reprosum_gpu_close(other);
  cl_->clReleaseMemObject(on_x);
  cl_->clReleaseMemObject(on_out);
}

}  // namespace
}  // namespace reprosum
