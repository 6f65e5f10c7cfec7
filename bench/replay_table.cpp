// replay_table SPEC --library LIB: replays a captured spec with generated kernels and with the
// interpreter beside the library itself and prints one row per routine:
//   routine, core, order, sizes covered, vectors checked, mismatches, speed ratio.
// The library is the peer, loaded in this process; the environment (OPENBLAS_CORETYPE, ...) chooses
// its core as it did for the capture. Exit code 1 if any bit differs.
#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "reprosum/reprosum.h"
#include "reveal/capture/random_data.h"
#include "spec/spec.h"
#include "spec/surface.h"

namespace reprosum::bench {
namespace {

constexpr std::int64_t kPool = std::int64_t{1} << 21;  // summands; vectors are slices of it
constexpr std::int64_t kLargest = 1'000'000;

struct Options {
  std::string spec, library;
  std::int64_t vectors = 100'000;
  std::uint64_t seed = 1;
  bool header = true, speed = true;
};

struct Close {
  void operator()(reprosum_handle* handle) const { reprosum_close(handle); }
};
using Handle = std::unique_ptr<reprosum_handle, Close>;

Handle open(const std::string& path, const char* isa) {
  reprosum_handle* handle = nullptr;
  if (reprosum_open_file(path.c_str(), &handle) != REPROSUM_OK)
    throw UserError(reprosum_last_error(nullptr));
  Handle owned(handle);
  if (isa != nullptr && reprosum_set_isa(handle, isa) != REPROSUM_OK)
    throw EnvironmentError(reprosum_last_error(handle));
  return owned;
}

// One routine of one type on both sides, with unit increments.
template <class T>
struct Sides {
  using Dot = T (*)(const int*, const T*, const int*, const T*, const int*);
  using Sum = T (*)(int, const T*, int);
  Dot dot = nullptr;
  Sum sum = nullptr;

  T peer(std::int64_t n, const T* x, const T* y) const {
    const int count = static_cast<int>(n), one = 1;
    return dot != nullptr ? dot(&count, x, &one, y, &one) : sum(count, x, 1);
  }
  T ours(const Handle& handle, std::int64_t n, const T* x, const T* y) const {
    T out{};
    reprosum_status status;
    if constexpr (sizeof(T) == 4) {
      status = dot != nullptr ? reprosum_sdot(handle.get(), n, x, 1, y, 1, &out)
                              : reprosum_ssum(handle.get(), n, x, 1, &out);
    } else {
      status = dot != nullptr ? reprosum_ddot(handle.get(), n, x, 1, y, 1, &out)
                              : reprosum_dsum(handle.get(), n, x, 1, &out);
    }
    if (status != REPROSUM_OK) throw UserError(reprosum_last_error(handle.get()));
    return out;
  }
};

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// Sizes 1..kLargest, the small ones often: most sizes below a thousand occur, large ones some
// hundred times.
std::int64_t draw_size(reveal::Random& random, std::int64_t largest) {
  const std::int64_t kind = random.below(1000);
  const double top = std::log(static_cast<double>(kind < 700   ? 2000
                                                  : kind < 995 ? 20000
                                                               : largest));
  return std::min(largest, static_cast<std::int64_t>(std::exp(random.unit() * top)));
}

template <class T>
std::pair<std::vector<T>, std::vector<T>> pool(spec::Type type, int kind, reveal::Random& random) {
  std::vector<double> x(kPool), y(kPool);
  reveal::fill(static_cast<reveal::Data>(kind), type, random, x, y);
  return {std::vector<T>(x.begin(), x.end()), std::vector<T>(y.begin(), y.end())};
}

struct Count {
  std::int64_t vectors = 0, kernel_mismatches = 0, interpreter_mismatches = 0;
};

template <class T>
Count compare(const Sides<T>& sides, const spec::Entry& entry, const Handle& kernel,
              const Handle& interpreter, const Options& options) {
  Count count;
  reveal::Random random(options.seed);
  const std::int64_t largest = std::min(entry.n_max, kLargest);
  std::vector<T> x, y;
  for (std::int64_t v = 0; v < options.vectors; ++v) {
    const std::int64_t per_pool = (options.vectors + 9) / 10;
    if (v % per_pool == 0)
      std::tie(x, y) =
          pool<T>(entry.type, static_cast<int>(v / per_pool) % reveal::kDataKinds, random);
    // The last few sizes are the largest ones themselves.
    const std::int64_t n =
        v >= options.vectors - 8 ? largest - (options.vectors - 1 - v) : draw_size(random, largest);
    const T* const xs = x.data() + random.below(kPool - n + 1);
    const T* const ys = y.data() + random.below(kPool - n + 1);
    const T expected = sides.peer(n, xs, ys);
    count.kernel_mismatches += !same(sides.ours(kernel, n, xs, ys), expected);
    count.interpreter_mismatches += !same(sides.ours(interpreter, n, xs, ys), expected);
    ++count.vectors;
  }
  return count;
}

template <class T>
std::string ratios(const Sides<T>& sides, const spec::Entry& entry, const Handle& kernel) {
  reveal::Random random(7);
  auto [x, y] = pool<T>(entry.type, 0, random);
  std::string text;
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{10000}, std::int64_t{100000}}) {
    if (n > entry.n_max) break;
    volatile T sink{};
    const int inner = static_cast<int>(std::max<std::int64_t>(1, 400000 / n));
    const double ratio = speed_ratio(
        61, inner, [&] { sink = sides.peer(n, x.data(), y.data()); },
        [&] { sink = sides.ours(kernel, n, x.data(), y.data()); });
    text += fmt::format("{}{:.2f}", text.empty() ? "" : " / ", ratio);
  }
  return text;
}

