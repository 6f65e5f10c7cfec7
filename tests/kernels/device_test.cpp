// Devices as kernels/device/device.h promises them, on every OpenCL device and GPU of this host.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <numeric>
#include <vector>

#include "kernels/device/devices.h"
#include "spec/error.h"

namespace reprosum::kernels::device {
namespace {

constexpr const char* kOpenClText = R"(
__kernel void scale(__global const float* x, __global float* out, long n, float a, long first) {
  const long i = first + (long)get_global_id(0);
  if (i < n) out[i] = a * x[i];
}
__kernel void place(__global int* out) {
  const int width = get_num_groups(0) * get_local_size(0);
  const int height = get_num_groups(1) * get_local_size(1);
  const int i = get_global_id(0) + width * (get_global_id(1) + height * get_global_id(2));
  out[i] = 100 * get_group_id(2) + 10 * get_local_id(1) + get_local_id(0);
}
__kernel void is_null(__global const float* x, __global int* out) { out[0] = x == 0; }
)";

constexpr const char* kCudaText = R"(
extern "C" __global__ void scale(const float* x, float* out, long long n, float a,
                                 long long first) {
  const long long i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i];
}
extern "C" __global__ void place(int* out) {
  const int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  const int i = blockIdx.x * blockDim.x + threadIdx.x +
                width * (blockIdx.y * blockDim.y + threadIdx.y +
                         height * (blockIdx.z * blockDim.z + threadIdx.z));
  out[i] = 100 * blockIdx.z + 10 * threadIdx.y + threadIdx.x;
}
extern "C" __global__ void is_null(const float* x, int* out) { out[0] = x == nullptr; }
)";

// The device's message, or "" if nothing is thrown.
template <class Error, class Do>
std::string message(Do&& what) {
  try {
    what();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

class OnDevice : public testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    std::string why;
    all_ = devices(GetParam(), &why);
    if (all_.empty()) GTEST_SKIP() << why;
    text_ = GetParam() == Dialect::opencl ? kOpenClText : kCudaText;
  }
  std::vector<std::unique_ptr<Device>> all_;
  std::string text_;
};
INSTANTIATE_TEST_SUITE_P(Dialects, OnDevice, testing::Values(Dialect::opencl, Dialect::cuda),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(OnDevice, SaysWhatItIs) {
  for (const auto& device : all_) {
    const Facts& facts = device->facts();
    EXPECT_EQ(facts.dialect, GetParam());
    EXPECT_FALSE(facts.name.empty());
    EXPECT_FALSE(facts.driver.empty());
    EXPECT_FALSE(facts.compiler.empty());
    EXPECT_FALSE(facts.target.empty());  // of kept programs
    EXPECT_GT(facts.units, 0);
    EXPECT_GE(facts.group_size, 64);
    EXPECT_GT(facts.local_bytes, 0);
    EXPECT_GT(facts.buffer_bytes, 0);
  }
}

TEST_P(OnDevice, RunsEntriesWithArgumentsOfEveryKind) {
  for (const auto& device : all_) {
    const auto program = device->compile(text_);
    const auto queue = device->make_queue();
    std::vector<float> x(1000), out(1000, -1);
    std::iota(x.begin(), x.end(), 1.0F);
    const auto on_device = device->allocate(4000), result = device->allocate(4000);
    queue->write(*on_device, 0, x.data(), 4000);
    queue->write(*result, 0, out.data(), 4000);
    const std::vector<Argument> arguments{on_device.get(), result.get(), std::int64_t{990}, 0.5F,
                                          std::int64_t{10}};
    queue->launch(*program, "scale", {16}, {64}, arguments);
    queue->read(*result, 0, out.data(), 4000);
    for (std::size_t i = 0; i < 1000; ++i)
      ASSERT_EQ(out[i], i < 10 || i >= 990 ? -1 : 0.5F * x[i]) << i;
    queue->launch(*program, "scale", {0}, {64}, arguments);  // of nothing

    const auto half = device->allocate(16);
    queue->copy(*on_device, 8, *half, 4, 12);
    float some[3] = {};
    queue->read(*half, 4, some, 12);
    EXPECT_EQ(some[0], 3);
    EXPECT_EQ(some[2], 5);
    queue->finish();
  }
}

TEST_P(OnDevice, HasThreeAxesAndNullPointers) {
  for (const auto& device : all_) {
    const auto program = device->compile(text_);
    const auto queue = device->make_queue();
    const auto out = device->allocate(4 * 72);
    queue->launch(*program, "place", {2, 3, 2}, {3, 2, 1}, std::vector<Argument>{out.get()});
    std::vector<std::int32_t> places(72);
    queue->read(*out, 0, places.data(), 4 * 72);
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 6; ++y)
        for (int x = 0; x < 6; ++x)
          ASSERT_EQ(places[x + 6 * (y + 6 * z)], 100 * z + 10 * (y % 2) + x % 3);
    const Buffer* const none = nullptr;
    queue->launch(*program, "is_null", {1}, {1}, std::vector<Argument>{none, out.get()});
    queue->read(*out, 0, places.data(), 4);
    EXPECT_EQ(places[0], 1);
  }
}

