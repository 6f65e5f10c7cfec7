// doctor: the variables that are set, and whether anybody reads them.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "src/base/environment.h"
#include "src/base/known_variables.h"
#include "src/blas/settings.h"
#include "src/cli/finding.h"
#include "src/cli/installed_blas.h"
#include "src/report/probed_libraries.h"

namespace reprosum::cli {
namespace {

bool is_set(const char* name) {
  const char* value = base::variable(name);
  return value != nullptr && *value != '\0';
}

// What the drop-in says to this variable alone; "" if it can be served.
std::string drop_in_says(const std::string& name) {
  static const char* asked;  // the reader takes a plain function
  asked = name.c_str();
  const blas::Settings read = blas::read_settings([](const char* variable) -> const char* {
    return std::strcmp(variable, asked) == 0 ? base::variable(variable) : nullptr;
  });
  return read.why.empty() ? read.remark : read.why + "; libreprosum_blas serves no call";
}

// "" if the spec in use has a context with so many threads, or there is none.
std::string threads_advice(const std::string& value, const spec::Spec& spec) {
  int threads = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (read.ec != std::errc() || read.ptr != value.data() + value.size())
    return "It is not a number; libreprosum_blas serves no call.";
  const auto has = [threads](const auto& entry) {
    const auto& all = entry.guard.threads;
    return std::find(all.begin(), all.end(), threads) != all.end();
  };
  if (spec.entries.empty()) return "";
  return std::any_of(spec.entries.begin(), spec.entries.end(), has)
             ? ""
             : "The spec has no context with so many threads; libreprosum_blas serves no call.";
}

std::string advice_for(const std::string& name, const std::string& value, const spec::Spec& spec) {
  if (value.empty()) return "";
  if (!base::is_known_variable(name)) {
    const std::string meant = base::nearest_variable(name);
    return "No such variable is read" + (meant.empty() ? "." : "; did you mean " + meant + "?");
  }
  if (name == "REPROSUM_THREADS") return threads_advice(value, spec);
  if (name == "REPROSUM_BACKING")
    return can_be_backing(value)
               ? ""
               : "No BLAS can be loaded by this name; give the file of one, see below.";
  if (const std::string wrong = drop_in_says(name); !wrong.empty()) return wrong + ".";
  if (name == "REPROSUM_MODE" && value == "forward" && is_set("REPROSUM_SPEC"))
    return "In this mode REPROSUM_SPEC is not replayed.";
  return "";
}

}  // namespace

std::vector<Finding> find_variables(const spec::Spec& spec) {
  std::vector<Finding> out;
  base::each_variable(base::kPrefixOfVariables, [&](std::string_view found) {
    const std::string name(found);
    if (name == "REPROSUM_SPEC") return;
    const char* const set = base::variable(name.c_str());
    const std::string value = set == nullptr ? "" : set;
    out.push_back({name, value, advice_for(name, value, spec)});
  });
  std::sort(out.begin(), out.end(),
            [](const Finding& a, const Finding& b) { return a.what < b.what; });
  for (const auto& [name, value] : report::selecting_environment())
    out.push_back({name, value, "It changes what a probed library does; it is kept in the spec."});
  return out;
}

}  // namespace reprosum::cli
