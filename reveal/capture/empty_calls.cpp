#include "reveal/capture/empty_calls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reveal/capture/reach_region.h"
#include "reveal/check/random_data.h"
#include "reveal/check/replay_check.h"
#include "reveal/refused.h"
#include "reveal/target/layout.h"

namespace reprosum::reveal {
namespace {

using spec::EmptyRule;
using AlphaZero = spec::MatrixClass::AlphaZero;
using BetaZero = spec::MatrixClass::BetaZero;
using Result = EmptyRule::Result;
using Increments = std::span<const std::pair<std::int64_t, std::int64_t>>;

constexpr std::int64_t kNegative[] = {-1, -2, -7, -1000};
// Shapes up to here are all tried, with every pair of scalars.
constexpr std::int64_t kFew = 5;
constexpr int kLargerShapes = 120;
constexpr std::int64_t kMostOutputs = std::int64_t{1} << 15;  // of all of them but the largest
constexpr std::size_t kTogether = 64;
constexpr std::int64_t kOutputsTogether = std::int64_t{1} << 20;
// Shapes beyond the learned ones: all of them with few outputs, others while their outputs together
// are at most kFarOutputs.
constexpr std::int64_t kFewOutputs = std::int64_t{1} << 16, kFarOutputs = std::int64_t{1} << 25;
constexpr std::int64_t kByRows = 4;  // one of so many, where that is covered

std::optional<Result> zero_of(double value) {
  if (value != 0) return std::nullopt;
  return std::signbit(value) ? Result::minus_zero : Result::plus_zero;
}

// The zero that every call with this n gives. nullopt: the target declines it.
std::optional<Result> zero_at(Target& target, Call call, Increments increments) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all{{1, 1}, {0, 0}, {3, -5}, {-1000, 1000}};
  all.insert(all.end(), increments.begin(), increments.end());
  std::optional<Result> found;
  for (const auto& [incx, incy] : all)
    for (const int align : {0, 8, 24, 56}) {
      std::tie(call.incx, call.incy) = std::tie(incx, incy);
      call.align_a = align;
      call.align_b = (align * 3 + 8) % 64;
      if (align == 0) call.align_b = 0;  // a target may choose addresses itself
      Batch batch;
      batch.call = call;
      double value = 0;
      try {
        value = target.run(batch).front();
      } catch (const TargetError& error) {
        if (error.reason != "declined") throw;
        continue;
      }
      const auto zero = zero_of(value);
      if (!zero || (found && found != zero))
        throw Refused("unknown_arithmetic", spec::blas_name(call.routine, call.type) +
                                                " with n = " + std::to_string(call.k) +
                                                ", incx = " + std::to_string(incx) + " gave " +
                                                std::to_string(value) +
                                                ", which is no zero or another one "
                                                "than elsewhere");
      found = zero;
    }
  return found;
}

// Scalars, or values of C, that libraries treat in ways of their own, and some that show where
// products underflow.
std::vector<double> special_values(spec::Type type) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool f32 = spec::is_f32(type);
  const double tiny = f32 ? 0x1p-100 : 0x1p-800, subnormal = f32 ? 0x1p-140 : 0x1p-1060;
  return {0.0,      -0.0,      1,    -1,    2.5,       -0.75,   std::nan(""),
          infinity, -infinity, tiny, -tiny, subnormal, 1 / tiny};
}

std::vector<EmptyRule> all_rules(const Call& context, int threads, const spec::Shape3& largest) {
  EmptyRule rule;
  rule.routine = context.routine;
  rule.type = context.type;
  rule.trans_a = context.trans_a;
  rule.trans_b = context.trans_b;
  rule.threads = {threads};
  rule.m_max = largest.m;
  rule.n_max = context.routine == spec::Routine::gemv ? 1 : largest.n;
  std::vector<EmptyRule> rules{rule};
  for (const BetaZero beta_zero : {BetaZero::store, BetaZero::store_beta, BetaZero::multiply}) {
    rule.result = Result::scale;
    rule.beta_zero = beta_zero;
    rules.push_back(rule);
  }
  for (const Result result : {Result::add, Result::fuse})
    for (const BetaZero beta_zero :
         {BetaZero::store, BetaZero::store_beta, BetaZero::drop, BetaZero::multiply})
      for (const AlphaZero alpha_zero : {AlphaZero::skip, AlphaZero::compute})
        for (const bool keeps : {false, true}) {
          rule.result = result;
          rule.beta_zero = beta_zero;
          rule.alpha_zero = alpha_zero;
          rule.keeps_at_one = keeps;
          rules.push_back(rule);
        }
  return rules;
}

