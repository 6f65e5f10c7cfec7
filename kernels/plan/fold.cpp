#include "kernels/plan/fold.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <variant>

#include "spec/evaluate/walk_rules.h"
#include "spec/expand.h"
#include "spec/running_sum.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

using spec::Leaf;
using spec::Scale;

struct NotAFold {
  const char* why;
};
constexpr std::size_t kMaxSteps = 8192;  // of a fold

// One summand that stands alone.
const spec::Rule& single_summand() {
  static std::atomic<const spec::Rule*> rule{nullptr};
  return base::made_once(rule, [] {
    spec::Item item;
    item.times = {1, 0, 0};
    item.step = {0, 0, 1};
    spec::Loop loop;
    loop.cases = {{0, 0, {{{spec::NodeFormat::narrow, {item}}}}}};
    return spec::Rule(loop);
  });
}

// Values of the walk: the steps that make them. (A sum goes on in place, in C.) No steps: absent.
struct Steps {
  using Value = std::vector<FoldStep>;
  const OutputMode mode;
  const PieceRules& rules;
  std::vector<Value> sums{};  // what pieces go on from, the innermost last

  static void require(bool wide) {
    if (wide) throw NotAFold{"wide values"};
  }
  static bool is_zero(const Value& value) {
    return value.size() == 1 && value[0].kind == FoldStep::Kind::zero;
  }

  std::optional<Value> piece(const spec::Order&, const spec::Rule& rule, std::int64_t n,
                             std::int64_t at) const {
    if (!rules.is_piece(rule, n)) return std::nullopt;
    FoldStep step;
    step.kind = FoldStep::Kind::piece;
    step.rule = &rule;
    step.n = n;
    step.at = at;
    if (sums.empty() || !kernels::names_output(rule)) return Value{step};
    step.goes_on = true;
    Value value = sums.back();
    if (value.size() >= kMaxSteps) throw NotAFold{"too many pieces"};
    value.push_back(step);
    return value;
  }
  void bind(Value sum) { sums.push_back(std::move(sum)); }
  void unbind() { sums.pop_back(); }
  static Value single(std::int64_t at) {
    FoldStep step;
    step.kind = FoldStep::Kind::piece;
    step.rule = &single_summand();
    step.n = 1;
    step.at = at;
    return {step};
  }
  Value constant(Leaf leaf) const {
    FoldStep step;
    if (leaf != Leaf::zero && !sums.empty()) return sums.back();
    if (mode == OutputMode::dropped_zeros) return {};
    if (leaf != Leaf::zero) {
      if (mode == OutputMode::dropped) return {};
      if (mode == OutputMode::value) step.kind = FoldStep::Kind::output;
    }
    return {step};
  }
  static void add(spec::NodeFormat, Value& sum, const Value& right, Scale scale) {
    if (right.empty()) return;
    Value addend = right;
    if (scale != Scale::none) {
      Steps::scale(addend);
      if (!sum.empty()) addend[0].scale = scale;
    }
    if (sum.empty()) {
      sum = std::move(addend);
    } else if (is_zero(sum) && scale == Scale::none) {  // +0 + v is v + +0
      addend.push_back(sum[0]);
      sum = std::move(addend);
    } else {
      if (sum.size() >= kMaxSteps) throw NotAFold{"too many pieces"};
      sum.push_back(as_step(std::move(addend)));
    }
  }
  static void scale(Value& value) {
    value = {as_step(std::move(value))};
    if (value[0].scale != Scale::none) throw NotAFold{"alpha meets a value twice"};
    value[0].scale = Scale::rounded;
  }
  // What is made apart from C, and so without it.
  static FoldStep as_step(Value value) {
    for (const FoldStep& step : value) {
      if (step.kind == FoldStep::Kind::output || step.fuses_output)
        throw NotAFold{"the output is part of a sum that is made apart"};
      if (step.kind == FoldStep::Kind::sum && value.size() > 1)
        throw NotAFold{"sums of sums of sums of pieces"};
    }
    if (value.size() == 1) return value[0];
    FoldStep sum;
    sum.kind = FoldStep::Kind::sum;
    sum.steps = std::move(value);
    return sum;
  }
  void fuse_output(spec::NodeFormat, Value& sum) const {
    if (is_dropped(mode)) return;
    if (mode == OutputMode::zero) {
      sum.push_back({});
      return;
    }
    if (sum.size() != 1 || sum[0].kind != FoldStep::Kind::piece)
      throw NotAFold{"the output is fused with a sum of pieces"};
    sum[0].fuses_output = true;
  }
};

