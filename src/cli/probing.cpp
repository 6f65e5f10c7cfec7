#include "src/cli/probing.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include "kernels/replay.h"
#include "kernels/replay_matrix.h"
#include "spec/error.h"
#include "src/cli/probed_libraries.h"
#include "src/cli/progress.h"

namespace reprosum::cli {
namespace {

// One batch takes far less; a library that says nothing for so long hangs.
constexpr double kBatchTimeoutSeconds = 20;
// A library of a device compiles its kernels when it is first called.
constexpr double kDeviceTimeoutSeconds = 300;

bool is_on_device(const std::string& target) {
  return target.starts_with("clblast:") || target.starts_with("cublas:");
}

constexpr double kLongestSeconds = 1e9;

// "" for a number that a clock can wait for; nan and inf are none.
std::string is_seconds(const std::string& text) {
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (read.ec == std::errc() && read.ptr == end && seconds > 0 && seconds <= kLongestSeconds)
    return "";
  return "\"" + text + "\" is not a number of seconds above 0 and up to 1e9";
}

// CLI11 takes what is too large for the largest.
std::string is_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seed);
  if (read.ec == std::errc() && read.ptr == end) return "";
  return "\"" + text + "\" is not an integer from 0 to 2^64 - 1";
}

}  // namespace

void add_probing_options(CLI::App& verb, ProbingOptions& options) {
  verb.add_option("--target,-t", options.target,
                  "what is probed: blas:FILE_OR_SONAME (a library with BLAS symbols), "
                  "exec:COMMAND (a program that speaks the probe protocol), "
                  "clblast:[FILE_OR_SONAME][,device=NUMBER] (CLBlast on an OpenCL device) or "
                  "cublas:[FILE_OR_SONAME][,SETTING=VALUE...] (cuBLAS on a CUDA GPU)")
      ->required();
  verb.add_option("--timeout", options.timeout_s,
                  "seconds for the whole run; what is not done then is listed (with less than "
                  "1800 the cheap routines come first)")
      ->check(is_seconds)
      ->capture_default_str();
  verb.add_option("--seed", options.seed, "seed of all random choices; recorded in the output")
      ->check(is_seed)
      ->capture_default_str();
  verb.add_option("--vectors", options.random_vectors,
                  "random vectors replayed per group of contexts")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
      ->capture_default_str();
}

reveal::TargetFactory target_factory(const ProbingOptions& options) {
  constexpr const char* kKinds[] = {"blas:", "exec:", "clblast:", "cublas:"};
  if (std::none_of(std::begin(kKinds), std::end(kKinds),
                   [&](const char* kind) { return options.target.starts_with(kind); }))
    throw UserError("--target \"" + options.target + "\" is none of " + reveal::target_forms());
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

reveal::CaptureOptions capture_options(const ProbingOptions& options) {
  reveal::CaptureOptions out;
  out.time_limit_s = std::min(out.time_limit_s, options.timeout_s);
  // Who gives less time than usual gets what little takes first.
  out.cheap_first = options.timeout_s < ProbingOptions{}.timeout_s;
  using Clock = std::chrono::steady_clock;
  out.is_over = [start = Clock::now(), limit = std::chrono::duration<double>(options.timeout_s)] {
    return Clock::now() - start > limit;
  };
  out.seed = options.seed;
  out.reach.size = kReach;
  out.random_vectors = options.random_vectors;
  out.replay = kernels::replay;
  out.update_replay = kernels::replay_update<reveal::UpdateScalars>;
  out.matrix_replay = kernels::replay_matrix;
  out.progress = terminal_progress();
  return out;
}

}  // namespace reprosum::cli
