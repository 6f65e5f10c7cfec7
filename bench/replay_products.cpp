// replay_products SPEC --target blas:LIB: random calls of gemv and gemm, drawn without a look at
// the spec, through the C API beside the library itself. Every instruction set of the host runs
// with one worker and with three, and the interpreter where it is not too slow. Prints for each
// routine and thread count how much of what was asked is covered, why the rest is not, and how
// many outputs differ. A call that is not covered must say why and leave C as it was.
// Exit code 1 if any bit differs or a refusal is not clean, 2 for trouble.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/random_product.h"
#include "bench/replay_calls.h"
#include "bench/replay_product.h"
#include "kernels/kernel.h"
#include "reveal/check/replay_check.h"
#include "reveal/target.h"
#include "reveal/target/matrix_layout.h"
#include "src/report/arguments.h"
#include "src/report/probed_libraries.h"

namespace reprosum::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kInterpreted = 20'000;  // multiplications

struct Options {
  std::string spec, target, json;
  std::string routines = "sgemv,dgemv,sgemm,dgemm", threads = "1",
              increments = "1:1,..-1:1..,..-1:..-1,1..:..-1,2..:1,1:2..,2..:2..";
  std::int64_t outputs = 1'000'000, calls = 4000, largest = ProductRange{}.largest;
  std::vector<double> alphas;
  std::uint64_t seed = 1;
};

struct Replayer {
  std::string name;
  Handle handle;
  bool slow = false;
  std::int64_t outputs = 0, mismatches = 0;
};

struct Counted {
  std::int64_t calls = 0, covered = 0;
  double share() const {
    return calls == 0 ? 1 : static_cast<double>(covered) / static_cast<double>(calls);
  }
  void add(bool is_covered) {
    ++calls;
    covered += is_covered;
  }
};

struct Result {
  Counted finite, special, small;  // special: NaN and Inf among the data; small: all sizes dense
  std::int64_t outputs = 0, asked_outputs = 0, unclean = 0;
  std::map<std::string, std::int64_t> reasons;  // of refusals, numbers left out
  std::string first_mismatch, first_unclean;
};

std::vector<Replayer> replayers(const std::string& spec) {
  std::vector<Replayer> made;
  for (const kernels::Isa isa : kernels::host_isas()) {
    const char* const name = kernels::name(isa);
    const bool slow = isa == kernels::Isa::interpreter;
    for (const int workers : {1, 3}) {
      if (slow && workers > 1) continue;
      Handle handle = open_spec(spec, name);
      require_ok(reprosum_set_workers(handle.get(), workers), handle.get());
      made.push_back({fmt::format("{}/{}", name, workers), std::move(handle), slow});
    }
  }
  return made;
}

std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c < '0' || c > '9')
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

class Comparison {
 public:
  Comparison(reveal::Target& target, std::vector<Replayer>& with, const ProductRange& range,
             std::uint64_t seed)
      : target_(target), replayers_(with), range_(range), random_(seed) {
    for (Replayer& replayer : with) replayer.outputs = replayer.mismatches = 0;
  }

  void step() {
    const RandomProduct product = draw(range_, random_);
    PlacedProduct placed(product);
    const bool covered = replay_first(product, placed);
    const reveal::Call& call = product.call;
    (product.kind == reveal::Data::special ? result_.special : result_.finite).add(covered);
    if (std::max({call.m, call.n, call.k}) <= range_.dense && product.kind != reveal::Data::special)
      result_.small.add(covered);
    result_.asked_outputs += call.m * call.n;
    if (!covered) return;
    result_.outputs += call.m * call.n;
    const std::vector<double> expected = run(product);
    for (Replayer& replayer : replayers_) {
      if (replayer.slow && call.m * call.n * call.k > kInterpreted) continue;
      require_ok(placed.replay(replayer.handle), replayer.handle.get());
      compare(product, placed, replayer, expected);
    }
  }

  const Result& result() const { return result_; }

 private:
  bool replay_first(const RandomProduct& product, PlacedProduct& placed) {
    const Handle& handle = replayers_.front().handle;
    const reprosum_status status = placed.replay(handle);
    if (status == REPROSUM_OK) return true;
    const std::string why = reprosum_last_error(handle.get());
    if (status != REPROSUM_NOT_COVERED) require_ok(status, handle.get());
    ++result_.reasons[without_numbers(why)];
    if (why.empty() || !placed.untouched()) {
      ++result_.unclean;
      result_.first_unclean = reveal::describe(product.call) + ": " + why;
    }
    return false;
  }

  std::vector<double> run(const RandomProduct& product) {
    reveal::MatrixBatch batch;
    batch.call = product.call;
    batch.alpha = product.alpha;
    batch.beta = product.beta;
    batch.a = product.a;
    batch.b = product.b;
    batch.c = product.c;
    return target_.run_matrix(batch);
  }

  void compare(const RandomProduct& product, const PlacedProduct& placed, Replayer& replayer,
               const std::vector<double>& expected) {
    const std::vector<double> got = placed.result();
    replayer.outputs += static_cast<std::int64_t>(got.size());
    for (std::size_t at = 0; at < got.size(); ++at) {
      if (reveal::same_bits(got[at], expected[at])) continue;
      ++replayer.mismatches;
      if (!result_.first_mismatch.empty()) continue;
      result_.first_mismatch =
          fmt::format("{} alpha={:a} beta={:a} output {}: the target gives {:a}, {} {:a}",
                      reveal::describe(product.call), product.alpha, product.beta, at, expected[at],
                      replayer.name, got[at]);
    }
    if (!placed.gaps_kept()) {
      ++result_.unclean;
      result_.first_unclean =
          fmt::format("{}: {} wrote beside C", reveal::describe(product.call), replayer.name);
    }
  }

