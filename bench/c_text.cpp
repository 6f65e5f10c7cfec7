// bench_c_text SPEC TEXT.so PREFIX: sums and dot products of the compiled C text of a spec, beside
// the generated kernels of this host. A row: time of the kernel / time of the text, the median of
// interleaved pairs.
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "bench/interleaved.h"
#include "kernels/kernel.h"
#include "spec/error.h"
#include "spec/surface.h"

namespace reprosum::bench {
namespace {

constexpr double kSeconds = 0.1;  // of a row

template <class T>
void race(const spec::Spec& spec, const spec::Entry& entry, void* function) {
  const auto kernel = kernels::compile<T>(spec.orders[spec::order_of(entry)], entry.routine,
                                          {kernels::host_isas().back(), ""});
  const bool has_y = entry.routine == spec::Routine::dot;
  std::mt19937_64 random(5);
  std::vector<T> x(1'000'000), y(1'000'000);
  for (auto* v : {&x, &y})
    for (T& value : *v) value = std::normal_distribution<T>()(random);
  std::vector<double> ratios;
  for (const std::int64_t n : {100, 1000, 10'000, 100'000, 1'000'000}) {
    T ours = 0, theirs = 0;
    const auto text = [&] {
      if (has_y)
        reinterpret_cast<int (*)(int, std::int64_t, const T*, std::int64_t, const T*, std::int64_t,
                                 T*)>(function)(1, n, x.data(), 1, y.data(), 1, &theirs);
      else
        reinterpret_cast<int (*)(int, std::int64_t, const T*, std::int64_t, T*)>(function)(
            1, n, x.data(), 1, &theirs);
    };
    const auto generated = [&] { ours = kernel->call(n, x.data(), y.data()); };
    Interleaved<decltype(generated), decltype(text), ThreadClock> both(generated, text);
    while (both.spent_s() < kSeconds) both.pair();
    ratios.push_back(both.ratio());
    fmt::print("{} n = {:<8} {:.2f}{}\n", spec::blas_name(entry.routine, entry.type), n,
               both.ratio(), ours == theirs ? "" : " DIFFERS");
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("{} median {:.2f}, least {:.2f} ({})\n", spec::blas_name(entry.routine, entry.type),
             ratios[ratios.size() / 2], ratios[0], kernel->name());
}

int run(char** arguments) {
  std::ifstream file(arguments[1]);
  std::stringstream json;
  json << file.rdbuf();
  const spec::Spec spec = spec::from_json(json.str());
  void* const text = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  if (text == nullptr) throw EnvironmentError(dlerror());
  for (const spec::Entry& entry : spec.entries) {
    if (spec::has_matrices(entry.routine)) continue;
    const int has_y = entry.routine == spec::Routine::dot;
    if (!spec::admits(entry.guard.increments, 1, has_y)) continue;
    if (entry.guard.threads.front() != 1) continue;
    const std::string name =
        std::string(arguments[3]) + "_" + spec::blas_name(entry.routine, entry.type);
    void* const function = dlsym(text, name.c_str());
    if (function == nullptr) continue;
    if (spec::is_f32(entry.type))
      race<float>(spec, entry, function);
    else
      race<double>(spec, entry, function);
  }
  return 0;
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: bench_c_text SPEC TEXT.so PREFIX\n");
    return 2;
  }
  try {
    return reprosum::bench::run(argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
