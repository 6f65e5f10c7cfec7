// Exact sums and dot products, f64 and f32, against a plain vector sum and OpenBLAS's ddot and
// sdot, in turns in one process: how many times longer the exact one takes.
//
//   bench_exact [LIBRARY [vectors|gemm|gemv|solvers|threads]]
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/data.h"
#include "bench/exact_matrices.h"
#include "bench/exact_solvers.h"
#include "bench/exact_threads.h"
#include "bench/interleaved.h"
#include "src/exact/sums/reduce.h"

namespace {

using reprosum::exact::Kernels;
template <class T>
using Dot = T (*)(int, const T*, int, const T*, int);

volatile double sink;

// Eight vectors of running sums, then single ones: as fast as memory gives the terms. Vectors of
// the processor's width: wider ones are cut, and sixteen running sums do not fit its registers.
template <class T, int kBytes>
[[gnu::always_inline]] inline T plain_sum_of(std::int64_t n, const T* x) {
  typedef T V __attribute__((vector_size(kBytes), aligned(sizeof(T)), may_alias));
  constexpr std::int64_t kLanes = kBytes / sizeof(T);
  const V* const vectors = reinterpret_cast<const V*>(x);
  V a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{};
  std::int64_t i = 0;
  for (; i + 8 <= n / kLanes; i += 8) {
    a += vectors[i], b += vectors[i + 1], c += vectors[i + 2], d += vectors[i + 3];
    e += vectors[i + 4], f += vectors[i + 5], g += vectors[i + 6], h += vectors[i + 7];
  }
  for (; i + 1 <= n / kLanes; ++i) a += vectors[i];
  T rest = 0;
  for (i *= kLanes; i < n; ++i) rest += x[i];
  a = ((a + b) + (c + d)) + ((e + f) + (g + h));
  for (int k = 0; k < kLanes; ++k) rest += a[k];
  return rest;
}

#if defined(__x86_64__)
template <class T>
[[gnu::target("avx512f")]] T plain_sum_avx512(std::int64_t n, const T* x) {
  return plain_sum_of<T, 64>(n, x);
}
template <class T>
[[gnu::target("avx2")]] T plain_sum_avx2(std::int64_t n, const T* x) {
  return plain_sum_of<T, 32>(n, x);
}
#endif
template <class T>
T plain_sum_narrow(std::int64_t n, const T* x) {
  return plain_sum_of<T, 16>(n, x);
}

template <class T>
T plain_sum(std::int64_t n, const T* x) {
  static const auto widest = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return &plain_sum_avx512<T>;
    if (__builtin_cpu_supports("avx2")) return &plain_sum_avx2<T>;
#endif
    return &plain_sum_narrow<T>;
  }();
  return widest(n, x);
}

// uniform, normal; wide: exponents from -range to range; then, in the second half, the first with
// other signs: nothing is left of the sum but one term.
struct Data {
  const char* name;
  int range;
  bool normal, cancels;
};
constexpr Data kData[] = {{"uniform", 0, false, false},
                          {"normal", 0, true, false},
                          {"wide", 400, false, false},
                          {"normal-", 0, true, true},
                          {"wide-", 400, false, true}};

template <class T>
void fill(const Data& data, std::span<T> x, bool negate, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  const int range = sizeof(T) == 8 ? data.range : data.range / 8;
  const std::size_t half = x.size() / 2;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double v = data.normal ? normal(random) : uniform(random);
    if (range != 0)
      v = std::ldexp(v - 0.5,
                     static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range);
    x[i] = static_cast<T>(v);
    if (data.cancels && i >= half && i < 2 * half) x[i] = negate ? -x[i - half] : x[i - half];
  }
  if (data.cancels) x[0] = std::nextafter(x[0], T(1));
}

// How many times the peer's time: the median and the most of several vectors.
struct Ratios {
  double median, most;
};

Ratios ratios_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.back()};
}

