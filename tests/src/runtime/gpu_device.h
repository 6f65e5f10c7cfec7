// A handle opened on a device, for a test: skipped with the reason where this host has none.
#pragma once

#include <gtest/gtest.h>

#include "reprosum/gpu.h"
#include "sample_specs.h"

namespace reprosum {

class OnGpu : public testing::TestWithParam<reprosum_gpu_backend> {
 protected:
  void SetUp() override {
    int count = 0;
    ASSERT_EQ(reprosum_gpu_device_count(GetParam(), &count), REPROSUM_OK);
    if (count == 0) GTEST_SKIP() << reprosum_gpu_last_error(nullptr);
  }
  // Opened for the test; both are closed at its end.
  reprosum_gpu* open(const spec::Spec& spec) {
    handle_ = samples::open(spec);
    EXPECT_NE(handle_, nullptr);
    EXPECT_EQ(reprosum_gpu_open(handle_, GetParam(), 0, &gpu_), REPROSUM_OK)
        << reprosum_gpu_last_error(nullptr);
    return gpu_;
  }
  void TearDown() override {
    reprosum_gpu_close(gpu_);
    reprosum_close(handle_);
  }
  reprosum_handle* handle_ = nullptr;
  reprosum_gpu* gpu_ = nullptr;
};

inline std::string backend_name(const testing::TestParamInfo<reprosum_gpu_backend>& info) {
  return info.param == REPROSUM_OPENCL ? "opencl" : "cuda";
}

}  // namespace reprosum
