// reprosum doctor: what this machine and this environment offer, and what to do about it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "kernels/kernel.h"
#include "src/cli/finding.h"
#include "src/cli/installed_blas.h"
#include "src/cli/isa.h"
#include "src/cli/output.h"
#include "src/cli/verb.h"
#include "src/report/host.h"
#include "src/runtime/cache_directory.h"

namespace reprosum::cli {
namespace {

Finding cpu() {
  std::string features;
  for (const std::string& f : cpu_features()) features += (features.empty() ? "" : " ") + f;
  return {"cpu", cpu_model() + " (" + features + ")", ""};
}

Finding fma() {
  const auto features = cpu_features();
  const bool has = std::find(features.begin(), features.end(), "fma") != features.end();
  return {"fma", has ? "yes" : "no",
          has ? "" : "Orders with fused products are replayed by the interpreter, slowly."};
}

Finding isas() {
  std::string names;
  for (const kernels::Isa isa : kernels::host_isas())
    names += (names.empty() ? "" : " ") + std::string(kernels::name(isa));
  try {
    return {"kernels", fmt::format("{}; chosen: {}", names, kernels::name(chosen_isa())), ""};
  } catch (const std::runtime_error& e) {
    return {"kernels", names, e.what()};
  }
}

Finding floating_point() {
  const FloatingPointState state = floating_point_state();
  return {"floating point",
          fmt::format("rounds {}, subnormal results {}, subnormal operands {}", state.rounding,
                      state.flush_to_zero ? "flushed" : "kept",
                      state.subnormals_are_zero ? "read as 0" : "kept"),
          state.default_state() ? "" : "Captures need round to nearest and subnormals kept."};
}

Finding cache() {
  namespace fs = std::filesystem;
  const std::string directory = runtime::cache_directory();
  if (directory.empty())
    return {"kernel cache", "off", "Set REPROSUM_CACHE_DIR to keep kernels between processes."};
  // The nearest directory that exists decides whether the rest can be made.
  std::error_code error;
  fs::path existing = directory;
  while (!fs::exists(existing, error) && existing.has_parent_path() &&
         existing != existing.parent_path())
    existing = existing.parent_path();
  const bool writable = access(existing.c_str(), W_OK) == 0 && fs::is_directory(existing, error);
  return {"kernel cache", directory + (existing == directory ? "" : " (not made yet)"),
          writable ? "" : "Not writable: point REPROSUM_CACHE_DIR to a directory that is."};
}

std::vector<Finding> libraries() {
  std::vector<Finding> out;
  for (const InstalledBlas& blas : installed_blas())
    out.push_back(
        {"library", fmt::format("{} = {} ({})", blas.target, blas.path, blas.routines), ""});
  if (out.empty())
    out.push_back({"library", "none found", "Install one, such as Debian's libopenblas0-pthread."});
  return out;
}

std::vector<Finding> examine() {
  std::vector<Finding> out{
      cpu(), fma(), isas(), {"llvm", REPROSUM_LLVM_VERSION, ""}, floating_point(), cache()};
  spec::Spec spec;
  for (const auto& part :
       {find_devices(), find_spec(&spec), find_variables(spec), libraries(), find_programs()})
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

int run(bool json, bool check) {
  const std::vector<Finding> findings = examine();
  const auto warnings = std::count_if(findings.begin(), findings.end(),
                                      [](const Finding& f) { return !f.advice.empty(); });
  if (json) {
    Json out{{"schema", "reprosum-doctor/1"},
             {"version", REPROSUM_VERSION},
             {"warnings", warnings},
             {"findings", Json::array()}};
    for (const Finding& f : findings)
      out["findings"].push_back({{"what", f.what},
                                 {"status", f.advice.empty() ? "ok" : "warn"},
                                 {"found", f.found},
                                 {"advice", f.advice}});
    print_json(out);
    return check && warnings > 0 ? kDifferent : kSame;
  }
  for (const Finding& f : findings) {
    print(fmt::format("{:<5} {:<16} {}\n", f.advice.empty() ? "ok" : "warn", f.what, f.found));
    if (!f.advice.empty()) print(wrapped(f.advice, 78, std::string(23, ' ')));
  }
  return check && warnings > 0 ? kDifferent : kSame;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false), check = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand(
      "doctor", "Examine this machine: CPU, floating-point state, libraries, variables, cache.");
  verb->add_flag("--check", *check, "exit code 1 if anything is to be warned of, for scripts");
  verb->add_flag("--json", *json, "report as one JSON object");
  verb->footer(
      "Examples:\n"
      "  reprosum doctor\n"
      "  REPROSUM_SPEC=openblas.json reprosum doctor --check || echo 'see the warnings'\n\n"
      "Exit codes: 0 done, 1 with --check if there are warnings, 2 trouble.");
  verb->callback([json, check, &action] { action = [json, check] { return run(*json, *check); }; });
}

}  // namespace reprosum::cli
