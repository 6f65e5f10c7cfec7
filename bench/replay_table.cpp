// replay_table SPEC --target blas:LIB: replays a captured spec with generated kernels and with the
// interpreter beside the library itself and prints one row per routine:
//   routine, core, order, sizes covered, vectors checked, mismatches, speed ratio.
// Bits are compared with the target in its own process (exec: targets too); for the speed a blas:
// target is loaded into this one. The environment (OPENBLAS_CORETYPE, ...) chooses the core as it
// did for the capture. Exit code 1 if any bit differs.
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
#include <span>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "reprosum/reprosum.h"
#include "reveal/capture/random_data.h"
#include "reveal/target.h"
#include "spec/error.h"
#include "spec/spec.h"
#include "spec/surface.h"

namespace reprosum::bench {
namespace {

constexpr std::int64_t kPool = std::int64_t{1} << 21;  // summands; vectors are slices of it
constexpr std::int64_t kLargest = 1'000'000;

struct Options {
  std::string spec, target;
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

// One routine of one type, with unit increments: the C API, and the library in this process.
template <class T>
struct Sides {
  using Dot = T (*)(const int*, const T*, const int*, const T*, const int*);
  using Sum = T (*)(int, const T*, int);
  bool is_dot = false;
  Dot dot = nullptr;
  Sum sum = nullptr;