bool is_output(const spec::Item& item) {
  return item.shape.is_leaf() &&
         (item.shape.leaf == Leaf::out || item.shape.leaf == Leaf::out_fused);
}

bool is_zero(const spec::Item& item) {
  return item.shape.is_leaf() && item.shape.leaf == Leaf::zero;
}

void replace(spec::Schema& schema, OutputMode mode) {
  for (spec::Chain& chain : schema.chains) {
    if (is_dropped(mode)) std::erase_if(chain.items, is_output);
    if (mode == OutputMode::dropped_zeros) std::erase_if(chain.items, is_zero);
    for (spec::Item& item : chain.items)
      if (is_output(item)) item.shape.leaf = Leaf::zero;
  }
}

// A sub-order that goes on from the sum so far, without its +0.
spec::Order without_zeros(spec::Order order) {
  const auto strip = [](spec::Schema& schema) {
    for (spec::Chain& chain : schema.chains) std::erase_if(chain.items, is_zero);
  };
  for (spec::Regime& regime : order.regimes) {
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (spec::Loop::Case& c : loop->cases) strip(c.schema);
    if (auto* trees = std::get_if<spec::Explicit>(&regime.rule))
      for (spec::Explicit::Entry& entry : trees->entries) strip(entry.tree);
  }
  for (spec::Order& sub : order.subs) {
    sub.zero_start = false;
    sub = without_zeros(std::move(sub));
  }
  return order;
}

bool names_output(const spec::Schema& schema) {
  return std::any_of(schema.chains.begin(), schema.chains.end(), [](const spec::Chain& chain) {
    return std::any_of(chain.items.begin(), chain.items.end(), is_output);
  });
}

}  // namespace

bool fold_of(const spec::Order& order, std::int64_t n, OutputMode mode, const PieceRules& rules,
             std::vector<FoldStep>& steps, std::string& why) {
  try {
    Steps values{mode, rules};
    steps = spec::RuleWalk<Steps>(values).run(order, n);
    const auto check = [](const FoldStep& step) {
      if (!step.goes_on && step.rule != nullptr && kernels::names_output(*step.rule))
        throw NotAFold{"a later piece names the output"};
    };
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (k > 0) check(steps[k]);
      for (const FoldStep& inner : steps[k].steps) check(inner);
    }
    return true;
  } catch (const NotAFold& reason) {
    why = reason.why;
    return false;
  }
}

spec::Order with_output(const spec::Order& order, OutputMode mode) {
  spec::Order result = order;
  if (mode == OutputMode::value) return result;
  if (mode == OutputMode::dropped_zeros) result.zero_start = false;
  for (spec::Regime& regime : result.regimes) {
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (spec::Loop::Case& c : loop->cases) replace(c.schema, mode);
    if (auto* trees = std::get_if<spec::Explicit>(&regime.rule))
      for (spec::Explicit::Entry& entry : trees->entries) replace(entry.tree, mode);
  }
  // What goes on from the sum so far names that, and not the output.
  const std::vector<bool> running = spec::running_subs(order);
  for (std::size_t k = 0; k < running.size(); ++k) {
    if (!running[k])
      result.subs[k] = with_output(result.subs[k], mode);
    else if (mode == OutputMode::dropped_zeros)
      result.subs[k] = without_zeros(result.subs[k]);
  }
  return result;
}

bool depends_on_data(const spec::Order& order, std::int64_t k, OutputMode mode) {
  if (!is_dropped(mode) || !spec::leaves_products_out(order)) return false;
  const spec::Regime* const regime = spec::regime_of(order, k);
  if (regime == nullptr) return true;
  // Other rules name sums of other sizes.
  spec::Order one{false, {*regime}, {}};
  if (auto* trees = std::get_if<spec::Explicit>(&one.regimes[0].rule))
    std::erase_if(trees->entries, [&](const auto& entry) { return entry.n != k; });
  else if (!std::holds_alternative<spec::Loop>(regime->rule))
    return true;
  return spec::leaves_products_out(one) || spec::has_sub_runs(order);
}

bool names_output(const spec::Rule& rule) {
  if (const auto* loop = std::get_if<spec::Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& c) { return names_output(c.schema); });
  if (const auto* trees = std::get_if<spec::Explicit>(&rule))
    return std::any_of(trees->entries.begin(), trees->entries.end(),
                       [](const auto& entry) { return names_output(entry.tree); });
  return false;
}

}  // namespace reprosum::kernels
