// What a call through the C API costs beyond the kernel that it leads to.
//
//   bench_calls                       lanes of the order written by hand, best instruction set
//   bench_calls --spec FILE           the orders of a captured spec
//   bench_calls --library libopenblas.so.0
//
// For each routine, increment and n: nanoseconds of the kernel alone, of the kernel in the default
// floating-point environment (which every call makes, and which keeps calls from overlapping) and
// of the call (medians), and the medians over interleaved rounds of what the call has beyond
// either. With strides the kernel alone reads the packed vectors: the difference is the packing
// too.
#include <dlfcn.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "bench/replay_calls.h"
#include "kernels/kernel.h"
#include "spec/spec.h"
#include "spec/surface.h"
#include "src/runtime/float_environment.h"
#include "tests/kernels/orders.h"

namespace reprosum::bench {
namespace {

struct Options {
  std::string spec, library = "libopenblas.so.0";
  int pairs = 401;
};

constexpr int kIncrements[] = {1, 2, -1};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// dot in eight lanes of each type at every increment.
spec::Spec lanes_spec() {
  const std::vector<std::string> lanes = kernels::test::lanes("L", 8);
  const std::string text = "1..1000000: loop 8 { 0..7: L = [f@0 +8 x q]; [" +
                           kernels::test::fold(lanes, {4, 2, 1}) + " .@8q +1 x r]; }";
  spec::Spec made;
  made.orders.push_back(spec::parse_order(text));
  for (const spec::Type type : {spec::Type::f32, spec::Type::f64}) {
    std::vector<spec::Increments> increments;
    for (const int inc : kIncrements) increments.push_back({inc, inc});
    made.entries.push_back(spec::entry_of_one_output(
        spec::Routine::dot, type, spec::vector_guard(increments, {1}), 0, 1'000'000));
  }
  spec::canonicalize(made);
  return made;
}

reprosum_status dot(const reprosum_handle* handle, std::int64_t n, const float* x, int inc,
                    const float* y, float* out) {
  return reprosum_sdot(handle, n, x, inc, y, inc, out);
}
reprosum_status dot(const reprosum_handle* handle, std::int64_t n, const double* x, int inc,
                    const double* y, double* out) {
  return reprosum_ddot(handle, n, x, inc, y, inc, out);
}

template <class T>
class Calls {
 public:
  using Peer = T (*)(int, const T*, int, const T*, int);

  Calls(const Options& options, const spec::Spec& spec, const reprosum_handle* handle, Peer peer)
      : options_(options), spec_(spec), handle_(handle), peer_(peer) {}

  void run() const {
    for (const int inc : kIncrements)
      for (const std::int64_t n : {10, 100, 1000, 10000})
        if (inc == 1 || n >= 1000) row(inc, n);
  }

 private:
  void row(int inc, std::int64_t n) const {
    constexpr spec::Type kType = spec::type_of<T>();
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> value(-1, 1);
    const auto size = static_cast<std::size_t>(n * std::abs(inc));
    // Both start at a multiple of 64, as a spec may know orders by address.
    std::vector<T> memory(2 * size + 64);
    auto* const x = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) /
                                        sizeof(T) % (64 / sizeof(T));
    auto* const y = x + (size * sizeof(T) + 63) / 64 * 64 / sizeof(T);
    for (T& v : memory) v = static_cast<T>(value(random));
    const spec::Entry* entry =
        spec::find(spec_, spec::vector_call(spec::Routine::dot, kType, n, inc, inc));
    if (entry == nullptr) return;
    const auto kernel = kernels::compile<T>(spec_.orders[spec::order_of(*entry)],
                                            spec::Routine::dot, {kernels::host_isas().back(), ""});
    std::vector<T> packed_x(static_cast<std::size_t>(n)), packed_y(packed_x.size());
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t at = inc < 0 ? (1 - n + k) * inc : k * inc;
      packed_x[static_cast<std::size_t>(k)] = x[at];
      packed_y[static_cast<std::size_t>(k)] = y[at];
    }
    const T *bare_x = inc == 1 ? x : packed_x.data(), *bare_y = inc == 1 ? y : packed_y.data();
    volatile T sink{};
    T mine{};
    const auto bare = [&] { sink = kernel->call(n, bare_x, bare_y); };
    const auto guarded = [&] {
      const runtime::DefaultFloatEnvironment environment;
      sink = kernel->call(n, bare_x, bare_y);
    };
    const auto ours = [&] {
      require_ok(dot(handle_, n, x, inc, y, &mine), handle_);
      sink = mine;
    };
    const auto library = [&] { sink = peer_(static_cast<int>(n), x, inc, y, inc); };
    bare();
    const T wanted = sink;
    ours();
    if (std::memcmp(&wanted, &mine, sizeof(T)) != 0) throw InternalError("other bits");
    int calls = 1;
    while (seconds(ours, calls) < 1e-4) calls *= 2;
    const auto ns = [&](const auto& f) { return seconds(f, calls) / calls * 1e9; };
    std::vector<double> alone, inside, call, over_alone, over_inside, ratio;
    for (int pair = 0; pair < options_.pairs; ++pair) {
      const bool forth = pair % 2 == 0;
      const double first = forth ? ns(bare) : ns(guarded);
      const double c = ns(ours);
      const double second = forth ? ns(guarded) : ns(bare);
      const double b = forth ? first : second, g = forth ? second : first;
      alone.push_back(b);
      inside.push_back(g);
      call.push_back(c);
      over_alone.push_back(c - b);
      over_inside.push_back(c - g);
      if (peer_ != nullptr) ratio.push_back(ns(library) / c);
    }
    fmt::print("{:7} {:>3} {:>6} {:>8.1f} {:>11.1f} {:>8.1f} {:>11.1f} {:>11.1f} {:>13}\n",
               spec::blas_name(spec::Routine::dot, kType), inc, n, median(alone), median(inside),
               median(call), median(over_alone), median(over_inside),
               ratio.empty() ? "-" : fmt::format("{:.2f}", median(ratio)));
  }

  const Options& options_;
  const spec::Spec& spec_;
  const reprosum_handle* const handle_;
  const Peer peer_;
};

void run(const Options& options) {
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  spec::Spec spec = lanes_spec();
  if (!options.spec.empty()) {
    std::ifstream file(options.spec);
    spec = spec::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
  }
  const std::string text = spec::to_json(spec);
  reprosum_handle* handle = nullptr;
  require_ok(reprosum_open_memory(text.data(), text.size(), &handle), nullptr);
  const Handle owned(handle);
  void* const peer = ::dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto find = [&](const char* name) {
    return peer == nullptr ? nullptr : ::dlsym(peer, name);
  };
  fmt::print(
      "routine inc      n   kernel environment     call over kernel    over env  library/call\n");
  Calls<float>(options, spec, handle, reinterpret_cast<Calls<float>::Peer>(find("cblas_sdot")))
      .run();
  Calls<double>(options, spec, handle, reinterpret_cast<Calls<double>::Peer>(find("cblas_ddot")))
      .run();
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  CLI::App app("The cost of a call beyond its kernel.");
  reprosum::bench::Options options;
  app.add_option("--spec", options.spec, "orders of a captured spec");
  app.add_option("--library", options.library)->capture_default_str();
  app.add_option("--pairs", options.pairs)->check(CLI::PositiveNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    reprosum::bench::run(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_calls: {}\n", error.what());
    return 2;
  }
}
