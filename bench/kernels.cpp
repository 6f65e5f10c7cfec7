// Speed of generated kernels against the library whose order they replay.
//
//   bench_kernels                                  both instruction sets, orders written by hand
//   bench_kernels --spec FILE --core Haswell       the captured orders of FILE
//   bench_kernels ... --isa avx512                 with kernels of another instruction set
//
// Google Benchmark's options work too (--benchmark_filter, --benchmark_format=json). The counter
// `ratio` is library time / our time, the median over interleaved pairs in one process; a benchmark
// whose bits differ from the library's is an error.
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/interleaved.h"
#include "bench/peer.h"
#include "kernels/kernel.h"
#include "spec/spec.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace {

using namespace reprosum;
using kernels::Isa;

struct Options {
  std::string library = "libopenblas.so.0";
  std::string core;
  std::string spec;
  std::string isa;  // empty: the one that the core uses
};

template <class T>
struct Library {
  using Dot = T (*)(int, const T*, int, const T*, int);
  using Sum = T (*)(int, const T*, int);
  Dot dot = nullptr;
  Sum sum = nullptr;
};

// The order to replay: from the spec, or the one written by hand for this core.
bool find_order(const Options& options, spec::Routine routine, spec::Type type,
                spec::Order& order) {
  if (!options.spec.empty()) {
    std::ifstream file(options.spec);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const spec::Spec spec = spec::from_json(text);
    const spec::Entry* entry = spec::find(spec, spec::vector_call(routine, type, 1000));
    if (entry == nullptr) return false;
    order = spec.orders[spec::order_of(*entry)];
    return true;
  }
  const std::string wanted = options.core + " " + spec::blas_name(routine, type);
  for (const auto& named : kernels::test::library_orders()) {
    if (named.name != wanted) continue;
    order = spec::parse_order(named.text);
    for (spec::Regime& regime : order.regimes) regime.hi = std::int64_t{1} << 30;
    return true;
  }
  return false;
}

// Runs the pairs of one benchmark.
template <class Peer, class Ours>
void race(benchmark::State& state, Peer peer, Ours ours) {
  bench::Interleaved race(std::move(peer), std::move(ours));
  for (auto _ : state) state.SetIterationTime(race.pair());
  state.counters["ratio"] = race.ratio();
}

template <class Run>
void add(const std::string& name, std::int64_t n, Run run) {
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kNanosecond)
      ->Iterations(n > 1'000'000 ? 15 : 601);
}

template <class T>
void add_single(const Options& options, Isa isa, spec::Routine routine, const Library<T>& library) {
  const bool is_dot = routine == spec::Routine::dot;
  spec::Order order;
  if (is_dot ? library.dot == nullptr : library.sum == nullptr) return;
  const spec::Type type = spec::type_of<T>();
  if (!find_order(options, routine, type, order)) return;
  const std::shared_ptr<const kernels::Kernel<T>> kernel =
      kernels::compile<T>(order, routine, {isa, ""});
  for (const std::int64_t n : {1000, 10000, 100000, 10000000}) {
    if (n > kernel->n_max()) continue;
    add(fmt::format("{}/{}/n={}", spec::blas_name(routine, type), kernels::name(kernel->isa()), n),
        n, [=](benchmark::State& state) {
          const auto x = bench::uniform<T>(n, 1), y = bench::uniform<T>(n, 2);
          T theirs{}, mine{};
          const auto peer = [&] {
            theirs = is_dot ? library.dot(static_cast<int>(n), x.data(), 1, y.data(), 1)
                            : library.sum(static_cast<int>(n), x.data(), 1);
            benchmark::DoNotOptimize(theirs);
          };
          const auto ours = [&] {
            mine = kernel->call(n, x.data(), y.data());
            benchmark::DoNotOptimize(mine);
          };
          race(state, peer, ours);
          if (std::memcmp(&theirs, &mine, sizeof(T)) != 0) state.SkipWithError("other bits");
        });
  }
}

