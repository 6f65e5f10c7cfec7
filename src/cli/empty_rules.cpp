#include "src/cli/empty_rules.h"

#include <fmt/core.h>

#include <map>
#include <vector>

namespace reprosum::cli {
namespace {

template <class Rule>
std::string threads_of(const Rule& rule) {
  std::string out;
  for (const int count : rule.threads) out += fmt::format("{}{}", out.empty() ? "" : " ", count);
  return out;
}

}  // namespace

std::string name_of(const spec::EmptySum& rule) { return spec::blas_name(rule.routine, rule.type); }

std::string name_of(const spec::EmptyUpdate& rule) {
  const auto letter = [](spec::Trans trans) { return trans == spec::Trans::yes ? 'T' : 'N'; };
  std::string name = spec::blas_name(rule.routine, rule.type) + " " + letter(rule.trans_a);
  if (rule.routine == spec::Routine::gemm) name += letter(rule.trans_b);
  return name;
}

std::string empty_rules_text(const spec::Spec& spec) {
  std::map<std::string, std::string> calls;  // by what they give
  const auto add = [&](const auto& rule) {
    std::string& names = calls[spec::describe(rule) + ", threads " + threads_of(rule)];
    names += (names.empty() ? "" : ", ") + name_of(rule);
  };
  for (const spec::EmptySum& rule : spec.empty_sums) add(rule);
  for (const spec::EmptyUpdate& rule : spec.empty_updates) add(rule);
  std::string out;
  for (const auto& [rule, names] : calls) out += wrapped(names + ": " + rule, 96, "  ");
  return out.empty() ? "" : "without summands\n" + out;
}

Json empty_rules_json(const spec::Spec& spec) {
  Json out = Json::array();
  const auto add = [&](const auto& rule) {
    out.push_back(
        {{"routine", name_of(rule)}, {"threads", rule.threads}, {"gives", spec::describe(rule)}});
  };
  for (const spec::EmptySum& rule : spec.empty_sums) add(rule);
  for (const spec::EmptyUpdate& rule : spec.empty_updates) add(rule);
  return out;
}

}  // namespace reprosum::cli
