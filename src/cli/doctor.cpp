// reprosum doctor: what this machine and this environment offer, and what to do about it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "kernels/kernel.h"
#include "spec/error.h"
#include "spec/surface.h"
#include "src/cli/entries.h"
#include "src/cli/host.h"
#include "src/cli/installed_blas.h"
#include "src/cli/isa.h"
#include "src/cli/output.h"
#include "src/cli/probed_libraries.h"
#include "src/cli/verb.h"
#include "src/runtime/cache_directory.h"

extern char** environ;

namespace reprosum::cli {
namespace {

struct Finding {
  std::string what, found, advice;  // advice: empty if all is well
};

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

Finding spec_in_use() {
  const char* path = std::getenv("REPROSUM_SPEC");
  if (path == nullptr || *path == '\0') return {"REPROSUM_SPEC", "not set", ""};
  try {
    const spec::Spec spec = load_spec(path);
    return {"REPROSUM_SPEC",
            fmt::format(
                "{}: {}, sha256 {}", path,
                plural(static_cast<std::int64_t>(spec.entries.size()), "group") + " of contexts",
                spec::meaning_hash(spec).substr(0, 12)),
            ""};
  } catch (const std::runtime_error& e) {
    return {"REPROSUM_SPEC", path, e.what()};
  }
}

std::vector<Finding> variables() {
  std::vector<Finding> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (text.rfind("REPROSUM_", 0) != 0 || equals == std::string::npos) continue;
    const std::string name = text.substr(0, equals);
    constexpr const char* kKnown[] = {"REPROSUM_SPEC", "REPROSUM_ISA", "REPROSUM_CACHE_DIR",
                                      "REPROSUM_THREADS"};
    const bool known = std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
    out.push_back({name, text.substr(equals + 1), known ? "" : "No such variable is read."});
  }
  std::sort(out.begin(), out.end(),
            [](const Finding& a, const Finding& b) { return a.what < b.what; });
  for (const auto& [name, value] : selecting_environment())
    out.push_back({name, value, "It changes what a probed library does; it is kept in the spec."});
  return out;
}

std::vector<Finding> libraries() {
  std::vector<Finding> out;
  for (const InstalledBlas& blas : installed_blas())
    out.push_back(
        {"library",
         fmt::format("{} = {} ({})", blas.target, blas.path, blas.has_sum ? "dot and sum" : "dot"),
         ""});
  if (out.empty())
    out.push_back({"library", "none found", "Install one, such as Debian's libopenblas0-pthread."});
  const std::string numpy = numpy_blas();
  if (!numpy.empty()) out.push_back({"numpy", numpy, ""});
  return out;
}

std::vector<Finding> examine() {
  std::vector<Finding> out{
      cpu(),   fma(),        isas(), {"llvm", REPROSUM_LLVM_VERSION, ""}, floating_point(),
      cache(), spec_in_use()};
  for (auto part : {variables(), libraries()}) out.insert(out.end(), part.begin(), part.end());
  return out;
}

int run(bool json) {
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
    return kSame;
  }
  for (const Finding& f : findings) {
    print(fmt::format("{:<5} {:<15} {}\n", f.advice.empty() ? "ok" : "warn", f.what, f.found));
    if (!f.advice.empty()) print(wrapped(f.advice, 78, std::string(22, ' ')));
  }
  return kSame;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand(
      "doctor", "Examine this machine: CPU, floating-point state, libraries, variables, cache.");
  verb->add_flag("--json", *json, "report as one JSON object");
  verb->callback([json, &action] { action = [json] { return run(*json); }; });
}

}  // namespace reprosum::cli
