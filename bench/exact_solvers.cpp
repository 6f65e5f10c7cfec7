// Exact trsv and getrf beside OpenBLAS's, one thread: how many times the time they take, and how
// many results the rounding tests left to exact sums.
#include "bench/exact_solvers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/data.h"
#include "bench/exact_share.h"
#include "bench/interleaved.h"
#include "src/exact/factor/factor.h"
#include "src/exact/solve/certified.h"
#include "src/exact/solve/triangular.h"

namespace reprosum::bench {
namespace {

using exact::Kernels;
using exact::Triangular;

void print_row(const char* routine, const char* data, std::int64_t n, const char* kernels,
               double times, const std::string& share) {
  fmt::print("{:<16} {:<8} {:>6} {:<7} {:>9.2f} {:>9}\n", routine, data, n, kernels, times, share);
  std::fflush(stdout);
}

// A lower triangle, off its diagonal uniform in (-1, 1) over n or over sqrt(n): the second grows.
template <class T>
std::vector<T> triangle(std::int64_t n, bool grows) {
  std::vector<T> a = uniform<T>(n * n, 2);
  const double scale = grows ? 1 / std::sqrt(static_cast<double>(n)) : 1 / static_cast<double>(n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      T& v = a[static_cast<std::size_t>(i + j * n)];
      v = i == j ? T(1) + std::fabs(v) : static_cast<T>(static_cast<double>(v) * scale);
    }
  }
  return a;
}

template <class T>
void trsv_rows(const char* type, std::int64_t n, bool grows, const Kernels* kernels, Trsv<T> trsv) {
  const std::vector<T> a = triangle<T>(n, grows), b = uniform<T>(n, 3);
  std::vector<T> x = b, y = b;
  const int size = static_cast<int>(n);
  for (const bool transposed : {false, true}) {
    // The lower triangle: op(A) is upper if transposed.
    exact::View<const T> view{a.data(), 1, n};
    if (transposed) view = view.transposed();
    const Triangular<T> system{n, view, !transposed, false};
    const auto peer = [&] {
      std::memcpy(x.data(), b.data(), b.size() * sizeof(T));
      trsv(102, 122, transposed ? 112 : 111, 131, size, a.data(), size, x.data(), 1);
    };
    const auto substitute = [&] {
      std::memcpy(y.data(), b.data(), b.size() * sizeof(T));
      exact::substitute<T>(kernels, system, {y.data(), 1, 0});
    };
    const auto certified = [&] {
      std::memcpy(y.data(), b.data(), b.size() * sizeof(T));
      exact::solve_certified<T>(kernels, system, {y.data(), 1, 0});
    };
    const std::string name = fmt::format("{}trsv {}", type, transposed ? "T" : "N");
    const char* const data = grows ? "1/sqrt n" : "1/n";
    const std::string share = fmt::format("{:.3f}", exact_share(substitute));
    print_row(name.c_str(), data, n, kernels->name,
              1 / speed_ratio<ThreadClock>(peer, substitute, 0.3), share);
    // Which way certified a solution is not counted.
    print_row((name + " true").c_str(), data, n, kernels->name,
              1 / speed_ratio<ThreadClock>(peer, certified, 0.3), "-");
  }
}

template <class T>
void getrf_row(const char* type, std::int64_t n, const Kernels* kernels, Getrf<T> getrf) {
  const std::vector<T> a = uniform<T>(n * n, 4);
  std::vector<T> b = a, c = a;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  std::vector<int> peer_pivots(pivots.size());
  const int size = static_cast<int>(n);
  int info = 0;
  const auto ours = [&] {
    std::memcpy(c.data(), a.data(), a.size() * sizeof(T));
    exact::factor<T>(kernels, n, n, {c.data(), 1, n}, pivots.data(), 1);
  };
  const std::string share = fmt::format("{:.3f}", exact_share(ours));
  const double ratio = speed_ratio<ThreadClock>(
      [&] {
        std::memcpy(b.data(), a.data(), a.size() * sizeof(T));
        getrf(&size, &size, b.data(), &size, peer_pivots.data(), &info);
      },
      ours, 0.5);
  print_row(fmt::format("{}getrf", type).c_str(), "uniform", n, kernels->name, 1 / ratio, share);
}

}  // namespace

void exact_solver_rows(const SolverPeer& peer) {
  fmt::print(
      "\ntimes the thread time of OpenBLAS, one thread; percent of results that needed exact "
      "sums.\n"
      "\"true\": the rounded true solution. The paper on reproducible LU has, beside its own\n"
      "unblocked routines on GPUs: gemv 4.26, trsv 4 to 25, LU 11 to 32.\n");
  fmt::print("{:<16} {:<8} {:>6} {:<7} {:>9} {:>9}\n", "", "data", "n", "kernels", "times",
             "exact, %");
  for (const Kernels* kernels : exact::kernels_of_this_host()) {
    for (const std::int64_t n : {256, 1024}) {
      for (const bool grows : {false, true}) {
        trsv_rows<double>("d", n, grows, kernels, peer.dtrsv);
        trsv_rows<float>("s", n, grows, kernels, peer.strsv);
      }
    }
    for (const std::int64_t n : {64, 256, 512, 1024, 2048}) {
      getrf_row<double>("d", n, kernels, peer.dgetrf);
      getrf_row<float>("s", n, kernels, peer.sgetrf);
    }
  }
}

}  // namespace reprosum::bench
