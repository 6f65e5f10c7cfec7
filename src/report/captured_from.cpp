#include "src/report/captured_from.h"

#include <algorithm>
#include <map>

namespace reprosum::report {
namespace {

// What decides a library's bits. Where its file lies does not.
bool is_decisive(const std::string& key) {
  constexpr const char* kKinds[] = {"library.", "provider.", "device.", "setting.", "says."};
  return !key.ends_with(".path") &&
         std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&](const char* kind) { return key.starts_with(kind); });
}

}  // namespace

std::vector<OtherFact> other_facts(
    const spec::Spec& spec, const std::vector<std::pair<std::string, std::string>>& identity) {
  std::map<std::string, OtherFact> all;
  for (const auto& [key, value] : spec.provenance)
    if (is_decisive(key)) all[key] = {key, value, ""};
  if (all.empty()) return {};
  for (const auto& [key, value] : identity)
    if (is_decisive(key)) all.try_emplace(key, OtherFact{key, "", ""}).first->second.here = value;
  std::vector<OtherFact> out;
  for (const auto& [key, fact] : all)
    if (fact.captured != fact.here) out.push_back(fact);
  return out;
}

}  // namespace reprosum::report
