// race_spec SPEC --library LIB [--core CORE]: every routine of a captured spec beside the library
// that it was captured from, in one process, one thread.
//
// A row is one call: library time / ours, the median over interleaved pairs of the thread's own
// time, and whether the bits are the library's. `interpreter` counts the outputs that no kernel
// computes. Each table ends with its median and its least row. With --against-one the peer is ours
// on one thread instead, and the time is the wall's.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/interleaved.h"
#include "bench/peer.h"
#include "bench/race_calls.h"
#include "bench/replay_calls.h"
#include "spec/error.h"

namespace reprosum::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string spec, library = "libopenblas.so.0", core, isa, json;
  std::vector<std::string> only;
  double seconds = 0.1;
  int workers = 1;
  bool against_one = false;
};

Handle open(const Options& options, int workers) {
  Handle made = open_spec(options.spec, options.isa.empty() ? nullptr : options.isa.c_str());
  require_ok(reprosum_set_workers(made.get(), workers), made.get());
  return made;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class T>
class Races {
 public:
  Races(const Options& options, const Peer& peer, const Handle& ours, Json& rows)
      : options_(options), library_(peer), ours_(ours), rows_(rows) {
    if (options.against_one) one_ = open(options, 1);
  }

  void run() {
    for (const std::string& table : tables()) {
      const std::string routine = (sizeof(T) == 4 ? "s" : "d") + table.substr(0, table.find(' '));
      if (!options_.only.empty() &&
          std::find(options_.only.begin(), options_.only.end(), routine) == options_.only.end())
        continue;
      std::vector<double> ratios;
      for (const RaceShape& shape : shapes_of(table)) {
        const double ratio = row(routine + table.substr(table.find(' ')), shape);
        if (ratio > 0) ratios.push_back(ratio);
      }
      if (ratios.empty()) continue;
      fmt::print("{:<20} median {:.2f}, least {:.2f}\n\n", routine + table.substr(table.find(' ')),
                 median(ratios), *std::min_element(ratios.begin(), ratios.end()));
      std::fflush(stdout);
    }
  }

 private:
  // 0: the library or the spec does not have the call.
  double row(const std::string& table, const RaceShape& shape) {
    RaceCall<T> theirs(shape), mine(shape);
    if (!theirs.has(library_)) return 0;
    if (const auto why = mine.ours(ours_.get()); why != REPROSUM_OK) {
      fmt::print("{:<20} {:<24} {}\n", table, shape.text(), reprosum_last_error(ours_.get()));
      return 0;
    }
    theirs.peer(library_);
    const std::size_t differ = mine.differing(theirs);
    const std::string kernels = mine.interpreted(ours_.get());
    const std::function<void()> call = [&] { mine.ours(ours_.get()); };
    std::vector<double> times;
    double ratio = 0;
    const auto run = [&](auto race) {
      while (race.spent_s() < options_.seconds || race.pairs() < 9) times.push_back(race.pair());
      ratio = race.ratio();
    };
    if (options_.against_one)
      run(Interleaved([&] { theirs.ours(one_.get()); }, call));
    else
      run(Interleaved<std::function<void()>, std::function<void()>, ThreadClock>(
          [&] { theirs.peer(library_); }, call));
    fmt::print("{:<20} {:<24} {:>5.2f} {:>11.2f} us  {}{}\n", table, shape.text(), ratio,
               median(times) * 1e6, differ == 0 ? "equal" : fmt::format("{} differ", differ),
               kernels.empty() ? "" : "  " + kernels);
    std::fflush(stdout);
    rows_.push_back({{"core", options_.core},
                     {"table", table},
                     {"call", shape.text()},
                     {"ratio", std::round(ratio * 1000) / 1000},
                     {"microseconds", std::round(median(times) * 1e9) / 1000},
                     {"differ", differ},
                     {"interpreter", kernels}});
    return ratio;
  }

  const Options& options_;
  const RaceLibrary<T> library_;
  const Handle& ours_;
  Handle one_ = nullptr;
  Json& rows_;
};

int run(const Options& options) {
  const Peer peer(options.library, options.core);
  if (const std::string core = peer.text("openblas_get_corename"); !core.empty())
    fmt::print("# {} runs {}\n", options.library, core);
  const Handle ours = open(options, options.workers);
  Json rows = Json::array();
  Races<float>(options, peer, ours, rows).run();
  Races<double>(options, peer, ours, rows).run();
  if (!options.json.empty()) std::ofstream(options.json) << rows.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace reprosum::bench

int main(int argc, char** argv) {
  reprosum::bench::Options options;
  CLI::App app{"Times the kernels of a captured spec against the library it was captured from"};
  app.add_option("spec", options.spec)->required();
  app.add_option("--library", options.library)->capture_default_str();
  app.add_option("--core", options.core, "OPENBLAS_CORETYPE of the library");
  app.add_option("--isa", options.isa, "of ours; default: the best of the host");
  app.add_option("--only", options.only, "routines, such as sgemv,dgemm")->delimiter(',');
  app.add_option("--seconds", options.seconds, "per row")->capture_default_str();
  app.add_option("--workers", options.workers, "threads of ours")->capture_default_str();
  app.add_flag("--against-one", options.against_one, "race ours on one thread, by the wall clock");
  app.add_option("--json", options.json, "a file for the rows");
  CLI11_PARSE(app, argc, argv);
  try {
    return reprosum::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "race_spec: {}\n", error.what());
    return 2;
  }
}
