#include "src/report/empty_rules.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "spec/conditions.h"

namespace reprosum::report {
namespace {

std::string threads_of(const spec::EmptyRule& rule) {
  std::string out;
  for (const int count : rule.threads) out += fmt::format("{}{}", out.empty() ? "" : " ", count);
  return out;
}

}  // namespace

std::string name_of(const spec::EmptyRule& rule) {
  return spec::name_of(rule.routine, rule.type, rule.trans_a, rule.trans_b);
}

std::string empty_rules_text(const spec::Spec& spec) {
  std::map<std::string, std::string> calls;  // by what they give
  for (const spec::EmptyRule& rule : spec.empty_rules) {
    std::string& names = calls[spec::describe(rule) + ", threads " + threads_of(rule)];
    names += (names.empty() ? "" : ", ") + name_of(rule);
  }
  std::string out;
  for (const auto& [rule, names] : calls) out += wrapped(names + ": " + rule, 96, "  ");
  return out.empty() ? "" : "without summands\n" + out;
}

Json empty_rules_json(const spec::Spec& spec) {
  Json out = Json::array();
  for (const spec::EmptyRule& rule : spec.empty_rules)
    out.push_back(
        {{"routine", name_of(rule)}, {"threads", rule.threads}, {"gives", spec::describe(rule)}});
  return out;
}

}  // namespace reprosum::report
