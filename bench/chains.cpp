// Long sums of one accumulator: out of order against the loop of the same order, and against the
// library that has it.
//
//   bench_chains                       every data kind, n = 10^4 ... 10^7, both instruction sets
//   bench_chains --spec FILE --library libblas.so.3
//                                      the captured dots of FILE also against the library
//
// Google Benchmark's options work too (--benchmark_filter, --benchmark_format=json). Counters:
// `ratio` is the loop's time / ours, the median over seeds of medians over interleaved pairs in one
// process, of the time that this thread ran; `least` is the least of the seeds; `again` the share
// of summands that were added one by one. Other bits are an error.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "kernels/chain/long_chain.h"
#include "kernels/kernel.h"
#include "spec/error.h"
#include "spec/spec.h"
#include "spec/surface.h"

namespace {

using namespace reprosum;
using kernels::Isa;
using kernels::chain::Op;

// The order itself, as a compiler makes it of C.
template <class T, Op kOp>
[[gnu::noinline, gnu::target("fma")]] T loop(const T* x, const T* y, std::int64_t n) {
  T a = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    if constexpr (kOp == Op::sum) a += x[k];
    if constexpr (kOp == Op::rounded) a += x[k] * y[k];
    if constexpr (kOp == Op::fused) a = std::fma(x[k], y[k], a);
  }
  return a;
}

template <class T>
using Loop = T (*)(const T*, const T*, std::int64_t);

template <class T>
Loop<T> loop_of(Op op) {
  return op == Op::sum       ? loop<T, Op::sum>
         : op == Op::rounded ? loop<T, Op::rounded>
                             : loop<T, Op::fused>;
}

// positive: U(0,1); biased: 1 + N(0,1); normal: N(0,1); wide: 60 binades of both signs; crossing:
// over an end of a binade at each step; twice_in_48 and twice_in_200: as often; ties: half of them.
constexpr const char* kData[] = {"positive", "biased",      "normal",       "wide",
                                 "crossing", "twice_in_48", "twice_in_200", "ties"};

template <class T>
void fill(const std::string& kind, std::uint64_t seed, std::vector<T>& x, std::vector<T>& y) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  const auto drawn = [&] {
    if (kind == "positive") return unit(random);
    if (kind == "biased") return 1 + normal(random);
    if (kind == "wide")
      return std::ldexp(2 * unit(random) - 1, static_cast<int>(random() % 60) - 30);
    return normal(random);
  };
  const double tie = sizeof(T) == 8 ? 0x1p-43 : 0x1p-14;  // half a unit of 1200
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::size_t every = kind == "twice_in_48" ? 48 : 200;
    double p = 0;
    if (kind == "crossing")
      p = k == 0 ? 1 : (k % 2 == 1 ? -0.25 : 0.25) * (1 + 1e-3 * unit(random));
    else if (kind == "ties")
      p = k == 0 ? 1200 : (static_cast<double>(random() % 17) - 8) * tie;
    else if (kind.starts_with("twice"))
      p = k == 0 ? 1.5 : k % every == 0 ? -0.6 : k % every == 1 ? 0.6 : (unit(random) - 0.5) * 1e-6;
    const bool is_drawn = p == 0;
    x[k] = static_cast<T>(is_drawn ? drawn() : p);
    y[k] = static_cast<T>(is_drawn ? drawn() : 1);
  }
}

