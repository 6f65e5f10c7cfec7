// doctor: the spec that would be replayed.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "spec/surface.h"
#include "src/base/environment.h"
#include "src/cli/finding.h"
#include "src/cli/output.h"
#include "src/report/entries.h"

namespace reprosum::cli {
namespace {

// What the entries of one routine cover together.
struct Covered {
  int groups = 0;
  std::set<int> threads;
  std::vector<std::string> largest;

  std::string text() const {
    std::string counts, sizes;
    for (const int count : threads) counts += fmt::format(" {}", count);
    for (const std::string& size : largest) sizes += (sizes.empty() ? "" : " or ") + size;
    return fmt::format("{}, threads{}, up to {}", plural(groups, "group") + " of contexts", counts,
                       sizes);
  }
};

void add(std::vector<std::pair<std::string, Covered>>& routines, const spec::Entry& entry) {
  const std::string name = routine_name(entry), largest = largest_text(entry);
  auto found = std::find_if(routines.begin(), routines.end(),
                            [&](const auto& routine) { return routine.first == name; });
  if (found == routines.end()) found = routines.insert(found, {name, Covered{}});
  Covered& covered = found->second;
  ++covered.groups;
  covered.threads.insert(entry.guard.threads.begin(), entry.guard.threads.end());
  if (std::find(covered.largest.begin(), covered.largest.end(), largest) == covered.largest.end())
    covered.largest.push_back(largest);
}

}  // namespace

std::vector<Finding> find_spec(spec::Spec* spec) {
  const char* path = base::variable("REPROSUM_SPEC");
  if (path == nullptr || *path == '\0') return {{"REPROSUM_SPEC", "not set", ""}};
  try {
    *spec = load_spec(path);
  } catch (const std::runtime_error& e) {
    return {{"REPROSUM_SPEC", path, e.what()}};
  }
  const std::int64_t groups = std::ssize(spec->entries);
  std::vector<Finding> out{
      {"REPROSUM_SPEC",
       fmt::format("{}: {}, sha256 {}", path, plural(groups, "group") + " of contexts",
                   spec::meaning_hash(*spec).substr(0, 12)),
       groups > 0 ? "" : "It covers nothing."}};
  std::vector<std::pair<std::string, Covered>> routines;
  for (const spec::Entry& entry : spec->entries) add(routines, entry);
  for (const auto& [name, covered] : routines) out.push_back({name, covered.text(), ""});
  return out;
}

}  // namespace reprosum::cli
