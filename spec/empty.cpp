#include "spec/empty.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "spec/error.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

using Result = EmptyRule::Result;
using AlphaZero = MatrixClass::AlphaZero;
using BetaZero = MatrixClass::BetaZero;

bool has(const std::vector<int>& threads, int count) {
  return std::find(threads.begin(), threads.end(), count) != threads.end();
}

std::string text(Result zero) { return zero == Result::plus_zero ? "+0" : "-0"; }

}  // namespace

bool covers(const EmptyRule& rule, std::int64_t m, std::int64_t n) {
  return m <= rule.m_max && n <= rule.n_max && (m == 0 || n <= rule.outputs_max / m);
}

template <class T>
T value_of(const EmptyRule& rule, T alpha, T beta, T c) {
  if (!writes(rule, beta)) return c;
  const T stored = MatrixClass::stored_zero(rule.beta_zero, beta);
  const bool multiplies = MatrixClass::multiplies(rule.beta_zero, beta);
  const bool skips = alpha == T(0) && rule.alpha_zero == AlphaZero::skip;
  if (rule.result == Result::scale || skips) return multiplies ? beta * c : stored;
  const T added = alpha * T(0);
  if (!multiplies) return rule.beta_zero == BetaZero::drop ? added : stored + added;
  return rule.result == Result::fuse ? std::fma(beta, c, added) : beta * c + added;
}

template float value_of(const EmptyRule&, float, float, float);
template double value_of(const EmptyRule&, double, double, double);

const EmptyRule* find_empty(const Spec& spec, const Context& call, std::string* why) {
  const bool has_matrix = has_matrices(call.routine);
  const std::string what =
      blas_name(call.routine, call.type) +
      (has_matrix ? " without summands" : " with n = " + std::to_string(call.shape.k));
  std::string reason = what + " was not captured" + (has_matrix ? " with these transposes" : "");
  for (const EmptyRule& rule : spec.empty_rules) {
    if (rule.routine != call.routine || rule.type != call.type || rule.trans_a != call.trans_a ||
        rule.trans_b != call.trans_b)
      continue;
    const Shape3& shape = call.shape;
    if (!has(rule.threads, call.threads))
      reason = what + " was not captured with threads = " + std::to_string(call.threads);
    else if (call.from_row_major && !rule.row_major)
      reason = what + " was not captured in row-major calls";
    else if (!covers(rule, shape.m, shape.n))
      reason = what + " was not captured beyond m = " + std::to_string(rule.m_max) +
               ", n = " + std::to_string(rule.n_max) +
               (rule.outputs_max == EmptyRule::kAnyOutputs
                    ? ""
                    : ", m*n = " + std::to_string(rule.outputs_max));
    else if (shape.k == 0 || rule.below_zero)
      return &rule;
  }
  if (why != nullptr) *why = std::move(reason);
  return nullptr;
}

// The thread counts of rules that are equal otherwise are merged. A document may have many rules.
void canonicalize(std::vector<EmptyRule>& rules) {
  std::map<EmptyRule, std::vector<int>> threads;
  for (EmptyRule& rule : rules) {
    if (covers(rule, rule.m_max, rule.n_max)) rule.outputs_max = EmptyRule::kAnyOutputs;
    if (!reads_alpha(rule.result)) {
      rule.keeps_at_one = false;
      rule.alpha_zero = AlphaZero::skip;
    }
    if (!reads_beta(rule.result)) rule.beta_zero = BetaZero::store;
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

std::string describe(const EmptyRule& rule) {
  std::string out;
  switch (rule.result) {
    case Result::keep:
      return "C is kept";
    case Result::plus_zero:
    case Result::minus_zero:
      out = text(rule.result);
      if (!rule.below_zero) return out + "; n < 0 is not covered";
      if (*rule.below_zero != rule.result) out += "; " + text(*rule.below_zero) + " for n < 0";
      return out;
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
  if (reads_alpha(rule.result) && rule.alpha_zero == AlphaZero::skip) out += "; alpha = 0 scales";
  if (rule.beta_zero == BetaZero::drop) out += "; beta = 0 drops C";
  if (rule.beta_zero == BetaZero::store_beta) out += "; beta = 0 stores beta";
  if (rule.beta_zero == BetaZero::multiply) out += "; beta = 0 multiplies C";
  if (rule.keeps_at_one) out += "; beta = 1 keeps C";
  return out;
}

}  // namespace reprosum::spec
