#include "src/cli/probing_arguments.h"

#include <string>

namespace reprosum::cli {
namespace {

std::string is_seconds(const std::string& text) {
  double seconds = 0;
  if (read_seconds(text, seconds)) return "";
  return "\"" + text + "\" is not a number of seconds above 0 and up to 1e9";
}

// CLI11 takes what is too large for the largest.
std::string is_seed(const std::string& text) {
  std::uint64_t seed = 0;
  if (read_seed(text, seed)) return "";
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
                  "seconds for the whole run, in which the cheap routines come first; what is not "
                  "done then is listed, and the exit code is 1; default: as long as it takes")
      ->check(is_seconds);
  verb.add_option("--seed", options.seed, "seed of all random choices; recorded in the output")
      ->check(is_seed)
      ->capture_default_str();
  verb.add_option("--vectors", options.random_vectors,
                  "random vectors replayed per group of contexts")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
      ->capture_default_str();
}

}  // namespace reprosum::cli
