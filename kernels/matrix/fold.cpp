#include "kernels/matrix/fold.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "kernels/walk_rules.h"

namespace reprosum::kernels {
namespace {

using spec::Leaf;
using spec::Scale;

struct NotAFold {
  const char* why;
};

// One summand that stands alone.
const spec::Rule& single_summand() {
  static const spec::Rule rule = [] {
    spec::Item item;
    item.times = {1, 0, 0};
    item.step = {0, 0, 1};
    spec::Loop loop;
    loop.cases = {{0, 0, {{{spec::Format::narrow, {item}}}}}};
    return spec::Rule(loop);
  }();
  return rule;
}

// Values of the walk: the steps that make them. No steps: absent.
struct Steps {
  using Value = std::vector<FoldStep>;
  const OutputMode mode;
  const PieceRules& rules;

  static void require(bool wide) {
    if (wide) throw NotAFold{"wide values"};
  }
  static bool is_zero(const Value& value) {
    return value.size() == 1 && value[0].kind == FoldStep::Kind::zero;
  }

  std::optional<Value> piece(const spec::Rule& rule, std::int64_t n, std::int64_t at) const {
    if (!rules.is_piece(rule, n)) return std::nullopt;
    FoldStep step;
    step.kind = FoldStep::Kind::piece;
    step.rule = &rule;
    step.n = n;
    step.at = at;
    return Value{step};
  }
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
    if (mode == OutputMode::dropped_zeros) return {};
    if (leaf != Leaf::zero) {
      if (mode == OutputMode::dropped) return {};
      if (mode == OutputMode::value) step.kind = FoldStep::Kind::output;
    }
    return {step};
  }
  static void add(spec::Format, Value& sum, const Value& right, Scale scale) {
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
    } else if (addend.size() == 1 && addend[0].kind != FoldStep::Kind::output &&
               !addend[0].fuses_output) {
      sum.push_back(addend[0]);
    } else {
      throw NotAFold{"sums of sums of pieces"};
    }
  }
  static void scale(Value& value) {
    if (value.size() != 1 || value[0].kind == FoldStep::Kind::output ||
        value[0].scale != Scale::none || value[0].fuses_output)
      throw NotAFold{"alpha meets a sum of pieces"};
    value[0].scale = Scale::rounded;
  }
  void fuse_output(spec::Format, Value& sum) const {
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
    steps = RuleWalk<Steps>(values).run(order, n);
    for (std::size_t k = 1; k < steps.size(); ++k)
      if (steps[k].rule != nullptr && kernels::names_output(*steps[k].rule))
        throw NotAFold{"a later piece names the output"};
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
  for (spec::Order& sub : result.subs) sub = with_output(sub, mode);
  return result;
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