double value_of(const EmptyRule& rule, double alpha, double beta, double c) {
  if (spec::is_f64(rule.type)) return spec::value_of(rule, alpha, beta, c);
  return static_cast<double>(spec::value_of(rule, static_cast<float>(alpha),
                                            static_cast<float>(beta), static_cast<float>(c)));
}

class EmptyUpdates {
 public:
  EmptyUpdates(Target& target, const Call& context, const spec::Shape3& largest,
               Increments increments, std::uint64_t seed)
      : target_(target),
        context_(context),
        largest_(largest),
        increments_(increments.begin(), increments.end()),
        values_(special_values(context.type)),
        random_(seed) {
    std::erase_if(increments_,
                  [](const auto& pair) { return pair.first == 0 || pair.second == 0; });
    if (increments_.empty()) increments_ = {{1, 1}};
  }

  // Takes out the rules that are wrong in a product.
  void look(std::vector<EmptyRule>& rules) {
    for (std::int64_t m = 1; m <= std::min(kFew, largest_.m); ++m)
      for (std::int64_t n = 1; n <= (is_gemv() ? 1 : std::min(kFew, largest_.n)); ++n)
        for (const double alpha : values_)
          for (const double beta : values_) add(m, n, alpha, beta, rules);
    for (int turn = 0; turn < kLargerShapes; ++turn) {
      const std::int64_t m = size(largest_.m), n = is_gemv() ? 1 : size(largest_.n);
      if (m * n <= kMostOutputs) add(m, n, any(), any(), rules);
    }
    if (is_gemv() || !context_.row_major)
      for (const double beta : {0.0, 1.0, 2.5})
        add(largest_.m, is_gemv() ? 1 : largest_.n, -0.75, beta, rules);
    run(rules);
  }

  // The same at other shapes.
  void look(const std::vector<spec::Shape3>& shapes, std::vector<EmptyRule>& rules) {
    std::int64_t left = kFarOutputs;
    for (const spec::Shape3& shape : shapes) {
      const std::int64_t outputs = shape.m * shape.n;
      if (outputs > kFewOutputs && outputs > left) continue;
      if (outputs > kFewOutputs) left -= outputs;
      add(shape.m, shape.n, any(), any(), rules);
    }
    run(rules);
  }

 private:
  struct Product {
    Call call;
    double alpha, beta;
    std::vector<double> c;
  };

  bool is_gemv() const { return context_.routine == spec::Routine::gemv; }
  double any() { return values_[static_cast<std::size_t>(random_.below(std::ssize(values_)))]; }
  // Log-uniform.
  std::int64_t size(std::int64_t most) {
    const double value = std::exp2(random_.unit() * std::log2(static_cast<double>(most) + 1));
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(value), 1, most);
  }

  void add(std::int64_t m, std::int64_t n, double alpha, double beta,
           std::vector<EmptyRule>& rules) {
    Product product{context_, alpha, beta, {}};
    Call& call = product.call;
    call.m = m;
    call.n = n;
    call.k = 0;
    if (is_gemv()) {
      const auto at = static_cast<std::size_t>(random_.below(std::ssize(increments_)));
      std::tie(call.incx, call.incy) = increments_[at];
    } else {
      call.pad_c = random_.below(3);
    }
    call.pad_a = random_.below(3);
    const auto element = static_cast<int>(element_size(call.type));
    call.align_c = element * static_cast<int>(random_.below(64 / element));
    product.c.resize(static_cast<std::size_t>(m * n));
    for (double& value : product.c) value = any();
    products_.push_back(std::move(product));
    outputs_ += m * n;
    if (products_.size() >= kTogether || outputs_ >= kOutputsTogether) run(rules);
  }

  void run(std::vector<EmptyRule>& rules) {
    std::vector<MatrixBatch> batches;
    for (const Product& product : products_) {
      MatrixBatch& batch = batches.emplace_back();
      batch.call = product.call;
      batch.alpha = product.alpha;
      batch.beta = product.beta;
      batch.c = product.c;
    }
    const auto answers = target_.run_matrices(batches);
    for (std::size_t p = 0; p < products_.size(); ++p) judge(products_[p], answers[p], rules);
    products_.clear();
    outputs_ = 0;
  }

  void judge(const Product& product, const std::vector<double>& got,
             std::vector<EmptyRule>& rules) {
    for (std::size_t at = 0; at < got.size(); ++at) {
      std::erase_if(rules, [&](const EmptyRule& rule) {
        return !same_bits(value_of(rule, product.alpha, product.beta, product.c[at]), got[at]);
      });
      if (!rules.empty()) continue;
      throw Refused("unknown_arithmetic",
                    describe(product.call) + " with alpha = " + std::to_string(product.alpha) +
                        ", beta = " + std::to_string(product.beta) + " made " +
                        std::to_string(got[at]) + " of " + std::to_string(product.c[at]) +
                        "; no known rule for calls without summands gives all the bits");
    }
  }

  Target& target_;
  const Call context_;
  const spec::Shape3 largest_;
  std::vector<std::pair<std::int64_t, std::int64_t>> increments_;
  const std::vector<double> values_;
  FastRandom random_;
  std::vector<Product> products_;
  std::int64_t outputs_ = 0;  // theirs
};

