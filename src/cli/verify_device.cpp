#include "src/cli/verify_device.h"

#include <fmt/core.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "kernels/device/open_device.h"
#include "spec/conditions.h"
#include "spec/error.h"
#include "spec/json.h"
#include "src/cli/device_check.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/entries.h"
#include "src/runtime/cache_directory.h"

namespace reprosum::cli {
namespace {

kernels::device::Dialect dialect_of(const std::string& backend) {
  for (const auto dialect : {kernels::device::Dialect::opencl, kernels::device::Dialect::cuda})
    if (backend == kernels::device::name(dialect)) return dialect;
  throw UserError("--backend \"" + backend + "\" is neither opencl nor cuda");
}

const char* verdict(const DeviceReport& report) {
  if (report.first) return "differs";
  if (report.why_not.empty()) return "holds";
  return report.outputs > 0 ? "holds in part" : "not tested";
}

std::string text_of(const spec::Entry& entry, const DeviceReport& report) {
  std::string out =
      fmt::format("{:<13} {}  {}: {}\n", verdict(report), routine_name(entry),
                  spec::describe(entry.guard, entry.routine), plural(report.outputs, "output"));
  if (report.first)
    out += fmt::format("    first mismatch: {}\n    expected {}\n    got      {}\n",
                       report.first->call, report.first->expected, report.first->got);
  if (!report.why_not.empty()) out += fmt::format("    not tested: {}\n", report.why_not);
  return out;
}

Json json_of(const spec::Entry& entry, const DeviceReport& report) {
  Json out{{"routine", routine_name(entry)}, {"guard", spec::json_of(entry.guard, entry.routine)},
           {"verdict", verdict(report)},     {"outputs", report.outputs},
           {"calls", report.calls},          {"not_tested", report.why_not},
           {"mismatches", Json::array()}};
  if (report.first)
    out["mismatches"].push_back({{"context", report.first->call},
                                 {"expected", report.first->expected},
                                 {"got", report.first->got}});
  return out;
}

}  // namespace

int verify_on_device(const std::string& file, const DeviceOptions& options) {
  const spec::Spec spec = load_spec(file);
  runtime::DeviceWork work(kernels::device::open_device(dialect_of(options.backend), options.device,
                                                        runtime::cache_directory()));
  const kernels::device::Facts& facts = work.device->facts();
  DeviceCheck check(spec, work, options.seed);
  Json entries = Json::array();
  std::int64_t outputs = 0, different = 0, untested = 0, unreached = 0;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (const spec::Entry& entry : spec.entries) {
    const bool is_over = Clock::now() - start > std::chrono::duration<double>(options.timeout_s);
    DeviceReport report;
    if (is_over)
      report.why_not = "not reached in time";
    else
      report = check.run(entry, options.outputs);
    if (is_over) ++unreached;
    outputs += report.outputs;
    if (report.first) ++different;
    if (report.outputs == 0) ++untested;
    if (options.json)
      entries.push_back(json_of(entry, report));
    else
      print(text_of(entry, report));
  }
  const std::int64_t count = std::ssize(spec.entries);
  if (untested == count && unreached == 0)
    throw EnvironmentError("no entry of " + file + " could be tested on " + facts.name);
  if (options.json)
    print_json(Json{{"schema", "reprosum-verify-device/1"},
                    {"spec", file},
                    {"sha256", spec::meaning_hash(spec)},
                    {"backend", options.backend},
                    {"device", facts.name},
                    {"driver", facts.driver},
                    {"compiler", facts.compiler},
                    {"seed", options.seed},
                    {"holds", different == 0},
                    {"different", different},
                    {"outputs", outputs},
                    {"entries", entries}});
  else
    print(fmt::format("\n{}: {} of {} differ, {} not tested, {} compared on {}, seed {}\n",
                      different == 0 ? "the device gives the spec's bits"
                                     : "the device does not give the spec's bits",
                      different, plural(count, "group") + " of contexts", untested,
                      plural(outputs, "output"), facts.name, options.seed));
  if (different == 0 && unreached > 0)
    throw EnvironmentError(fmt::format("timed_out: {} not reached in {:g} s",
                                       plural(unreached, "group") + " of contexts",
                                       options.timeout_s));
  return different == 0 ? kSame : kDifferent;
}

}  // namespace reprosum::cli
