// Exact gemm and gemv beside OpenBLAS's, one thread: how many times the time they take, and how
// many entries the rounding test left to exact sums.
#include "bench/exact_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include "bench/data.h"
#include "bench/exact_share.h"
#include "bench/interleaved.h"
#include "src/exact/machine/float_environment.h"
#include "src/exact/products/fast_product.h"
#include "src/exact/products/product.h"
#include "src/exact/remainders/remainder_product.h"

namespace reprosum::bench {
namespace {

using exact::Kernels;
using exact::Product;

template <class T>
void fill(const char* data, std::span<T> x, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  for (T& v : x) v = static_cast<T>(data[0] == 'u' ? uniform(random) : normal(random));
}

// How matrices are multiplied: as the library would, or in a given way.
struct Way {
  const char* name;
  const Kernels* kernels;
  const exact::RemainderKernels* loops = nullptr;
  bool splits = false;
};

// Of doubles, from the fastest to the slowest.
std::vector<Way> ways_of_this_host() {
  std::vector<Way> ways;
  for (const Kernels* kernels : exact::kernels_of_this_host()) {
    if (kernels->lanes == 8) {
      for (const auto* loops : {exact::amx_remainders(), exact::vnni_remainders()})
        if (loops != nullptr) ways.push_back({loops->name, kernels, loops, false});
    }
    ways.push_back({"split", kernels, nullptr, true});
  }
  return ways;
}

template <class T>
void multiply(const Way& way, const Product<T>& product) {
  if constexpr (sizeof(T) == 8) {
    if (way.loops != nullptr || way.splits) {
      const bool done = exact::in_default_environment([&] {
        return way.splits ? exact::multiply_by_splitting(way.kernels, product)
                          : exact::multiply_by_remainders(way.kernels, *way.loops, product);
      });
      if (done) return;
      fmt::print(stderr, "no memory for {}\n", way.name);
      std::exit(2);
    }
  }
  exact::multiply(way.kernels, product, 1);
}

template <class T, class Gemm>
void gemm_row(const char* routine, const char* data, std::int64_t n, const Way& way, Gemm gemm) {
  std::mt19937_64 random(1);
  std::vector<T> a(static_cast<std::size_t>(n * n)), b(a.size()), c(a.size());
  fill<T>(data, a, random);
  fill<T>(data, b, random);
  const Product<T> product{n, n, n, 1, {a.data(), 1, n}, {b.data(), 1, n}, 0, {c.data(), 1, n}};
  const auto ours = [&] { multiply(way, product); };
  const double share = exact_share(ours);
  const int size = static_cast<int>(n);
  const double ratio = speed_ratio<ThreadClock>(
      [&] {
        gemm(102, 111, 111, size, size, size, 1, a.data(), size, b.data(), size, 0, c.data(), size);
      },
      ours, 1.0, n > 2048 ? 3 : 9);
  fmt::print("{:<8} {:<8} {:>6} {:<7} {:<6} {:>7.2f} {:>9.3f}\n", routine, data, n,
             way.kernels->name, way.name, 1 / ratio, share);
  std::fflush(stdout);
}

// The matrix begins `place` bytes into a cache line. Which physical pages it got decides what share
// of the third-level cache it can use, and moves either time by a tenth: kCopies of it, all kept,
// are raced over, and the median, the least and the most of their ratios are printed.
template <class T, class Gemv>
void gemv_row(const char* routine, const char* data, std::int64_t n, std::int64_t place,
              bool transposed, const Kernels* kernels, Gemv gemv) {
  constexpr int kCopies = 5;
  constexpr double kSeconds = 0.6;
  const int copies = n > 2048 ? 1 : kCopies;  // larger ones lie in no cache
  std::mt19937_64 random(1);
  const std::int64_t before = place / static_cast<std::int64_t>(sizeof(T));
  std::vector<Lines<T>> matrices;
  Lines<T> lines_of_x(n), lines_of_y(n);
  const std::span<T> x = lines_of_x.numbers(), y = lines_of_y.numbers();
  fill<T>(data, x, random);
  std::vector<double> times;
  double share = 0;
  for (int copy = 0; copy < copies; ++copy) {
    const std::span<T> all = matrices.emplace_back(n * n + before).numbers();
    const std::span<T> a = all.subspan(static_cast<std::size_t>(before));
    fill<T>(data, a, random);
    exact::View<const T> view{a.data(), 1, n};
    if (transposed) view = view.transposed();
    const Product<T> product{n, 1, n, 1, view, {x.data(), 1, 0}, 0, {y.data(), 1, 0}};
    const auto ours = [&] { exact::multiply(kernels, product, 1); };
    share += exact_share(ours) / copies;
    const int size = static_cast<int>(n);
    times.push_back(1 / speed_ratio<ThreadClock>(
                            [&] {
                              gemv(102, transposed ? 112 : 111, size, size, 1, a.data(), size,
                                   x.data(), 1, 0, y.data(), 1);
                            },
                            ours, kSeconds / copies));
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<8} {:<8} {:>6} {:>6} {:<7} {:>7.2f} {:>7.2f} {:>7.2f} {:>9.3f}\n", routine, data,
             n, place, kernels->name, times[times.size() / 2], times.front(), times.back(), share);
  std::fflush(stdout);
}

void print_header() {
  fmt::print(
      "\ntimes the time of OpenBLAS, one thread; percent of outputs that needed exact sums\n");
}

}  // namespace

void exact_gemm_rows(const MatrixPeer& peer) {
  print_header();
  fmt::print("{:<8} {:<8} {:>6} {:<7} {:<6} {:>7} {:>9}\n", "", "data", "n", "kernels", "way",
             "times", "exact, %");
  for (const char* const data : {"uniform", "normal"}) {
    for (const Way& way : ways_of_this_host())
      for (const std::int64_t n : {256, 512, 1024, 2048, 4096})
        if (n <= 2048 || way.loops != nullptr) gemm_row<double>("dgemm", data, n, way, peer.dgemm);
    for (const Kernels* kernels : exact::kernels_of_this_host()) {
      const Way chosen{"", kernels};
      for (const std::int64_t n : {64, 128}) gemm_row<double>("dgemm", data, n, chosen, peer.dgemm);
      for (const std::int64_t n : {64, 256, 512})
        gemm_row<float>("sgemm", data, n, chosen, peer.sgemm);
    }
  }
}

void exact_gemv_rows(const MatrixPeer& peer) {
  print_header();
  fmt::print("{:<8} {:<8} {:>6} {:>6} {:<7} {:>7} {:>7} {:>7} {:>9}\n", "", "data", "n", "place",
             "kernels", "times", "least", "most", "exact, %");
  for (const char* const data : {"uniform", "normal"}) {
    for (const Kernels* kernels : exact::kernels_of_this_host()) {
      for (const bool transposed : {false, true}) {
        // Where they lie in the caches, the library's time depends on the place.
        for (const std::int64_t place : {0, 16}) {
          for (const std::int64_t n : {64, 256, 512, 1024, 2048, 4096}) {
            if (place != 0 && n > 512) continue;
            gemv_row<double>(transposed ? "dgemv T" : "dgemv N", data, n, place, transposed,
                             kernels, peer.dgemv);
            gemv_row<float>(transposed ? "sgemv T" : "sgemv N", data, n, place, transposed, kernels,
                            peer.sgemv);
          }
        }
      }
    }
  }
}

}  // namespace reprosum::bench
