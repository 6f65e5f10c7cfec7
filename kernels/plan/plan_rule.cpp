// From a regime to the plans of its cases, sorted for a dispatch by q and r.
#include <algorithm>
#include <variant>

#include "kernels/plan/plan.h"
#include "spec/sub_runs.h"

namespace reprosum::kernels {
namespace {

constexpr std::int64_t kMaxBlock = 4096;

bool present(const Plan& plan, std::string& why) {
  if (!plan.nodes.empty()) return true;
  why = "a schema without summands";
  return false;
}

bool plan_explicit(const spec::Explicit& rule, RulePlan& result, std::string& why) {
  PlanBudget budget;
  for (const auto& entry : rule.entries) {
    std::vector<Plan> plans;
    if (!plan_schema(entry.tree, {0, 0, entry.n}, {}, budget, plans, why)) return false;
    Plan& plan = plans.front();
    if (!present(plan, why)) return false;
    plan.domain.r_lo = plan.domain.r_hi = entry.n;
    result.hot.push_back(std::move(plan));
  }
  return true;
}

bool plan_loop(const spec::Regime& regime, const spec::Loop& rule, RulePlan& result,
               std::string& why) {
  if (rule.pad) {
    why = "a padded loop";
    return false;
  }
  const bool is_of_one_r = rule.cases.size() == 1 && rule.cases[0].r_lo == rule.cases[0].r_hi;
  if (rule.block > kMaxBlock && !is_of_one_r) {
    why = "a long block";
    return false;
  }
  result.block = rule.block;
  const spec::Linear n{rule.block, 1, 0};
  const std::int64_t q_hi = spec::kMaxLeaves / rule.block;
  PlanBudget budget;
  const auto plan_all = [&](std::int64_t from, std::int64_t to, std::int64_t r_from,
                            std::vector<Plan>& plans) {
    for (const spec::Loop::Case& c : rule.cases) {
      const std::int64_t r_lo = std::max(c.r_lo, r_from);
      if (r_lo <= c.r_hi && !plan_schema(c.schema, n, {from, to, r_lo, c.r_hi}, budget, plans, why))
        return false;
    }
    return true;
  };
  // A regime may start inside a block. The n before it are another regime's, and places that the
  // schema names for every n from regime.lo on need not exist there.
  std::int64_t q_lo = regime.lo / rule.block;
  const std::int64_t first_r = regime.lo % rule.block;
  if (first_r > 0) {
    if (!plan_all(q_lo, q_lo, first_r, result.cold)) return false;
    ++q_lo;
  }
  // A first pass finds from where one plan per range of r is enough for every q.
  std::vector<Plan> trial;
  const std::size_t left = budget.nodes;
  if (!plan_all(q_lo, q_hi, 0, trial)) return false;
  budget.nodes = left;
  result.first_symbolic = q_lo;
  for (const Plan& plan : trial)
    if (plan.domain.q_hi == q_hi)
      result.first_symbolic = std::max(result.first_symbolic, plan.domain.q_lo);
  for (std::int64_t q = q_lo; q < result.first_symbolic; ++q)
    if (!plan_all(q, q, 0, result.cold)) return false;
  return plan_all(result.first_symbolic, q_hi, 0, result.hot);
}

}  // namespace

bool plan_rule(const spec::Regime& regime, RulePlan& plan, std::string& why) {
  plan = {};
  if (spec::has_sub_runs(regime.rule)) {
    why = "lanes that a sub-order adds";
    return false;
  }
  const auto* loop = std::get_if<spec::Loop>(&regime.rule);
  const bool planned = loop != nullptr
                           ? plan_loop(regime, *loop, plan, why)
                           : plan_explicit(std::get<spec::Explicit>(regime.rule), plan, why);
  if (!planned) return false;
  const auto ascending = [](const Plan& a, const Plan& b) {
    return std::pair(a.domain.q_lo, a.domain.r_lo) < std::pair(b.domain.q_lo, b.domain.r_lo);
  };
  std::sort(plan.cold.begin(), plan.cold.end(), ascending);
  std::sort(plan.hot.begin(), plan.hot.end(), ascending);
  for (const auto* plans : {&plan.cold, &plan.hot}) {
    for (const Plan& p : *plans) {
      if (!present(p, why)) return false;
      plan.cost += cost(p);
      plan.is_wide = plan.is_wide || p.is_wide(static_cast<int>(p.nodes.size()) - 1);
    }
  }
  return true;
}

}  // namespace reprosum::kernels