  reveal::Target& target_;
  std::vector<Replayer>& replayers_;
  const ProductRange& range_;
  reveal::FastRandom random_;
  Result result_;
};

Json to_json(const std::string& routine, int threads, const Result& result,
             const std::vector<Replayer>& with, double seconds) {
  const auto counted = [](const Counted& calls) {
    return Json{{"calls", calls.calls}, {"covered", calls.covered}};
  };
  Json document{{"routine", routine},
                {"threads", threads},
                {"finite", counted(result.finite)},
                {"special", counted(result.special)},
                {"small", counted(result.small)},
                {"outputs", result.outputs},
                {"unclean", result.unclean},
                {"seconds", seconds}};
  for (const auto& [reason, count] : result.reasons) document["reasons"][reason] = count;
  for (const Replayer& replayer : with)
    document["kernels"][replayer.name] = {{"outputs", replayer.outputs},
                                          {"mismatches", replayer.mismatches}};
  return document;
}

// Gives the number of outputs that differ and of refusals that are not clean.
std::int64_t print_row(const std::string& routine, int threads, const Result& result,
                       const std::vector<Replayer>& with, double seconds) {
  std::int64_t bad = result.unclean;
  fmt::print(
      "{} threads={}: {} calls, {:.2f} % covered ({:.2f} % of {} small, {:.2f} % of {} with "
      "Inf or NaN), {} outputs, {:.0f} s;",
      routine, threads, result.finite.calls + result.special.calls, 100 * result.finite.share(),
      100 * result.small.share(), result.small.calls, 100 * result.special.share(),
      result.special.calls, result.outputs, seconds);
  for (const Replayer& replayer : with) {
    fmt::print(" {} {}/{}", replayer.name, replayer.mismatches, replayer.outputs);
    bad += replayer.mismatches;
  }
  fmt::print(" differ\n");
  for (const auto& [reason, count] : result.reasons) fmt::print("  {} x {}\n", count, reason);
  if (!result.first_mismatch.empty()) fmt::print("  differs: {}\n", result.first_mismatch);
  if (!result.first_unclean.empty()) fmt::print("  unclean: {}\n", result.first_unclean);
  std::fflush(stdout);
  return bad;
}

int run(const Options& options) {
  std::vector<Replayer> with = replayers(options.spec);
  Json rows = Json::array();
  std::int64_t bad = 0;
  for (const int threads : report::parse_threads(options.threads)) {
    reveal::TargetOptions target_options;
    target_options.environment = report::thread_environment(threads);
    target_options.thread_setters = report::thread_setters();
    target_options.threads = threads;
    const auto target = reveal::open_target(options.target, target_options);
    for (const Replayer& replayer : with)
      require_ok(reprosum_set_threads(replayer.handle.get(), threads), replayer.handle.get());
    for (const auto& [routine, type] : report::parse_routines(options.routines)) {
      ProductRange range;
      range.routine = routine;
      range.type = type;
      range.increments = report::parse_increments(options.increments);
      range.largest = options.largest;
      range.alphas = options.alphas;
      // A device's operands begin where its memory does.
      range.any_address =
          options.target.starts_with("blas:") || options.target.starts_with("exec:");
      const std::string name = spec::blas_name(routine, type);
      const auto start = std::chrono::steady_clock::now();
      const std::uint64_t seed = options.seed * 1000 + static_cast<std::uint64_t>(threads) * 16 +
                                 static_cast<std::uint64_t>(routine) * 4 +
                                 (spec::is_f32(type) ? 0 : 1);
      Comparison comparison(*target, with, range, seed);
      const Result& result = comparison.result();
      // Where little is covered, twice as many calls are asked and not more.
      for (std::int64_t calls = 0;
           (calls < options.calls || result.outputs < options.outputs) &&
           (calls < 2 * options.calls || result.asked_outputs < 2 * options.outputs);
           ++calls)
        comparison.step();
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      bad += print_row(name, threads, result, with, spent.count());
      rows.push_back(to_json(name, threads, result, with, spent.count()));
    }
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << Json{{"schema", "reprosum-products/1"},
                 {"target", options.target},
                 {"seed", options.seed},
                 {"rows", rows}}
                .dump(1)
         << '\n';
    if (!file) throw EnvironmentError("cannot write " + options.json);
  }
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  CLI::App app{"Replays random products beside the library that a spec was captured from"};
  reprosum::bench::Options options;
  app.add_option("spec", options.spec)->required();
  app.add_option("--target", options.target,
                 "as of reprosum capture: blas:<path or soname>, clblast:")
      ->required();
  app.add_option("--routines", options.routines)->capture_default_str();
  app.add_option("--threads", options.threads)->capture_default_str();
  app.add_option("--increments", options.increments, "of gemv")->capture_default_str();
  app.add_option("--outputs", options.outputs, "random outputs per routine and thread count")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--calls", options.calls, "at least so many calls")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--largest", options.largest, "of m, n and k")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--alphas", options.alphas,
                 "comma-separated values of alpha; default: 0, 1, -1 and random ones")
      ->delimiter(',');
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--json", options.json, "also write one object per row to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    return reprosum::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay_products: {}\n", error.what());
    return 2;
  }
}
