// Speed of generated kernels against the library whose order they replay: one table per core type.
//
//   bench_kernels                                  both instruction sets, orders written by hand
//   bench_kernels --spec FILE --core Haswell       the captured orders of FILE
//
// Every ratio is library time / our time: the median over interleaved repetitions in one process.
#include <dlfcn.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bench/interleaved.h"
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
};

template <class T>
struct Library {
  using Dot = T (*)(int, const T*, int, const T*, int);
  using Sum = T (*)(int, const T*, int);
  Dot dot = nullptr;
  Sum sum = nullptr;
};

template <class T>
std::vector<T> data(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& e : v) e = static_cast<T>(value(random));
  return v;
}

// The order to replay: from the spec, or the one written by hand for this core.
bool find_order(const Options& options, spec::Routine routine, spec::Type type,
                spec::Order& order) {
  if (!options.spec.empty()) {
    std::ifstream file(options.spec);
    std::stringstream text;
    text << file.rdbuf();
    const spec::Spec spec = spec::from_json(text.str());
    spec::Context context;
    context.routine = routine;
    context.type = type;
    context.n = 1000;
    const spec::Entry* entry = spec::find(spec, context);
    if (entry == nullptr) return false;
    order = spec.orders[entry->order];
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

template <class T>
void measure(const Options& options, Isa isa, spec::Routine routine, const Library<T>& library) {
  const spec::Type type = sizeof(T) == 4 ? spec::Type::f32 : spec::Type::f64;
  const bool is_dot = routine == spec::Routine::dot;
  spec::Order order;
  if (is_dot ? library.dot == nullptr : library.sum == nullptr) return;
  if (!find_order(options, routine, type, order)) return;
  std::string why;
  std::shared_ptr<const kernels::Kernel<T>> kernel;
  const double compile_ms =
      1e3 * bench::seconds(
                [&] {
                  kernel = kernels::compile<T>(order, routine, {isa, ""}, &why);
                },
                1);
  std::string line;
  bool same = true;
  for (const std::int64_t n : {1000, 10000, 100000, 10000000}) {
    if (n > kernel->n_max()) {
      line += "       -";
      continue;
    }
    const auto x = data<T>(n, 1), y = data<T>(n, 2);
    volatile T sink;
    const auto theirs = [&] {
      sink = is_dot ? library.dot(static_cast<int>(n), x.data(), 1, y.data(), 1)
                    : library.sum(static_cast<int>(n), x.data(), 1);
    };
    const auto ours = [&] { sink = kernel->call(n, x.data(), y.data()); };
    theirs();
    const T expected = sink;
    ours();
    const T got = sink;
    same = same && std::memcmp(&expected, &got, sizeof(T)) == 0;
    line += fmt::format("  {:6.3f}", bench::speed_ratio(theirs, ours));
  }
  fmt::print("{:28}{}   {}  {:.0f} ms{}\n", kernel->name(), line,
             same ? "equal bits" : "OTHER BITS", compile_ms, why.empty() ? "" : " " + why);
  std::fflush(stdout);
}

// A short order (4 lanes), rows at a time, against the library's own dot row by row.
template <class T>
void measure_batch(Isa isa, const Library<T>& library) {
  const spec::Type type = sizeof(T) == 4 ? spec::Type::f32 : spec::Type::f64;
  for (const auto& named : kernels::test::library_orders()) {
    if (named.name != "4 lanes" || named.type != type || named.routine != spec::Routine::dot)
      continue;
    const auto kernel =
        kernels::compile<T>(spec::parse_order(named.text), named.routine, {isa, ""});
    for (const std::int64_t shared : {1, 0}) {
      std::string line;
      for (const std::int64_t rows : {8, 16}) {
        const std::int64_t n = 512;
        const auto x = data<T>(rows * n, 3), y = data<T>(rows * n, 4);
        std::vector<T> out(static_cast<std::size_t>(rows));
        volatile T sink;
        const std::int64_t ldy = shared != 0 ? 0 : n;
        line += fmt::format("  {:6.3f}",
                            bench::speed_ratio(
                                [&] {
                                  for (std::int64_t i = 0; i < rows; ++i)
                                    sink = library.dot(static_cast<int>(n), x.data() + i * n, 1,
                                                       y.data() + i * ldy, 1);
                                },
                                [&] {
                                  kernel->batch(n, rows, x.data(), n, y.data(), ldy, out.data());
                                  sink = out[0];
                                }));
      }
      fmt::print("{:28}{}   4 lanes, batch of 8 and 16 rows of 512{}\n", kernel->name(), line,
                 shared != 0 ? ", shared y" : "");
      std::fflush(stdout);
    }
  }
}

int run(const Options& options, Isa isa) {
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (!options.core.empty()) ::setenv("OPENBLAS_CORETYPE", options.core.c_str(), 1);
  void* handle = ::dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    fmt::print("cannot open {}: {}\n", options.library, ::dlerror());
    return 2;
  }
  const auto corename =
      reinterpret_cast<const char* (*)()>(::dlsym(handle, "openblas_get_corename"));
  const auto config = reinterpret_cast<const char* (*)()>(::dlsym(handle, "openblas_get_config"));
  fmt::print("\npeer: {} core {} ({})\n", options.library, corename ? corename() : "?",
             config ? config() : "?");
  fmt::print("{:28}  n=10^3    10^4    10^5    10^7\n", "library time / ours");
  const Library<float> single{reinterpret_cast<Library<float>::Dot>(::dlsym(handle, "cblas_sdot")),
                              reinterpret_cast<Library<float>::Sum>(::dlsym(handle, "cblas_ssum"))};
  const Library<double> twice{
      reinterpret_cast<Library<double>::Dot>(::dlsym(handle, "cblas_ddot")),
      reinterpret_cast<Library<double>::Sum>(::dlsym(handle, "cblas_dsum"))};
  for (const spec::Routine routine : {spec::Routine::dot, spec::Routine::sum}) {
    measure<float>(options, isa, routine, single);
    measure<double>(options, isa, routine, twice);
  }
  measure_batch<float>(isa, single);
  measure_batch<double>(isa, twice);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string key = argv[k];
    if (key == "--library") options.library = argv[k + 1];
    if (key == "--core") options.core = argv[k + 1];
    if (key == "--spec") options.spec = argv[k + 1];
  }
  try {
    const auto isas = kernels::host_isas();
    if (!options.spec.empty() || !options.core.empty())
      return run(options,
                 options.core == "SkylakeX" || options.core.empty() ? isas.back() : Isa::avx2);
    // The core type is fixed when the library is loaded, so each gets a process.
    int status = 0;
    for (const Isa isa : isas) {
      if (isa == Isa::interpreter) continue;
      const pid_t child = ::fork();
      if (child == 0) {
        options.core = isa == Isa::avx512 ? "SkylakeX" : "Haswell";
        ::_exit(run(options, isa));
      }
      ::waitpid(child, &status, 0);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
  } catch (const std::exception& error) {
    fmt::print("bench_kernels: {}\n", error.what());
    return 2;
  }
}
