// Memory of a call that the thread keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace reprosum::exact {

// Up to 16 MiB stay with the thread: fresh pages would cost a small product more than its
// arithmetic. One at a time in a thread.
class Scratch {
 public:
  // `count` doubles from the start of a cache line on, for loads of whole lines.
  double* take(std::int64_t count) {
    constexpr std::int64_t kMostKept = std::int64_t{2} << 20, kLine = 8;
    thread_local std::vector<double> kept;
    const auto size = static_cast<std::size_t>(count + kLine);
    double* memory = nullptr;
    if (count > kMostKept) {
      own_.reset(new double[size]);
      memory = own_.get();
    } else {
      if (kept.size() < size) kept.resize(size);
      memory = kept.data();
    }
    const auto beyond = reinterpret_cast<std::uintptr_t>(memory) / sizeof(double) % kLine;
    return memory + (kLine - beyond) % kLine;
  }

 private:
  std::unique_ptr<double[]> own_;
};

}  // namespace reprosum::exact
