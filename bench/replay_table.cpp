// replay_table SPEC --target blas:LIB: replays every context of a captured spec through the C API,
// with generated kernels and with the interpreter, beside the library itself, and prints one row
// per routine and thread count:
//   routine, threads, core, order at unit increments, sizes covered, contexts, vectors checked,
//   mismatches, kernels that ran (contexts of each kind if there are several), speed ratio.
// Bits are compared with the target in its own process (exec: targets too), opened with the row's
// number of threads; for the speed a blas: target is loaded into this one. The environment
// (OPENBLAS_CORETYPE, ...) chooses the core as it did for the capture. Exit code 1 if any bit
// differs, 2 for trouble.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/replay_calls.h"
#include "bench/replay_compare.h"
#include "bench/replay_contexts.h"
#include "bench/replay_speed.h"
#include "kernels/kernel.h"
#include "reveal/target.h"
#include "spec/error.h"
#include "spec/spec.h"
#include "spec/surface.h"
#include "src/report/probed_libraries.h"

namespace reprosum::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string spec, target, json;
  std::int64_t vectors = 100'000, sizes = INT64_MAX;
  std::uint64_t seed = 1;
  bool header = true, speed = true;
};

using Targets = std::map<int, std::unique_ptr<reveal::Target>>;

// One process per captured thread count, opened as the capture opens it.
Targets open_targets(const std::vector<ReplayRow>& rows, const std::string& name) {
  Targets targets;
  for (const ReplayRow& row : rows) {
    auto& target = targets[row.threads];
    if (target) continue;
    reveal::TargetOptions options;
    options.environment = report::thread_environment(row.threads);
    options.identity_symbols = report::identity_symbols();
    options.thread_setters = report::thread_setters();
    options.threads = row.threads;
    target = reveal::open_target(name, options);
  }
  return targets;
}

// What the library itself says that it runs.
std::string core_of(reveal::Target& target) {
  for (const auto& [key, value] : target.identity())
    if (key.ends_with("_get_corename")) return value;
  return "-";
}

// "avx512", or "avx512 10, avx512 in part 2": contexts by what replays them. A kernel in part
// leaves some sizes, or some pieces of a split, to the interpreter.
std::string kernels_text(const ReplayRow& row, const std::vector<ContextResult>& results) {
  std::map<std::string, std::int64_t> counts;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const RanKernel& kernel = results[k].kernel;
    const bool in_part = kernel.isa != "interpreter" && !kernel.left_out.empty();
    counts[kernel.isa + (in_part ? " in part" : "")] += row.contexts[k].count();
  }
  if (counts.size() == 1) return counts.begin()->first;
  std::string text;
  for (const auto& [kind, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, count);
  return text;
}

Json to_json(const ReplayContext& context, const ContextResult& result) {
  return {{"routine", spec::blas_name(context.entry->routine, context.entry->type)},
          {"threads", context.threads},
          {"increments", spec::text_of(context.increments, true)},
          {"contexts", context.count()},
          {"n_max", spec::most_summands(*context.entry)},
          {"vectors", result.vectors},
          {"mismatches", result.kernel_mismatches},
          {"interpreter_mismatches", result.interpreter_mismatches},
          {"kernel", result.kernel.name},
          {"isa", result.kernel.isa},
          {"interpreted", result.kernel.left_out}};
}

void print_header() {
  fmt::print("{:<6}{:>3}  {:<12}{:<58}{:>12}{:>9}{:>9}{:>8}{:>15}  {:<30}{}\n", "", "thr", "core",
             "order at unit increments", "sizes", "contexts", "vectors", "differ", "(interpreter)",
             "kernels", "speed, n = 1e3 / 1e4 / 1e5");
}

