#include "src/report/probing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>

#include "spec/error.h"
#include "src/base/nearest.h"
#include "src/report/probed_libraries.h"

namespace reprosum::report {
namespace {

// One batch takes a second at most, on a busy machine many times that; a library that says nothing
// for so long hangs.
constexpr double kBatchTimeoutSeconds = 120;
// A library of a device compiles its kernels when it is first called.
constexpr double kDeviceTimeoutSeconds = 300;

bool is_on_device(const std::string& target) {
  return target.starts_with("clblast:") || target.starts_with("cublas:");
}

constexpr double kLongestSeconds = 1e9;

// What was meant by a target of no kind: a library without its kind, or a kind misspelt.
std::string meant(const std::string& target) {
  const std::size_t colon = target.find(':');
  const std::string kind = target.substr(0, colon);
  if (colon == std::string::npos || kind.find('/') != std::string::npos)
    return target.find(".so") == std::string::npos ? "" : "; did you mean blas:" + target + "?";
  const std::array<std::string_view, 4> kinds = {"blas", "exec", "clblast", "cublas"};
  const std::string near = base::nearest(kind, kinds);
  return near.empty() ? "" : "; did you mean " + near + target.substr(colon) + "?";
}

}  // namespace

reveal::TargetFactory target_factory(const ProbingOptions& options) {
  if (options.open) return options.open;
  constexpr const char* kKinds[] = {"blas:", "exec:", "clblast:", "cublas:"};
  if (std::none_of(std::begin(kKinds), std::end(kKinds),
                   [&](const char* kind) { return options.target.starts_with(kind); }))
    throw UserError("the target \"" + options.target + "\" is none of " + reveal::target_forms() +
                    meant(options.target));
  return [options](int threads) {
    reveal::TargetOptions target;
    target.timeout_s =
        std::min(is_on_device(options.target) ? kDeviceTimeoutSeconds : kBatchTimeoutSeconds,
                 options.timeout_s);
    target.environment = thread_environment(threads);
    target.identity_symbols = identity_symbols();
    target.thread_setters = thread_setters();
    target.threads = threads;
    return reveal::open_target(options.target, target);
  };
}

reveal::CaptureOptions capture_options(const ProbingOptions& options, const Watch& watch) {
  reveal::CaptureOptions out;
  // Who gives a time gets what little takes first.
  out.cheap_first = options.timeout_s < ProbingOptions{}.timeout_s;
  using Clock = std::chrono::steady_clock;
  out.is_over = [start = Clock::now(), limit = std::chrono::duration<double>(options.timeout_s),
                 ended = watch.is_over] {
    return Clock::now() - start > limit || (ended && ended());
  };
  out.seed = options.seed;
  out.reach.size = kReach;
  out.random_vectors = options.random_vectors;
  out.progress = watch.progress;
  if (options.is_quick) {
    // Some data of each kind: a library that changed its order fails in the first vectors. A longer
    // run would add rare sizes and long products.
    out.random_vectors = std::min<std::int64_t>(out.random_vectors, 100);
    out.every_size_to = 300;
    out.matrix_work = 2e6;
    out.reach.size = 0;
  }
  return out;
}

bool read_seconds(const std::string& text, double& seconds) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  // A number that a clock can wait for; nan and inf are none.
  return read.ec == std::errc() && read.ptr == end && seconds > 0 && seconds <= kLongestSeconds;
}

bool read_seed(const std::string& text, std::uint64_t& seed) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace reprosum::report
