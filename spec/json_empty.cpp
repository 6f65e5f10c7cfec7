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
using Result = EmptyUpdate::Result;

std::vector<int> threads_from(const Place& place) {
  std::vector<int> threads;
  read_list(place, threads, 1, 1 << 20);
  expect_ascending(place, threads);
  if (threads.empty()) place.fail("no thread count is admitted");
  return threads;
}

// The reader takes only what canonicalize() leaves, and one rule for each call: calls_of() says
// which those of a rule are, besides their threads.
template <class Rule, class CallsOf>
void expect_canonical(const Place& place, const std::vector<Rule>& rules, CallsOf calls_of) {
  std::vector<Rule> canonical = rules;
  canonicalize(canonical);
  if (canonical != rules) place.fail("rules must ascend and differ in more than their threads");
  std::set<decltype(std::tuple_cat(calls_of(rules[0]), std::tuple{0}))> calls;
  for (std::size_t k = 0; k < rules.size(); ++k)
    for (const int count : rules[k].threads)
      if (!calls.insert(std::tuple_cat(calls_of(rules[k]), std::tuple{count})).second)
        place[k].fail("another rule speaks of the same calls");
}

EmptyUpdate update_from(const Place& place) {
  place.expect_keys(
      {"routine", "type", "trans", "threads", "row_major", "result", "m_max", "n_max"},
      {"alpha_zero", "beta_zero", "beta_one", "outputs_max"});
  EmptyUpdate rule;
  rule.routine = word_from(place["routine"], kMatrixRoutineWords, "routine");
  rule.type = type_from(place["type"]);
  std::tie(rule.trans_a, rule.trans_b) = transposes_from(place["trans"], rule.routine);
  rule.threads = threads_from(place["threads"]);
  rule.row_major = place["row_major"].integer(0, 1) != 0;
  rule.result = word_from(place["result"], kEmptyResultWords, "result");
  const bool computes = rule.result == Result::add || rule.result == Result::fuse;
  const auto expect = [&](const char* key, bool is_wanted) {
    if (!is_wanted && place.has(key)) place[key].fail("says nothing of such a result");
    if (is_wanted && !place.has(key)) place.fail(std::string("lacks the key \"") + key + "\"");
    return is_wanted;
  };
  if (expect("alpha_zero", computes))
    rule.alpha_zero = word_from(place["alpha_zero"], kAlphaZeroWords, "rule for alpha = 0");
  if (expect("beta_zero", rule.result != Result::keep)) {
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
  rule.m_max = place["m_max"].integer(1, kMaxInteger);
  rule.n_max = place["n_max"].integer(1, kMaxInteger);
  if (rule.routine == Routine::gemv && rule.n_max != 1) place["n_max"].fail("a gemv has n = 1");
  if (place.has("outputs_max")) {
    const Place outputs_max = place["outputs_max"];
    rule.outputs_max = outputs_max.integer(1, kMaxInteger);
    if (covers(rule, rule.m_max, rule.n_max))
      outputs_max.fail("says nothing beside m_max and n_max");
  }
  return rule;
}

}  // namespace

json json_of(const EmptySum& rule) {
  json out = {{"routine", word_of(kRoutineWords, rule.routine)},
              {"type", name(rule.type)},
              {"threads", rule.threads},
              {"n_zero", word_of(kZeroWords, rule.at_zero)}};
  if (rule.below_zero) out["n_negative"] = word_of(kZeroWords, *rule.below_zero);
  return out;
}

json json_of(const EmptyUpdate& rule) {
  json out = {{"routine", word_of(kMatrixRoutineWords, rule.routine)},
              {"type", name(rule.type)},
              {"trans", transposes_of(rule.routine, rule.trans_a, rule.trans_b)},
              {"threads", rule.threads},
              {"row_major", rule.row_major ? 1 : 0},
              {"result", word_of(kEmptyResultWords, rule.result)},
              {"m_max", rule.m_max},
              {"n_max", rule.n_max}};
  if (rule.outputs_max != EmptyUpdate::kAnyOutputs) out["outputs_max"] = rule.outputs_max;
  if (rule.result == Result::keep) return out;
  out["beta_zero"] = word_of(kBetaZeroWords, rule.beta_zero);
  if (rule.result == Result::scale) return out;
  out["alpha_zero"] = word_of(kAlphaZeroWords, rule.alpha_zero);
  if (rule.keeps_at_one) out["beta_one"] = "keep";
  return out;
}

std::vector<EmptySum> empty_sums_from(const Place& place) {
  std::vector<EmptySum> rules;
  if (place.size() == 0) place.fail("is left out where there are none");
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Place at = place[k];
    at.expect_keys({"routine", "type", "threads", "n_zero"}, {"n_negative"});
    EmptySum& rule = rules.emplace_back();
    rule.routine = word_from(at["routine"], kRoutineWords, "routine");
    rule.type = type_from(at["type"]);
    rule.threads = threads_from(at["threads"]);
    rule.at_zero = word_from(at["n_zero"], kZeroWords, "zero");
    if (at.has("n_negative")) rule.below_zero = word_from(at["n_negative"], kZeroWords, "zero");
  }
  expect_canonical(place, rules, [](const EmptySum& rule) {
    return std::tuple{rule.routine, rule.type};
  });
  return rules;
}

std::vector<EmptyUpdate> empty_updates_from(const Place& place) {
  std::vector<EmptyUpdate> rules;
  if (place.size() == 0) place.fail("is left out where there are none");
  for (std::size_t k = 0; k < place.size(); ++k) rules.push_back(update_from(place[k]));
  expect_canonical(place, rules, [](const EmptyUpdate& rule) {
    return std::tuple{rule.routine, rule.type, rule.trans_a, rule.trans_b};
  });
  return rules;
}

}  // namespace reprosum::spec