// Gives the number of mismatches.
std::int64_t print_row(const spec::Spec& spec, const ReplayRow& row, const std::string& core,
                       const std::vector<ContextResult>& results, const std::string& speed) {
  std::int64_t contexts = 0, vectors = 0, kernel = 0, interpreter = 0;
  for (std::size_t k = 0; k < results.size(); ++k) {
    contexts += row.contexts[k].count();
    vectors += results[k].vectors;
    kernel += results[k].kernel_mismatches;
    interpreter += results[k].interpreter_mismatches;
  }
  const spec::Entry& first = *row.contexts.front().entry;
  fmt::print("{:<6}{:>3}  {:<12}{:<58}{:>12}{:>9}{:>9}{:>8}{:>15}  {:<30}{}\n",
             spec::blas_name(row.routine, row.type), row.threads, core,
             row.contexts.front().unit() ? spec::describe(spec.orders[spec::order_of(first)]) : "-",
             fmt::format("1..{}", spec::most_summands(first)), contexts, vectors, kernel,
             interpreter, kernels_text(row, results), speed);
  std::fflush(stdout);
  for (const ContextResult& result : results)
    if (!result.first_mismatch.empty())
      fmt::print(stderr, "replay_table: {}\n", result.first_mismatch);
  return kernel + interpreter;
}

void write_json(const Options& options, const std::string& core, const Json& contexts,
                double seconds) {
  std::ofstream file(options.json);
  Json isas = Json::array();
  for (const kernels::Isa isa : kernels::host_isas()) isas.push_back(kernels::name(isa));
  const Json document{{"schema", "reprosum-replay/1"},
                      {"target", options.target},
                      {"core", core},
                      {"host_isas", isas},
                      {"seed", options.seed},
                      {"seconds", seconds},
                      {"contexts", contexts}};
  file << document.dump(1) << '\n';
  if (!file) throw EnvironmentError("cannot write " + options.json);
}

int run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  std::ifstream file(options.spec);
  if (!file) throw UserError("cannot read " + options.spec);
  const spec::Spec spec = spec::from_json(std::string{std::istreambuf_iterator<char>(file), {}});
  const std::vector<ReplayRow> rows = replay_rows(spec, options.vectors);
  if (rows.empty()) throw UserError(options.spec + " has no entry");
  const Targets targets = open_targets(rows, options.target);
  const std::string core = core_of(*targets.begin()->second);
  const bool is_library = options.target.starts_with("blas:");
  std::optional<SpeedPeer> peer;
  if (is_library && options.speed) peer.emplace(options.target.substr(5));
  const Handle kernel = open_spec(options.spec, nullptr);
  const Handle interpreter = open_spec(options.spec, "interpreter");

  if (options.header) print_header();
  Json contexts = Json::array();
  std::int64_t mismatches = 0;
  for (const ReplayRow& row : rows) {
    for (const Handle* handle : {&kernel, &interpreter})
      require_ok(reprosum_set_threads(handle->get(), row.threads), handle->get());
    const Sides sides{*targets.at(row.threads), is_library, kernel, interpreter};
    const auto results = compare(sides, spec, row, options.seed, options.sizes);
    const bool timed = peer && row.threads == 1 && row.contexts.front().unit();
    mismatches += print_row(spec, row, core, results,
                            timed ? peer->ratios(kernel, *row.contexts.front().entry) : "-");
    for (std::size_t k = 0; k < results.size(); ++k)
      contexts.push_back(to_json(row.contexts[k], results[k]));
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (!options.json.empty()) write_json(options, core, contexts, spent.count());
  return mismatches == 0 ? 0 : 1;
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  CLI::App app{"Replays every context of a spec beside the library it was captured from"};
  reprosum::bench::Options options;
  app.add_option("spec", options.spec)->required();
  app.add_option("--target", options.target, "blas:<path or soname> or exec:<command>")->required();
  app.add_option("--vectors", options.vectors, "random vectors per routine")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--sizes", options.sizes,
                 "different sizes for each context, where the target makes code for each; default: "
                 "any number")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--json", options.json, "also write one object per context to this file");
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