template <class T>
bool row(const spec::Spec& spec, const spec::Entry& entry, void* library, const std::string& core,
         const Options& options) {
  Sides<T> sides;
  const std::string name = spec::blas_name(entry.routine, entry.type);
  if (entry.routine == spec::Routine::dot) {
    sides.dot = reinterpret_cast<typename Sides<T>::Dot>(dlsym(library, (name + "_").c_str()));
  } else {
    sides.sum = reinterpret_cast<typename Sides<T>::Sum>(dlsym(library, ("cblas_" + name).c_str()));
  }
  if (sides.dot == nullptr && sides.sum == nullptr)
    throw EnvironmentError(options.library + " has no " + name);
  const Handle kernel = open(options.spec, nullptr),
               interpreter = open(options.spec, "interpreter");
  const Count count = compare(sides, entry, kernel, interpreter, options);
  fmt::print("{:<6}{:<12}{:<58}{:>12}{:>10}{:>9}{:>13}  {}\n", name, core,
             spec::describe(spec.orders[entry.order]), fmt::format("1..{}", entry.n_max),
             count.vectors, count.kernel_mismatches, count.interpreter_mismatches,
             options.speed ? ratios(sides, entry, kernel) : "-");
  std::fflush(stdout);
  return count.kernel_mismatches == 0 && count.interpreter_mismatches == 0;
}

int run(const Options& options) {
  std::ifstream file(options.spec);
  if (!file) throw UserError("cannot read " + options.spec);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const spec::Spec spec = spec::from_json(text);
  void* library = dlopen(options.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw EnvironmentError(dlerror());
  std::string core = "-";
  using Name = const char* (*)();
  if (const auto ask = reinterpret_cast<Name>(dlsym(library, "openblas_get_corename")))
    core = ask();
  if (options.header)
    fmt::print("{:<6}{:<12}{:<58}{:>12}{:>10}{:>9}{:>13}  {}\n", "", "core", "order", "sizes",
               "vectors", "differ", "(interpreter)", "speed, n = 1e3 / 1e4 / 1e5");
  bool equal = true;
  for (const spec::Entry& entry : spec.entries) {
    const std::pair<std::int64_t, std::int64_t> unit{1,
                                                     entry.routine == spec::Routine::sum ? 0 : 1};
    const auto& guard = entry.guard;
    if (std::count(guard.increments.begin(), guard.increments.end(), unit) == 0 ||
        std::count(guard.threads.begin(), guard.threads.end(), 1) == 0)
      continue;
    equal = (entry.type == spec::Type::f32 ? row<float>(spec, entry, library, core, options)
                                           : row<double>(spec, entry, library, core, options)) &&
            equal;
  }
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  CLI::App app{"Replays a spec beside the library it was captured from"};
  reprosum::bench::Options options;
  app.add_option("spec", options.spec)->required();
  app.add_option("--library", options.library, "path or soname of the peer")->required();
  app.add_option("--vectors", options.vectors, "random vectors per routine")->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_flag("!--no-header", options.header);
  app.add_flag("!--no-speed", options.speed);
  CLI11_PARSE(app, argc, argv);
  try {
    return reprosum::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay_table: {}\n", error.what());
    return 2;
  }
}