// Rows of 512 and their distance: half a page of floats, nothing special, a page.
constexpr std::pair<std::int64_t, std::int64_t> kBatches[] = {{8, 512},  {8, 520},  {8, 1024},
                                                              {16, 512}, {16, 520}, {16, 1024}};

// A short order (4 lanes), rows at a time, against the library's own dot row by row.
template <class T>
void add_batch(Isa isa, const Library<T>& library) {
  const spec::Type type = spec::type_of<T>();
  for (const auto& named : kernels::test::library_orders()) {
    if (named.name != "4 lanes" || named.type != type || named.routine != spec::Routine::dot)
      continue;
    const std::shared_ptr<const kernels::Kernel<T>> kernel =
        kernels::compile<T>(spec::parse_order(named.text), named.routine, {isa, ""});
    for (const bool shared : {true, false}) {
      for (const auto& [rows, ld] : kBatches) {
        add(fmt::format("{}/{}/4x1 lanes, {} rows of 512, {} apart, {} y",
                        spec::blas_name(named.routine, type), kernels::name(kernel->isa()), rows,
                        ld, shared ? "shared" : "own"),
            512, [=, rows = rows, ld = ld](benchmark::State& state) {
              const std::int64_t n = 512, ldy = shared ? 0 : ld;
              const auto x = bench::uniform<T>(rows * ld, 3), y = bench::uniform<T>(rows * ld, 4);
              std::vector<T> out(static_cast<std::size_t>(rows));
              const auto peer = [&] {
                for (std::int64_t i = 0; i < rows; ++i)
                  benchmark::DoNotOptimize(library.dot(static_cast<int>(n), x.data() + i * ld, 1,
                                                       y.data() + i * ldy, 1));
              };
              const auto ours = [&] {
                kernel->batch(n, rows, x.data(), ld, y.data(), ldy, out.data());
                benchmark::DoNotOptimize(out.data());
              };
              race(state, peer, ours);
            });
      }
    }
  }
}

Isa chosen_isa(const Options& options) {
  for (const Isa isa : kernels::host_isas())
    if (options.isa == kernels::name(isa)) return isa;
  if (!options.isa.empty()) throw UserError("this host cannot run --isa " + options.isa);
  return options.core == "Haswell" ? Isa::avx2 : kernels::host_isas().back();
}

int run(const Options& options, Isa isa) {
  const bench::Peer peer(options.library, options.core);
  const std::string core = peer.text("openblas_get_corename");
  benchmark::AddCustomContext("peer", options.library + " " + peer.text("openblas_get_config"));
  if (!core.empty()) benchmark::AddCustomContext("peer core", core);
  const Library<float> f32{peer.symbol<Library<float>::Dot>("cblas_sdot"),
                           peer.symbol<Library<float>::Sum>("cblas_ssum")};
  const Library<double> f64{peer.symbol<Library<double>::Dot>("cblas_ddot"),
                            peer.symbol<Library<double>::Sum>("cblas_dsum")};
  for (const spec::Routine routine : {spec::Routine::dot, spec::Routine::sum}) {
    add_single<float>(options, isa, routine, f32);
    add_single<double>(options, isa, routine, f64);
  }
  add_batch<float>(isa, f32);
  add_batch<double>(isa, f64);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own options away
  Options options;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string key = argv[k];
    if (key == "--library") options.library = argv[k + 1];
    if (key == "--core") options.core = argv[k + 1];
    if (key == "--spec") options.spec = argv[k + 1];
    if (key == "--isa") options.isa = argv[k + 1];
  }
  try {
    if (!options.spec.empty() || !options.core.empty()) return run(options, chosen_isa(options));
    return bench::for_each_core([&](const char* core, Isa isa) {
      options.core = core;
      return run(options, isa);
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_kernels: {}\n", error.what());
    return 2;
  }
}