  T peer(std::int64_t n, const T* x, const T* y) const {
    const int count = static_cast<int>(n), one = 1;
    return is_dot ? dot(&count, x, &one, y, &one) : sum(count, x, 1);
  }
  T ours(const Handle& handle, std::int64_t n, const T* x, const T* y) const {
    T out{};
    reprosum_status status;
    if constexpr (sizeof(T) == 4) {
      status = is_dot ? reprosum_sdot(handle.get(), n, x, 1, y, 1, &out)
                      : reprosum_ssum(handle.get(), n, x, 1, &out);
    } else {
      status = is_dot ? reprosum_ddot(handle.get(), n, x, 1, y, 1, &out)
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
std::int64_t draw_size(reveal::FastRandom& random, std::int64_t largest) {
  const std::int64_t kind = random.below(1000);
  const double top = std::log(static_cast<double>(kind < 700   ? 2000
                                                  : kind < 995 ? 20000
                                                               : largest));
  return std::min(largest, static_cast<std::int64_t>(std::exp(random.unit() * top)));
}

// The same data for both sides: as doubles for the target, as T for us.
template <class T>
struct Pool {
  std::vector<double> x, y;
  std::vector<T> own_x, own_y;
};

template <class T>
Pool<T> pool(spec::Type type, int kind, reveal::FastRandom& random) {
  Pool<T> data{std::vector<double>(kPool), std::vector<double>(kPool), {}, {}};
  reveal::fill(static_cast<reveal::Data>(kind), type, random, data.x, data.y);
  data.own_x.assign(data.x.begin(), data.x.end());
  data.own_y.assign(data.y.begin(), data.y.end());
  return data;
}

int residue(const void* pointer) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % 64);
}

struct Count {
  std::int64_t vectors = 0, kernel_mismatches = 0, interpreter_mismatches = 0;
};

template <class T>
Count compare(const Sides<T>& sides, const spec::Entry& entry, reveal::Target& target,
              const Handle& kernel, const Handle& interpreter, const Options& options) {
  Count count;
  reveal::FastRandom random(options.seed);
  const std::int64_t largest = std::min(entry.n_max, kLargest);
  const bool places = options.target.starts_with("blas:");  // exec: targets choose addresses
  Pool<T> data;
  for (std::int64_t v = 0; v < options.vectors; ++v) {
    const std::int64_t per_pool = (options.vectors + 9) / 10;
    if (v % per_pool == 0)
      data = pool<T>(entry.type, static_cast<int>(v / per_pool) % reveal::kDataKinds, random);
    // The last few sizes are the largest ones themselves.
    const std::int64_t n =
        v >= options.vectors - 8 ? largest - (options.vectors - 1 - v) : draw_size(random, largest);
    const std::int64_t at_x = random.below(kPool - n + 1), at_y = random.below(kPool - n + 1);
    const T* const x = data.own_x.data() + at_x;
    const T* const y = data.own_y.data() + at_y;
    reveal::Batch batch;
    batch.call = {entry.routine,
                  entry.type,
                  n,
                  1,
                  1,
                  places ? residue(x) : 0,
                  places && sides.is_dot ? residue(y) : 0};
    batch.x =
        std::span(data.x).subspan(static_cast<std::size_t>(at_x), static_cast<std::size_t>(n));
    if (sides.is_dot)
      batch.y =
          std::span(data.y).subspan(static_cast<std::size_t>(at_y), static_cast<std::size_t>(n));
    const double expected = target.run(batch).at(0);
    count.kernel_mismatches += !same(sides.ours(kernel, n, x, y), expected);
    count.interpreter_mismatches += !same(sides.ours(interpreter, n, x, y), expected);
    ++count.vectors;
  }
  return count;
}

template <class T>
std::string ratios(const Sides<T>& sides, const spec::Entry& entry, const Handle& kernel) {
  reveal::FastRandom random(7);
  const Pool<T> data = pool<T>(entry.type, 0, random);
  const std::vector<T>&x = data.own_x, &y = data.own_y;
  std::string text;
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{10000}, std::int64_t{100000}}) {
    if (n > entry.n_max) break;
    volatile T sink{};
    const double ratio =
        speed_ratio([&] { sink = sides.peer(n, x.data(), y.data()); },
                    [&] { sink = sides.ours(kernel, n, x.data(), y.data()); }, 0.3);
    text += fmt::format("{}{:.2f}", text.empty() ? "" : " / ", ratio);
  }
  return text;
}

template <class T>
bool row(const spec::Spec& spec, const spec::Entry& entry, reveal::Target& target, void* library,
         const std::string& core, const Options& options) {
  Sides<T> sides;
  sides.is_dot = entry.routine == spec::Routine::dot;
  const std::string name = spec::blas_name(entry.routine, entry.type);
  bool timed = false;
  if (library != nullptr && sides.is_dot) {
    sides.dot = reinterpret_cast<typename Sides<T>::Dot>(dlsym(library, (name + "_").c_str()));
    timed = sides.dot != nullptr;
  } else if (library != nullptr) {
    sides.sum = reinterpret_cast<typename Sides<T>::Sum>(dlsym(library, ("cblas_" + name).c_str()));
    timed = sides.sum != nullptr;
  }
  const Handle kernel = open(options.spec, nullptr),
               interpreter = open(options.spec, "interpreter");
  const Count count = compare(sides, entry, target, kernel, interpreter, options);
  fmt::print("{:<6}{:<12}{:<58}{:>12}{:>10}{:>9}{:>15}  {}\n", name, core,
             spec::describe(spec.orders[entry.order]), fmt::format("1..{}", entry.n_max),
             count.vectors, count.kernel_mismatches, count.interpreter_mismatches,
             timed ? ratios(sides, entry, kernel) : "-");
  std::fflush(stdout);
  return count.kernel_mismatches == 0 && count.interpreter_mismatches == 0;
}

int run(const Options& options) {
  std::ifstream file(options.spec);
  if (!file) throw UserError("cannot read " + options.spec);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const spec::Spec spec = spec::from_json(text);
  const auto target = reveal::open_target(options.target);
  void* library = nullptr;
  std::string core = "-";
  if (options.target.starts_with("blas:") && options.speed) {
    library = dlopen(options.target.c_str() + 5, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw EnvironmentError(dlerror());
    using Name = const char* (*)();
    if (const auto ask = reinterpret_cast<Name>(dlsym(library, "openblas_get_corename")))
      core = ask();
  }
  if (options.header)
    fmt::print("{:<6}{:<12}{:<58}{:>12}{:>10}{:>9}{:>15}  {}\n", "", "core", "order", "sizes",
               "vectors", "differ", "(interpreter)", "speed, n = 1e3 / 1e4 / 1e5");
  bool equal = true;
  int rows = 0;
  for (const spec::Entry& entry : spec.entries) {
    const std::pair<std::int64_t, std::int64_t> unit{1,
                                                     entry.routine == spec::Routine::sum ? 0 : 1};
    const auto& guard = entry.guard;
    if (std::count(guard.increments.begin(), guard.increments.end(), unit) == 0 ||
        std::count(guard.threads.begin(), guard.threads.end(), 1) == 0)
      continue;
    ++rows;
    equal = (entry.type == spec::Type::f32
                 ? row<float>(spec, entry, *target, library, core, options)
                 : row<double>(spec, entry, *target, library, core, options)) &&
            equal;
  }
  if (rows == 0) throw UserError(options.spec + " has no entry for one thread and unit increments");
  return equal ? 0 : 1;
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  CLI::App app{"Replays a spec beside the library it was captured from"};
  reprosum::bench::Options options;
  app.add_option("spec", options.spec)->required();
  app.add_option("--target", options.target, "blas:<path or soname> or exec:<command>")->required();
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
