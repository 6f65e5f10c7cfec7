// Exact sums and dot products against a plain vector sum and OpenBLAS's ddot, in turns in one
// process: how many times longer the exact one takes.
//
//   exact [LIBRARY]     LIBRARY has cblas_ddot; default libopenblas.so.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "bench/interleaved.h"
#include "src/exact/reduce.h"

namespace {

using reprosum::exact::Kernels;
using Ddot = double (*)(int, const double*, int, const double*, int);

volatile double sink;

// Eight vectors of running sums: as fast as memory gives the terms.
#if defined(__x86_64__)
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
double
plain_sum(std::int64_t n, const double* x) {
  double lane[64] = {};
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int k = 0; k < 64; ++k) lane[k] += x[i + k];
  }
  for (; i < n; ++i) lane[0] += x[i];
  for (int width = 32; width > 0; width /= 2) {
    for (int k = 0; k < width; ++k) lane[k] += lane[k + width];
  }
  return lane[0];
}

void fill(const char* data, std::vector<double>& x, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  for (double& v : x) {
    if (data[0] == 'u') v = uniform(random);
    if (data[0] == 'n') v = normal(random);
    if (data[0] == 'w')
      v = std::ldexp(uniform(random) - 0.5, static_cast<int>(random() % 800) - 400);
  }
}

void row(const char* data, std::int64_t n, const Kernels* kernels, Ddot ddot) {
  std::mt19937_64 random(1);
  std::vector<double> x(static_cast<std::size_t>(n)), y(x.size());
  fill(data, x, random);
  fill(data, y, random);
  const double budget = 0.4;
  const double sum = reprosum::bench::speed_ratio(
      [&] { sink = plain_sum(n, x.data()); },
      [&] { sink = reprosum::exact::sum_with(kernels, n, x.data(), 1); }, budget);
  const double dot = reprosum::bench::speed_ratio(
      [&] { sink = ddot(static_cast<int>(n), x.data(), 1, y.data(), 1); },
      [&] { sink = reprosum::exact::dot_with(kernels, n, x.data(), 1, y.data(), 1); }, budget);
  fmt::print("{:<9} {:>9} {:<9} {:>8.2f} {:>8.2f}\n", data, n,
             kernels != nullptr ? kernels->name : "portable", 1 / sum, 1 / dot);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  const char* const library = argc > 1 ? argv[1] : "libopenblas.so.0";
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  const auto ddot =
      handle != nullptr ? reinterpret_cast<Ddot>(dlsym(handle, "cblas_ddot")) : nullptr;
  if (ddot == nullptr) {
    fmt::print(stderr, "no cblas_ddot in {}\n", library);
    return 2;
  }
  fmt::print("times the time of a plain vector sum (sum) and of {}'s ddot (dot)\n", library);
  fmt::print("{:<9} {:>9} {:<9} {:>8} {:>8}\n", "data", "n", "kernels", "sum", "dot");
  for (const char* data : {"uniform", "normal", "wide"}) {
    for (const std::int64_t n : {100, 1000, 10000, 100000, 1000000, 20000000}) {
      for (const Kernels* kernels : reprosum::exact::kernels_of_this_host())
        row(data, n, kernels, ddot);
      if (n == 1000 || n == 100000) row(data, n, nullptr, ddot);
    }
  }
}