// Whether a bound decides a sum is a matter of its data, and one that it leaves open takes some
// times as long: kVectors of them, all kept, are raced over. One of the longest, which memory
// binds.
template <class T>
void row(const Data& data, std::int64_t n, const Kernels* kernels, Dot<T> peer) {
  constexpr int kVectors = 5;
  constexpr double kSeconds = 0.5;
  const int vectors = n > 1000000 ? 1 : kVectors;
  std::mt19937_64 random(1);
  std::vector<reprosum::bench::Lines<T>> kept;
  std::vector<double> sums, dots;
  for (int vector = 0; vector < vectors; ++vector) {
    const std::span<T> x = kept.emplace_back(n).numbers(), y = kept.emplace_back(n).numbers();
    fill(data, x, true, random);
    fill(data, y, false, random);
    using reprosum::bench::speed_ratio, reprosum::bench::ThreadClock;
    sums.push_back(
        1 /
        speed_ratio<ThreadClock>(
            [&] { sink = static_cast<double>(plain_sum(n, x.data())); },
            [&] { sink = static_cast<double>(reprosum::exact::sum_with(kernels, n, x.data(), 1)); },
            kSeconds / vectors));
    dots.push_back(1 / speed_ratio<ThreadClock>(
                           [&] {
                             sink = static_cast<double>(
                                 peer(static_cast<int>(n), x.data(), 1, y.data(), 1));
                           },
                           [&] {
                             sink = static_cast<double>(
                                 reprosum::exact::dot_with(kernels, n, x.data(), 1, y.data(), 1));
                           },
                           kSeconds / vectors));
  }
  const Ratios sum = ratios_of(sums), dot = ratios_of(dots);
  fmt::print("{:<4} {:<9} {:>9} {:<9} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f}\n",
             sizeof(T) == 8 ? "f64" : "f32", data.name, n,
             kernels != nullptr ? kernels->name : "portable", sum.median, sum.most, dot.median,
             dot.most);
  std::fflush(stdout);
}

template <class T>
void rows(Dot<T> peer) {
  for (const Data& data : kData) {
    for (const std::int64_t n :
         {100, 400, 1000, 2000, 10000, 20000, 100000, 200000, 400000, 1000000, 20000000}) {
      for (const Kernels* kernels : reprosum::exact::kernels_of_this_host())
        row(data, n, kernels, peer);
      if (n == 1000 && data.range == 0 && !data.cancels) row<T>(data, n, nullptr, peer);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times exact routines against rounded ones, in turns"};
  std::string library = "libopenblas.so.0", only;
  app.add_option("library", library, "the peer: has CBLAS and LAPACK")->capture_default_str();
  app.add_option("rows", only, "print these alone")
      ->check(CLI::IsMember({"vectors", "gemm", "gemv", "solvers", "threads"}));
  CLI11_PARSE(app, argc, argv);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto symbol = [&](const char* name) {
    return handle != nullptr ? dlsym(handle, name) : nullptr;
  };
  const auto ddot = reinterpret_cast<Dot<double>>(symbol("cblas_ddot"));
  const auto sdot = reinterpret_cast<Dot<float>>(symbol("cblas_sdot"));
  if (ddot == nullptr || sdot == nullptr) {
    fmt::print(stderr, "no cblas_ddot or no cblas_sdot in {}\n", library);
    return 2;
  }
  // A library that does not know a processor takes an older one's kernels: OPENBLAS_CORETYPE.
  const auto told = [&](const char* name) {
    const auto ask = reinterpret_cast<const char* (*)()>(symbol(name));
    return ask != nullptr ? ask() : "";
  };
  fmt::print("# {}: {}, runs {}\n", library, told("openblas_get_config"),
             told("openblas_get_corename"));
  const auto asked = [&](const char* rows) { return only.empty() || only == rows; };
  if (asked("vectors")) {
    fmt::print("times the time of a plain vector sum (sum) and of {}'s dot (dot)\n", library);
    fmt::print("{:<4} {:<9} {:>9} {:<9} {:>8} {:>8} {:>8} {:>8}\n", "type", "data", "n", "kernels",
               "sum", "most", "dot", "most");
    rows<double>(ddot);
    rows<float>(sdot);
  }
  reprosum::bench::MatrixPeer peer{};
  peer.dgemm = reinterpret_cast<decltype(peer.dgemm)>(symbol("cblas_dgemm"));
  peer.sgemm = reinterpret_cast<decltype(peer.sgemm)>(symbol("cblas_sgemm"));
  peer.dgemv = reinterpret_cast<decltype(peer.dgemv)>(symbol("cblas_dgemv"));
  peer.sgemv = reinterpret_cast<decltype(peer.sgemv)>(symbol("cblas_sgemv"));
  if (asked("gemm") && peer.dgemm && peer.sgemm) reprosum::bench::exact_gemm_rows(peer);
  if (asked("gemv") && peer.dgemv && peer.sgemv) reprosum::bench::exact_gemv_rows(peer);
  reprosum::bench::SolverPeer solvers{};
  solvers.dtrsv = reinterpret_cast<decltype(solvers.dtrsv)>(symbol("cblas_dtrsv"));
  solvers.strsv = reinterpret_cast<decltype(solvers.strsv)>(symbol("cblas_strsv"));
  solvers.dgetrf = reinterpret_cast<decltype(solvers.dgetrf)>(symbol("dgetrf_"));
  solvers.sgetrf = reinterpret_cast<decltype(solvers.sgetrf)>(symbol("sgetrf_"));
  if (asked("solvers") && solvers.dtrsv && solvers.strsv && solvers.dgetrf && solvers.sgetrf)
    reprosum::bench::exact_solver_rows(solvers);
  if (asked("threads") && !reprosum::bench::exact_thread_rows()) return 1;
}
