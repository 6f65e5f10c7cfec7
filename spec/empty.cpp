#include "spec/empty.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "spec/error.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

using Result = EmptyUpdate::Result;
using AlphaZero = MatrixClass::AlphaZero;
using BetaZero = MatrixClass::BetaZero;

bool has(const std::vector<int>& threads, int count) {
  return std::find(threads.begin(), threads.end(), count) != threads.end();
}

bool computes(const EmptyUpdate& rule) {
  return rule.result == Result::add || rule.result == Result::fuse;
}

// Merges the thread counts of rules that are equal otherwise. A document may have many rules.
template <class Rule>
void merge(std::vector<Rule>& rules) {
  std::map<Rule, std::vector<int>> threads;
  for (Rule& rule : rules) {
    const std::vector<int> own = std::exchange(rule.threads, {});
    std::vector<int>& all = threads[rule];
    all.insert(all.end(), own.begin(), own.end());
  }
  rules.clear();
  for (auto& [rule, counts] : threads) {
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    rules.push_back(rule);
    rules.back().threads = std::move(counts);
  }
  std::sort(rules.begin(), rules.end());
}

constexpr const char* text(Zero zero) { return zero == Zero::plus ? "+0" : "-0"; }

}  // namespace

bool covers(const EmptyUpdate& rule, std::int64_t m, std::int64_t n) {
  return m <= rule.m_max && n <= rule.n_max && (m == 0 || n <= rule.outputs_max / m);
}

template <class T>
T value_of(const EmptyUpdate& rule, T alpha, T beta, T c) {
  if (!writes(rule, beta)) return c;
  const T stored = MatrixClass::stored_zero(rule.beta_zero, beta);
  const bool multiplies = MatrixClass::multiplies(rule.beta_zero, beta);
  const bool skips = alpha == T(0) && rule.alpha_zero == AlphaZero::skip;
  if (rule.result == Result::scale || skips) return multiplies ? beta * c : stored;
  const T added = alpha * T(0);
  if (!multiplies) return rule.beta_zero == BetaZero::drop ? added : stored + added;
  return rule.result == Result::fuse ? std::fma(beta, c, added) : beta * c + added;
}

template float value_of(const EmptyUpdate&, float, float, float);
template double value_of(const EmptyUpdate&, double, double, double);

const EmptySum* find_empty(const Spec& spec, const Context& call, std::string* why) {
  const std::string name = blas_name(call.routine, call.type);
  const std::string size = "n = " + std::to_string(call.shape.k);
  std::string reason = name + " with " + size + " was not captured";
  for (const EmptySum& rule : spec.empty_sums) {
    if (rule.routine != call.routine || rule.type != call.type) continue;
    if (!has(rule.threads, call.threads))
      reason = name + " with " + size + " and threads = " + std::to_string(call.threads) +
               " was not captured";
    else if (call.shape.k == 0 || rule.below_zero)
      return &rule;
  }
  if (why != nullptr) *why = std::move(reason);
  return nullptr;
}

const EmptyUpdate* find_empty_update(const Spec& spec, const Context& call, std::string* why) {
  const std::string name = blas_name(call.routine, call.type);
  std::string reason = name + " of these transposes was not captured without summands";
  for (const EmptyUpdate& rule : spec.empty_updates) {
    if (rule.routine != call.routine || rule.type != call.type || rule.trans_a != call.trans_a ||
        rule.trans_b != call.trans_b)
      continue;
    const Shape3& shape = call.shape;
    if (!has(rule.threads, call.threads))
      reason = name +
               " without summands was not captured with threads = " + std::to_string(call.threads);
    else if (call.from_row_major && !rule.row_major)
      reason = "row-major calls of " + name + " were not captured without summands";
    else if (!covers(rule, shape.m, shape.n))
      reason = "without summands nothing was captured beyond m = " + std::to_string(rule.m_max) +
               ", n = " + std::to_string(rule.n_max) +
               (rule.outputs_max == EmptyUpdate::kAnyOutputs
                    ? ""
                    : ", m*n = " + std::to_string(rule.outputs_max));
    else
      return &rule;
  }
  if (why != nullptr) *why = std::move(reason);
  return nullptr;
}

void canonicalize(std::vector<EmptySum>& rules) { merge(rules); }

void canonicalize(std::vector<EmptyUpdate>& rules) {
  for (EmptyUpdate& rule : rules) {
    if (covers(rule, rule.m_max, rule.n_max)) rule.outputs_max = EmptyUpdate::kAnyOutputs;
    if (computes(rule)) continue;
    rule.keeps_at_one = false;
    rule.alpha_zero = AlphaZero::skip;
    if (rule.result == Result::keep) rule.beta_zero = BetaZero::store;
  }
  merge(rules);
}

std::string describe(const EmptySum& rule) {
  std::string out = text(rule.at_zero);
  if (!rule.below_zero) return out + "; n < 0 is not covered";
  if (*rule.below_zero != rule.at_zero)
    out += std::string("; ") + text(*rule.below_zero) + " for n < 0";
  return out;
}

std::string describe(const EmptyUpdate& rule) {
  std::string out;
  switch (rule.result) {
    case Result::keep:
      return "C is kept";
    case Result::scale:
      out = "C := beta*C";
      break;
    case Result::add:
      out = "C := beta*C + alpha*0";
      break;
    case Result::fuse:
      out = "C := fma(beta, C, alpha*0)";
      break;
  }
  if (computes(rule) && rule.alpha_zero == AlphaZero::skip) out += "; alpha = 0 scales";
  if (rule.beta_zero == BetaZero::drop) out += "; beta = 0 drops C";
  if (rule.beta_zero == BetaZero::store_beta) out += "; beta = 0 stores beta";
  if (rule.beta_zero == BetaZero::multiply) out += "; beta = 0 multiplies C";
  if (rule.keeps_at_one) out += "; beta = 1 keeps C";
  return out;
}

}  // namespace reprosum::spec