// peer(x, y, n) against ours(x, y, n), which has the same bits.
template <class T, class Peer, class Ours>
void race(benchmark::State& state, const std::string& kind, std::int64_t n, int seeds, Peer peer,
          Ours ours) {
  std::vector<double> ratios;
  double again = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<T> x(size), y(size);
    fill(kind, static_cast<std::uint64_t>(seed), x, y);
    T theirs = 0, mine = 0;
    const auto of_peer = [&] { benchmark::DoNotOptimize(theirs = peer(x.data(), y.data(), n)); };
    const auto of_ours = [&] { benchmark::DoNotOptimize(mine = ours(x.data(), y.data(), n)); };
    bench::Interleaved<decltype(of_peer), decltype(of_ours), bench::ThreadClock> pairs(of_peer,
                                                                                       of_ours);
    const std::size_t least = n > 1'000'000 ? 5 : 11;
    double time = 0;
    while (pairs.pairs() < least) time = pairs.pair();
    if (seed == 1)
      for (auto _ : state) state.SetIterationTime(time);
    ratios.push_back(pairs.ratio());
    kernels::chain::counts() = {};
    of_ours();
    const auto& counts = kernels::chain::counts();
    again += static_cast<double>(counts.one_by_one) / static_cast<double>(n) / seeds;
    if (std::memcmp(&theirs, &mine, sizeof(T)) != 0) return state.SkipWithError("other bits");
  }
  std::sort(ratios.begin(), ratios.end());
  state.counters["ratio"] = ratios[ratios.size() / 2];
  state.counters["least"] = ratios.front();
  state.counters["again"] = again;
}

template <class Run>
void add(const std::string& name, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(1);
}

template <class T>
void add_chains(Isa isa, Op op) {
  const auto code = kernels::chain::code<T>(isa, op);
  if (code == nullptr) return;
  kernels::Sequential order;
  order.from_zero = true;
  const kernels::chain::LongChain<T> chain(order, op, code);
  for (const std::string kind : kData) {
    for (const std::int64_t n : {2048, 10'000, 100'000, 1'000'000, 10'000'000}) {
      const int seeds = kind == "normal" && n <= 1'000'000 ? 10 : n <= 1'000'000 ? 3 : 1;
      add(fmt::format("{}/{}/{}/{}/n={}", kernels::name(isa), sizeof(T) == 4 ? "f32" : "f64",
                      kernels::chain::name(op), kind, n),
          [=](benchmark::State& state) {
            race<T>(
                state, kind, n, seeds, loop_of<T>(op),
                [&](const T* x, const T* y, std::int64_t m) { return chain.value(x, 1, y, 1, m); });
          });
    }
  }
}

// The captured dot of unit increments against the library's.
template <class T>
void add_captured(const spec::Spec& spec, void* library, Isa isa) {
  const spec::Entry* const entry =
      spec::find(spec, spec::vector_call(spec::Routine::dot, spec::type_of<T>(), 10'000));
  using Dot = T (*)(const int*, const T*, const int*, const T*, const int*);
  const auto dot = reinterpret_cast<Dot>(::dlsym(library, sizeof(T) == 4 ? "sdot_" : "ddot_"));
  if (entry == nullptr || dot == nullptr) return;
  const auto kernel =
      kernels::compile<T>(spec.orders[spec::order_of(*entry)], spec::Routine::dot, {isa, ""});
  if (kernel->first_out_of_order() == 0) return;
  for (const std::string kind : {"positive", "normal", "wide"}) {
    for (const std::int64_t n : {10'000, 100'000, 1'000'000, 10'000'000}) {
      add(fmt::format("library/{}/{}/n={}", kernel->name(n), kind, n),
          [=](benchmark::State& state) {
            race<T>(
                state, kind, n, n <= 1'000'000 ? 3 : 1,
                [=](const T* x, const T* y, std::int64_t m) {
                  const int size = static_cast<int>(m), one = 1;
                  return dot(&size, x, &one, y, &one);
                },
                [=](const T* x, const T* y, std::int64_t m) { return kernel->call(m, x, y); });
          });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own options away
  std::string file, library = "libblas.so.3";
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string key = argv[k];
    if (key == "--spec") file = argv[k + 1];
    if (key == "--library") library = argv[k + 1];
  }
  try {
    for (const Isa isa : kernels::host_isas()) {
      for (const Op op : {Op::fused, Op::sum, Op::rounded}) {
        add_chains<double>(isa, op);
        add_chains<float>(isa, op);
      }
      if (file.empty()) continue;
      std::ifstream stream(file);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      const spec::Spec spec = spec::from_json(text);
      void* const peer = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (peer == nullptr) throw EnvironmentError(library + " cannot be loaded");
      add_captured<double>(spec, peer, isa);
      add_captured<float>(spec, peer, isa);
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_chains: {}\n", error.what());
    return 2;
  }
}
