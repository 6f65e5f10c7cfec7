// A call without summands in the memory of a device: what of it is written.
#include "src/runtime/device_update.h"

#include <gtest/gtest.h>

#include <cstring>

#include "src/runtime/matrix_arguments.h"

namespace reprosum::runtime {
namespace {

using kernels::device::Buffer;

struct Memory : Buffer {
  explicit Memory(std::size_t elements) : values(elements), is_written(elements) {
    for (std::size_t k = 0; k < elements; ++k) values[k] = 1 + static_cast<double>(k);
  }
  std::size_t bytes() const override { return values.size() * sizeof(double); }
  std::vector<double> values;
  std::vector<bool> is_written;
};

struct MemoryQueue : kernels::device::Queue {
  void launch(const kernels::device::Program&, const std::string&, kernels::device::Extent,
              kernels::device::Extent, std::span<const kernels::device::Argument>) override {}
  void write(Buffer& to, std::size_t offset, const void* host, std::size_t bytes) override {
    auto& memory = dynamic_cast<Memory&>(to);
    ASSERT_LE(offset + bytes, memory.bytes());
    std::memcpy(reinterpret_cast<char*>(memory.values.data()) + offset, host, bytes);
    for (std::size_t k = offset / 8; k < (offset + bytes) / 8; ++k) memory.is_written[k] = true;
  }
  void read(const Buffer& from, std::size_t offset, void* host, std::size_t bytes) override {
    const auto& memory = dynamic_cast<const Memory&>(from);
    ASSERT_LE(offset + bytes, memory.bytes());
    std::memcpy(host, reinterpret_cast<const char*>(memory.values.data()) + offset, bytes);
  }
  void copy(const Buffer&, std::size_t, Buffer&, std::size_t, std::size_t) override {}
  void finish() override {}
};

// The elements of C, times beta, are all that is written.
void expect_update(spec::Routine routine, std::int64_t m, std::int64_t n, std::int64_t ldc,
                   std::int64_t incc) {
  SCOPED_TRACE(testing::Message() << "m = " << m << ", n = " << n << ", ldc = " << ldc
                                  << ", incc = " << incc);
  constexpr std::int64_t kFirst = 3;
  spec::MatrixArguments<double> call;
  call.routine = routine;
  call.m = m;
  call.n = n;
  call.k = 0;
  call.beta = 0.5;
  call.ldc = ldc;
  call.incc = incc;
  spec::EmptyRule rule;
  rule.routine = routine;
  rule.result = spec::EmptyRule::Result::scale;
  Memory memory(100);
  MemoryQueue queue;
  update_on_device(rule, call, memory, kFirst, queue);
  std::vector<bool> is_element(100);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      is_element[static_cast<std::size_t>(
          kFirst + (routine == spec::Routine::gemv ? i * std::abs(incc) : i + j * ldc))] = true;
  EXPECT_EQ(memory.is_written, is_element);
  for (std::size_t k = 0; k < 100; ++k)
    EXPECT_EQ(memory.values[k], (is_element[k] ? 0.5 : 1) * (1 + static_cast<double>(k))) << k;
}

TEST(DeviceUpdate, WritesNothingBetweenTheElementsOfC) {
  for (const std::int64_t gap : {0, 1, 5})
    for (const std::int64_t n : {1, 2, 6}) expect_update(spec::Routine::gemm, 4, n, 4 + gap, 1);
  for (const std::int64_t increment : {1, -1, 2, -3})
    for (const std::int64_t m : {1, 7}) expect_update(spec::Routine::gemv, m, 1, m, increment);
}

}  // namespace
}  // namespace reprosum::runtime
