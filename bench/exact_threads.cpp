// Exact routines by several threads beside the same ones by one, in turns: how many times faster
// they are, and whether all bits are those of one thread.
#include "bench/exact_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bench/data.h"
#include "bench/interleaved.h"
#include "src/base/workers.h"
#include "src/exact/factor/factor.h"
#include "src/exact/products/product.h"
#include "src/exact/sums/shared_reduce.h"

namespace reprosum::bench {
namespace {

using exact::Kernels;

// run(workers) gives its results as a vector.
template <class Run>
bool row(const char* routine, std::int64_t n, const Kernels* kernels, int workers, Run&& run) {
  const auto one = run(1), many = run(workers);
  const bool equal = one.size() == many.size() &&
                     std::memcmp(one.data(), many.data(), one.size() * sizeof(one[0])) == 0;
  const double ratio = speed_ratio([&] { run(1); }, [&] { run(workers); }, 1.0);
  fmt::print("{:<8} {:>9} {:<7} {:>8} {:>7.2f} {:>6}\n", routine, n, kernels->name, workers, ratio,
             equal ? "equal" : "DIFFER");
  std::fflush(stdout);
  return equal;
}

template <class T>
bool vector_rows(const char* type, const Kernels* kernels, int workers) {
  bool equal = true;
  for (const std::int64_t n : {1'000'000, 20'000'000}) {
    const std::vector<T> x = uniform<T>(n, 1), y = uniform<T>(n, 2);
    equal &= row(fmt::format("{}sum", type).c_str(), n, kernels, workers, [&](int w) {
      return std::vector<T>{exact::shared_sum(kernels, w, n, x.data(), 1)};
    });
    equal &= row(fmt::format("{}dot", type).c_str(), n, kernels, workers, [&](int w) {
      return std::vector<T>{exact::shared_dot(kernels, w, n, x.data(), 1, y.data(), 1)};
    });
  }
  return equal;
}

template <class T>
bool matrix_rows(const char* type, const Kernels* kernels, int workers) {
  bool equal = true;
  const auto product = [&](const char* name, std::int64_t n, std::int64_t columns) {
    const std::vector<T> a = uniform<T>(n * n, 3), b = uniform<T>(n * columns, 4);
    std::vector<T> c(b.size());
    equal &= row(fmt::format("{}{}", type, name).c_str(), n, kernels, workers, [&](int w) {
      const exact::Product<T> call{n, columns,         n, 1, {a.data(), 1, n}, {b.data(), 1, n},
                                   0, {c.data(), 1, n}};
      exact::multiply(kernels, call, w);
      return c;
    });
  };
  for (const std::int64_t n : {1024, 4096}) product("gemv", n, 1);
  for (const std::int64_t n : {256, 512}) product("gemm", n, n);
  for (const std::int64_t n : {512, 1024}) {
    const std::vector<T> a = uniform<T>(n * n, 5);
    std::vector<T> lu;
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    equal &= row(fmt::format("{}getrf", type).c_str(), n, kernels, workers, [&](int w) {
      lu = a;
      exact::factor<T>(kernels, n, n, {lu.data(), 1, n}, pivots.data(), w);
      return lu;
    });
  }
  return equal;
}

}  // namespace

bool exact_thread_rows() {
  const int workers = std::max(2, base::available_cores());
  fmt::print("\none thread's time over that of {} threads, and whether they give the same bits\n",
             workers);
  fmt::print("{:<8} {:>9} {:<7} {:>8} {:>7} {:>6}\n", "", "n", "kernels", "threads", "times",
             "bits");
  bool equal = true;
  for (const Kernels* kernels : exact::kernels_of_this_host()) {
    equal &= vector_rows<double>("d", kernels, workers);
    equal &= vector_rows<float>("s", kernels, workers);
    equal &= matrix_rows<double>("d", kernels, workers);
    equal &= matrix_rows<float>("s", kernels, workers);
  }
  return equal;
}

}  // namespace reprosum::bench