// What the rule says of more outputs than these.
ReachRegion region_of(const EmptyRule& rule, const spec::Shape3& learned) {
  ReachRegion region{{learned.m, learned.n, 1}, {}, {}};
  region.bounds = {at_most(true, false, false, rule.m_max), at_most(false, true, false, rule.n_max),
                   at_most(false, false, true, 1)};
  if (rule.outputs_max != EmptyRule::kAnyOutputs)
    region.bounds.push_back(at_most(true, true, false, rule.outputs_max));
  return region;
}

Call context_of(const EmptyRule& rule) {
  return call_without_sizes(rule.routine, rule.type, rule.trans_a, rule.trans_b);
}

Call by_rows(const Call& context) {
  Call rows = context;
  rows.row_major = true;
  if (context.routine == spec::Routine::gemv) {
    rows.trans_a = context.trans_a == spec::Trans::no ? spec::Trans::yes : spec::Trans::no;
    return rows;
  }
  std::swap(rows.trans_a, rows.trans_b);
  return rows;
}

std::optional<EmptyRule> rule_of_sums(Target& target, Call call, int threads,
                                      Increments increments) {
  const auto at_zero = zero_at(target, call, increments);
  if (!at_zero) return std::nullopt;
  EmptyRule rule;
  rule.routine = call.routine;
  rule.type = call.type;
  rule.threads = {threads};
  rule.result = *at_zero;
  for (const std::int64_t n : kNegative) {
    call.k = n;
    const auto zero = zero_at(target, call, increments);
    if (!zero) return rule;
    if (rule.below_zero && rule.below_zero != zero)
      throw Refused("unknown_arithmetic", spec::blas_name(call.routine, call.type) +
                                              " gives +0 for some n < 0 and -0 for others");
    rule.below_zero = zero;
  }
  return rule;
}

}  // namespace

std::optional<EmptyRule> empty_rule(Target& target, const Call& context, int threads,
                                    const spec::Shape3& largest, Increments increments,
                                    std::uint64_t seed) {
  if (!spec::has_matrices(context.routine))
    return rule_of_sums(target, context, threads, increments);
  std::vector<EmptyRule> rules = all_rules(context, threads, largest);
  try {
    EmptyUpdates(target, context, largest, increments, seed).look(rules);
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    return std::nullopt;
  }
  EmptyRule rule = rules.front();
  try {
    std::vector<EmptyRule> same{rule};
    EmptyUpdates(target, by_rows(context), largest, increments, seed + 1).look(same);
    rule.row_major = true;
  } catch (const Refused&) {
    // The rule is for column-major calls alone.
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
  }
  return rule;
}

bool holds_beyond(Target& target, const EmptyRule& rule, const spec::Shape3& learned,
                  Increments increments, std::uint64_t seed) {
  const std::vector<spec::Shape3> shapes = plan_reach(region_of(rule, learned), seed);
  std::vector<spec::Shape3> by_row;
  if (rule.row_major)
    for (std::size_t at = 0; at < shapes.size(); at += kByRows) by_row.push_back(shapes[at]);
  try {
    for (const auto& [call, some] :
         {std::pair(context_of(rule), &shapes), {by_rows(context_of(rule)), &by_row}}) {
      std::vector<EmptyRule> one{rule};
      EmptyUpdates(target, call, learned, increments, seed + 1).look(*some, one);
    }
  } catch (const Refused&) {
    return false;  // the target does something else there
  }
  return true;
}

void reach_beyond(Target& target, EmptyRule& rule, const CaptureOptions::Reach& reach,
                  Increments increments, std::uint64_t seed) {
  // Products of one row or one column stay such.
  const auto size = [&](std::int64_t learned) {
    return learned == 1 ? 1 : std::max(learned, reach.size);
  };
  EmptyRule raised = rule;
  raised.m_max = size(rule.m_max);
  raised.n_max = size(rule.n_max);
  if (raised == rule) return;
  if (raised.n_max > 1) raised.outputs_max = std::max(reach.elements, rule.m_max * rule.n_max);
  if (holds_beyond(target, raised, {rule.m_max, rule.n_max, 1}, increments, seed)) rule = raised;
}

}  // namespace reprosum::reveal
