#include "reveal/target/library_cores.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <vector>

namespace reprosum::reveal {
namespace {

// A product that libraries share between threads: OpenBLAS does so from 64^3 on.
constexpr int kSize = 160;
constexpr int kRepetitions = 5;

class Trial {
 public:
  explicit Trial(const MatrixSymbols& symbols) : symbols_(symbols) {
    std::mt19937_64 random(1);
    for (std::vector<double>* const factor : {&a_, &b_}) {
      std::generate(factor->begin(), factor->end(),
                    [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; });
    }
    arguments_.row_major = symbols.fortran == nullptr;
    arguments_.m = arguments_.n = arguments_.k = kSize;
    arguments_.lda = arguments_.ldb = arguments_.ldc = kSize;
    arguments_.a = a_.data();
    arguments_.b = b_.data();
    arguments_.c = c_.data();
  }

  // The least of a few.
  double seconds() {
    using Clock = std::chrono::steady_clock;
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r < kRepetitions; ++r) {
      const Clock::time_point begin = Clock::now();
      call_matrix<double>(symbols_, arguments_);
      least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return least;
  }
  bool gives(const std::vector<double>& c) const {
    return std::memcmp(c.data(), c_.data(), c.size() * sizeof(double)) == 0;
  }
  const std::vector<double>& result() const { return c_; }

 private:
  static constexpr std::size_t kElements = std::size_t{kSize} * kSize;
  const MatrixSymbols& symbols_;
  std::vector<double> a_ = std::vector<double>(kElements), b_ = a_, c_ = a_;
  MatrixArguments arguments_;
};

std::size_t threads_of_this_process() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  if (error) return 1;
  return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

}  // namespace

void keep_library_to(const CoreSet& cores, const MatrixSymbols& dgemm) {
  if (dgemm.fortran == nullptr && dgemm.cblas == nullptr) return;
  const CoreSet before = CoreSet::of_this_thread();
  if (cores == before) return;
  Trial trial(dgemm);
  const double seconds = trial.seconds();
  const std::vector<double> c = trial.result();
  cores.keep_this_process();
  // One core does the work of all threads, one after the other, in the sum of their times.
  const double expected = seconds * static_cast<double>(threads_of_this_process());
  if (trial.seconds() > 2 * expected || !trial.gives(c)) before.keep_this_process();
}

}  // namespace reprosum::reveal