TEST_P(OnDevice, WhatIsNeverRightIsAnErrorOfOurs) {
  Device& device = *all_.front();
  const auto program = device.compile(text_);
  const auto queue = device.make_queue();
  const auto buffer = device.allocate(16);
  float host[4] = {};
  EXPECT_NE(message<InternalError>([&] { queue->read(*buffer, 8, host, 12); }).find("leaves"),
            std::string::npos);
  EXPECT_NE(message<InternalError>(
                [&] { queue->write(*buffer, std::numeric_limits<std::size_t>::max(), host, 2); }),
            "");
  EXPECT_NE(message<InternalError>([&] { device.allocate(0); }), "");
  const auto launch = [&](const char* entry, Extent groups, Extent size,
                          std::vector<Argument> arguments) {
    return message<InternalError>([&] { queue->launch(*program, entry, groups, size, arguments); });
  };
  EXPECT_NE(launch("missing", {1}, {1}, {}).find("no entry \"missing\""), std::string::npos);
  EXPECT_NE(launch("is_null", {1}, {1}, {buffer.get()}).find("arguments"), std::string::npos);
  EXPECT_NE(launch("place", {1}, {1}, {2.0F}).find("argument 0"), std::string::npos);
  EXPECT_NE(launch("place", {1}, {1 << 20}, {buffer.get()}), "");
  EXPECT_NE(launch("place", {1}, {0}, {buffer.get()}), "");
  EXPECT_NE(launch("place", {-1}, {1}, {buffer.get()}), "");
  std::string why;
  const auto others = devices(GetParam(), &why);
  const auto other = others.front()->allocate(16);
  EXPECT_NE(launch("place", {1}, {1}, {other.get()}).find("another device"), std::string::npos);
}

TEST_P(OnDevice, TellsWhyTextIsRefused) {
  Device& device = *all_.front();
  const std::string words = message<EnvironmentError>(
      [&] { device.compile("void broken(float* x) { x[0] = no_such_name; }"); });
  EXPECT_NE(words.find("no_such_name"), std::string::npos) << words;
  EXPECT_NE(message<EnvironmentError>([&] { device.compile(text_, "-no-such-option"); }), "");
  EXPECT_NE(message<EnvironmentError>([&] { device.load("not a program"); }), "");
  EXPECT_NE(message<EnvironmentError>([&] { device.load(""); }), "");
  EXPECT_NE(message<EnvironmentError>([&] { device.allocate(std::size_t{1} << 60); }), "");
}

TEST_P(OnDevice, LoadsWhatItCompiled) {
  Device& device = *all_.front();
  const std::string binary = device.compile(text_)->binary();
  ASSERT_FALSE(binary.empty());
  const auto program = device.load(binary);
  const auto queue = device.make_queue();
  const auto out = device.allocate(4);
  queue->launch(*program, "place", {1}, {1}, std::vector<Argument>{out.get()});
  std::int32_t place = -1;
  queue->read(*out, 0, &place, 4);
  EXPECT_EQ(place, 0);
}

// The driver's threads are not in a child: it is told so instead of waiting for them.
TEST_P(OnDevice, AChildOfForkIsToldThatItHasNoDevice) {
  const auto program = all_.front()->compile(text_);
  auto queue = all_.front()->make_queue();
  auto buffer = all_.front()->allocate(16);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(60);
    float host[1] = {};
    const std::vector<Argument> arguments{buffer.get()};
    const std::string words[] = {
        message<EnvironmentError>([&] { queue->finish(); }),
        message<EnvironmentError>([&] { queue->launch(*program, "place", {1}, {1}, arguments); }),
        message<EnvironmentError>([&] { queue->read(*buffer, 0, host, 4); }),
        message<EnvironmentError>([&] { all_.front()->allocate(16); }),
        message<EnvironmentError>([&] { all_.front()->compile(text_); }),
        message<EnvironmentError>([&] { all_.front()->make_queue(); })};
    queue.reset();
    buffer.reset();
    all_.clear();
    int silent = 0;
    for (const std::string& said : words)
      if (said.find("forked") == std::string::npos) ++silent;
    ::_exit(silent);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace reprosum::kernels::device
