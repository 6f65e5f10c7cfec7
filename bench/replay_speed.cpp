#include "bench/replay_speed.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "bench/interleaved.h"
#include "reveal/check/random_data.h"
#include "spec/error.h"
#include "src/report/probed_libraries.h"

namespace reprosum::bench {
namespace {

template <class T>
struct Functions {
  using Dot = T (*)(const int*, const T*, const int*, const T*, const int*);
  using Sum = T (*)(int, const T*, int);
  Dot dot = nullptr;
  Sum sum = nullptr;

  Functions(void* library, spec::Routine routine, const std::string& name) {
    if (routine == spec::Routine::dot)
      dot = reinterpret_cast<Dot>(dlsym(library, (name + "_").c_str()));
    else
      sum = reinterpret_cast<Sum>(dlsym(library, ("cblas_" + name).c_str()));
  }
  T call(std::int64_t n, const T* x, const T* y) const {
    const int count = static_cast<int>(n), one = 1;
    return dot != nullptr ? dot(&count, x, &one, y, &one) : sum(count, x, 1);
  }
};

void ours(const Handle& handle, bool dot, std::int64_t n, const float* x, const float* y,
          float* out) {
  require_ok(dot ? reprosum_sdot(handle.get(), n, x, 1, y, 1, out)
                 : reprosum_ssum(handle.get(), n, x, 1, out),
             handle.get());
}

void ours(const Handle& handle, bool dot, std::int64_t n, const double* x, const double* y,
          double* out) {
  require_ok(dot ? reprosum_ddot(handle.get(), n, x, 1, y, 1, out)
                 : reprosum_dsum(handle.get(), n, x, 1, out),
             handle.get());
}

template <class T>
std::string race(void* library, const Handle& kernel, const spec::Entry& entry) {
  const Functions<T> peer(library, entry.routine, spec::blas_name(entry.routine, entry.type));
  if (peer.dot == nullptr && peer.sum == nullptr) return "-";
  constexpr std::int64_t kSizes[] = {1000, 10'000, 100'000};
  reveal::FastRandom random(7);
  std::vector<double> values(2 * kSizes[2]);
  reveal::fill(reveal::Data::ordinary, entry.type, random, values, {});
  const std::vector<T> data(values.begin(), values.end());
  const T *x = data.data(), *y = data.data() + kSizes[2];
  std::string text;
  for (const std::int64_t n : kSizes) {
    if (n > spec::most_summands(entry)) break;
    volatile T sink{};
    const double ratio = speed_ratio([&] { sink = peer.call(n, x, y); },
                                     [&] {
                                       T out{};
                                       ours(kernel, peer.dot != nullptr, n, x, y, &out);
                                       sink = out;
                                     },
                                     0.3);
    text += fmt::format("{}{:.2f}", text.empty() ? "" : " / ", ratio);
  }
  return text;
}

}  // namespace

SpeedPeer::SpeedPeer(const std::string& library) {
  for (const std::string& setting : report::thread_environment(1)) {
    const std::size_t equals = setting.find('=');
    ::setenv(setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str(), 1);
  }
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw EnvironmentError(dlerror());
}

std::string SpeedPeer::ratios(const Handle& kernel, const spec::Entry& entry) const {
  return spec::is_f32(entry.type) ? race<float>(library_, kernel, entry)
                                  : race<double>(library_, kernel, entry);
}

}  // namespace reprosum::bench
