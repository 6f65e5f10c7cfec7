// The rules of calls without summands to and from JSON values.
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "spec/empty.h"
#include "spec/json.h"
#include "spec/json_lists.h"

namespace reprosum::spec {
namespace {

using nlohmann::json;
using Result = EmptyRule::Result;

std::vector<int> threads_from(const Place& place) {
  std::vector<int> threads;
  read_list(place, threads, 1, 1 << 20);
  expect_ascending(place, threads);
  if (threads.empty()) place.fail("no thread count is admitted");
  return threads;
}

// The reader takes only what canonicalize() leaves, and one rule for each call.
void expect_canonical(const Place& place, const std::vector<EmptyRule>& rules) {
  std::vector<EmptyRule> canonical = rules;
  canonicalize(canonical);
  if (canonical != rules) place.fail("rules must ascend and differ in more than their threads");
  std::set<std::tuple<Routine, Type, Trans, Trans, int>> calls;
  for (std::size_t k = 0; k < rules.size(); ++k) {
    const EmptyRule& rule = rules[k];
    for (const int count : rule.threads)
      if (!calls.insert({rule.routine, rule.type, rule.trans_a, rule.trans_b, count}).second)
        place[k].fail("another rule speaks of the same calls");
  }
}

bool is_zero(Result result) { return result == Result::plus_zero || result == Result::minus_zero; }

Result result_from(const Place& place, Routine routine) {
  const Result result = word_from(place, kEmptyResultWords, "result");
  if (is_zero(result) == has_matrices(routine))
    place.fail("is no result of a " + std::string(name(routine)) + " without summands");
  return result;
}

// What speaks of alpha, beta and the outputs of a matrix update.
void read_update(const Place& place, EmptyRule& rule) {
  std::tie(rule.trans_a, rule.trans_b) = transposes_from(place["trans"], rule.routine);
  rule.row_major = place["row_major"].integer(0, 1) != 0;
  const auto expect = [&](const char* key, bool is_wanted) {
    if (!is_wanted && place.has(key)) place[key].fail("says nothing of such a result");
    if (is_wanted && !place.has(key)) place.fail(std::string("lacks the key \"") + key + "\"");
    return is_wanted;
  };
  const bool computes = reads_alpha(rule.result);
  if (expect("alpha_zero", computes))
    rule.alpha_zero = word_from(place["alpha_zero"], kAlphaZeroWords, "rule for alpha = 0");
  if (expect("beta_zero", reads_beta(rule.result))) {
    const Place beta_zero = place["beta_zero"];
    rule.beta_zero = word_from(beta_zero, kBetaZeroWords, "rule for beta = 0");
    const bool drops = rule.beta_zero == MatrixClass::BetaZero::drop;
    if (rule.beta_zero == MatrixClass::BetaZero::drop_zeros || (drops && !computes))
      beta_zero.fail("nothing would be left");
  }
  if (place.has("beta_one")) {
    const Place beta_one = place["beta_one"];
    if (!computes || beta_one.text() != "keep") beta_one.fail("expected \"keep\" or nothing");
    rule.keeps_at_one = true;
  }
  std::tie(rule.m_max, rule.n_max) = most_outputs_from(place, rule.routine);
  if (place.has("outputs_max")) {
    const Place outputs_max = place["outputs_max"];
    rule.outputs_max = outputs_max.integer(1, kMaxInteger);
    if (covers(rule, rule.m_max, rule.n_max))
      outputs_max.fail("says nothing beside m_max and n_max");
  }
}

EmptyRule rule_from(const Place& place) {
  EmptyRule rule;
  rule.routine = routine_from(place);
  if (has_matrices(rule.routine))
    place.expect_keys(
        {"routine", "type", "threads", "result", "trans", "row_major", "m_max", "n_max"},
        {"alpha_zero", "beta_zero", "beta_one", "outputs_max"});
  else
    place.expect_keys({"routine", "type", "threads", "result"}, {"below_zero"});
  rule.type = type_from(place["type"]);
  rule.threads = threads_from(place["threads"]);
  rule.result = result_from(place["result"], rule.routine);
  if (has_matrices(rule.routine))
    read_update(place, rule);
  else if (place.has("below_zero"))
    rule.below_zero = result_from(place["below_zero"], rule.routine);
  return rule;
}

}  // namespace

json json_of(const EmptyRule& rule) {
  json out = {{"routine", name(rule.routine)},
              {"type", name(rule.type)},
              {"threads", rule.threads},
              {"result", word_of(kEmptyResultWords, rule.result)}};
  if (rule.below_zero) out["below_zero"] = word_of(kEmptyResultWords, *rule.below_zero);
  if (!has_matrices(rule.routine)) return out;
  out["trans"] = transposes_of(rule.routine, rule.trans_a, rule.trans_b);
  out["row_major"] = rule.row_major ? 1 : 0;
  out["m_max"] = rule.m_max;
  out["n_max"] = rule.n_max;
  if (rule.outputs_max != EmptyRule::kAnyOutputs) out["outputs_max"] = rule.outputs_max;
  if (reads_beta(rule.result)) out["beta_zero"] = word_of(kBetaZeroWords, rule.beta_zero);
  if (reads_alpha(rule.result)) out["alpha_zero"] = word_of(kAlphaZeroWords, rule.alpha_zero);
  if (rule.keeps_at_one) out["beta_one"] = "keep";
  return out;
}

std::vector<EmptyRule> empty_rules_from(const Place& place) {
  std::vector<EmptyRule> rules;
  if (place.size() == 0) place.fail("is left out where there are none");
  for (std::size_t k = 0; k < place.size(); ++k) rules.push_back(rule_from(place[k]));
  expect_canonical(place, rules);
  return rules;
}

}  // namespace reprosum::spec
