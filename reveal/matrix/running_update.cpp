#include "reveal/matrix/running_update.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/check_update.h"
#include "reveal/matrix/plain_order.h"
#include "reveal/matrix/rule_update.h"
#include "reveal/matrix/simplify_update.h"
#include "reveal/matrix/update_data.h"
#include "reveal/matrix/zero_scalars.h"
#include "reveal/refused.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/running_sum.h"

namespace reprosum::reveal {
namespace {

using spec::Child;
using spec::Order;
using spec::Parts;
using spec::Regime;
using spec::Scale;
using spec::Split;
using BetaZero = spec::MatrixClass::BetaZero;

constexpr std::int64_t kRows = 24;        // outputs of one call
constexpr std::int64_t kCalls = 6;        // of each size that candidates are compared at
constexpr std::int64_t kFirstSizes = 5;   // that a candidate must explain
constexpr std::int64_t kLeastGain = 8;    // sizes, or all that there are
constexpr std::size_t kMostRules = 6;     // one of which may go down to one summand
constexpr std::int64_t kLeastSums = 200;  // what is not few
constexpr spec::Linear kOnce{0, 0, 1};
constexpr int kMaxRounds = 12;                                  // of refuted ends
constexpr std::int64_t kSizesBeyond = 12, kOutputsBeyond = 64;  // that a rule is tried at
constexpr std::int64_t kSizesAtEnd = 6;  // beside an end that was found by bisection

// A +0 that is added before the rest of a root chain is added after its first item: the same sum.
void output_first(spec::Schema& schema) {
  std::vector<spec::Item>& items = schema.chains.back().items;
  if (items.size() < 2 || !items[0].shape.is_leaf() || items[0].shape.leaf != spec::Leaf::zero)
    return;
  const spec::Shape& second = items[1].shape;
  const bool is_fused =
      second.scale == Scale::fused || (second.is_leaf() && (second.leaf == spec::Leaf::fused ||
                                                            second.leaf == spec::Leaf::out_fused));
  if (!is_fused && items[1].times == kOnce && items[1].times2 == kOnce)
    std::swap(items[0], items[1]);
}

void output_first(Order& order) {
  for (Regime& regime : order.regimes) {
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : listed->entries) output_first(entry.tree);
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) output_first(one.schema);
  }
}

// Whether the rule of a loop also gives a tree for every size below its regime.
bool goes_down(const Regime& regime) {
  const auto* loop = std::get_if<spec::Loop>(&regime.rule);
  if (loop == nullptr || loop->pad || regime.lo > kLeastSums) return false;
  const Order order{false, {{1, regime.hi, *loop}}, {}};
  try {
    for (std::int64_t n = 1; n < regime.lo; ++n) spec::expand(order, n);
  } catch (const UserError&) {
    return false;
  }
  return true;
}

// Without the +0 of its own lanes: kernels that have a sum to go on from may start others with
// their first products.
Order without_zeros(Order order) {
  const auto strip = [](spec::Schema& schema) {
    for (spec::Chain& chain : schema.chains)
      if (chain.items.size() > 1)
        std::erase_if(chain.items, [](const spec::Item& item) {
          return item.shape.is_leaf() && item.shape.leaf == spec::Leaf::zero;
        });
  };
  for (Regime& regime : order.regimes) {
    if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : listed->entries) strip(entry.tree);
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) strip(one.schema);
  }
  for (Order& sub : order.subs) sub = without_zeros(std::move(sub));
  return order;
}

// Whether the rule says the same where it is the rule of another order's regime.
bool names_only_subs(const spec::Rule& rule) {
  const auto is_sub = [](const Child& child) { return child.kind == Child::Kind::sub; };
  if (const auto* split = std::get_if<Split>(&rule))
    return is_sub(split->left) && is_sub(split->right);
  if (const auto* parts = std::get_if<Parts>(&rule)) return is_sub(parts->child);
  return true;
}

class Continuation {
 public:
  Continuation(Target& target, const CellsAt& cells, const KnownClassOrder& known, std::int64_t lo,
               std::int64_t hi, const ClassOptions& options)
      : target_(target),
        options_(options),
        cells_(target, cells),
        first_call_(target.calls()),
        known_(known),
        lo_(lo),
        hi_(hi),
        random_(options.seed * 53 + static_cast<std::uint64_t>(lo)) {
    known_.order = clipped(std::move(known_.order), lo - 1);
    while (hi_ >= lo_ && !cells_.has_shape(hi_)) --hi_;
    if (hi_ >= lo_) type_ = cells(hi_)->call.type;
  }

  std::optional<ClassOrder> run() {
    look_at_first_sizes();
    if (seen_.empty()) return std::nullopt;
    look_for_candidates();
    KnownClassOrder found = known_;
    found.k_max = hi_;
    for (int round = 0; round < kMaxRounds; ++round) {
      const Order* best = longest_right();
      if (best == nullptr || found.k_max < least_end()) return std::nullopt;
      found.order = *best;
      simplify_update(found.order, found.k_max);
      UpdateCheck check;
      const std::int64_t wrong = first_wrong(found, check);
      if (wrong == 0) return certified(found, check);
      // Another candidate may be right there; if none is, this one ends before.
      if (!seen_.contains(wrong)) {
        seen_.emplace(wrong, observations(wrong));
        if (!explains(*best, seen_.at(wrong))) continue;
      }
      found.k_max = end_below(found.order, wrong);
      log("goes on up to " + std::to_string(found.k_max) + ": " + check.what);
    }
    return std::nullopt;
  }

 private:
  // ---- what is compared ----

  void look_at_first_sizes() {
    std::set<std::int64_t> sizes;
    for (const std::int64_t step : {0, 1, 2, 3, 4, 6, 9, 13, 20, 31, 47}) sizes.insert(lo_ + step);
    for (const double times : {1.3, 1.7, 1.99, 2.0, 2.4, 3.0, 3.9})
      sizes.insert(static_cast<std::int64_t>(static_cast<double>(lo_) * times));
    for (const std::int64_t k : sizes)
      if (k <= hi_ && cells_.has_shape(k)) seen_.emplace(k, observations(k));
  }

  std::vector<Observation> observations(std::int64_t k) {
    const std::int64_t width = std::min(cells_.best_packing(k).second, kRows);
    std::vector<UpdateRows> data;
    for (std::int64_t call = 0; call < kCalls; ++call) {
      const Data kind = call % 3 == 2 ? Data::zeros : call % 2 == 1 ? Data::wide : Data::ordinary;
      const double alpha =
          draw(known_.alpha_one_only ? Scalar::one : Scalar::random, type_, random_);
      const double beta = draw(Scalar::random, type_, random_);
      data.push_back(random_update(cells_, type_, k, width, kind, alpha, beta, random_));
    }
    return observe(cells_, std::move(data));
  }

  bool explains(const Order& order, const std::vector<Observation>& all) const {
    return std::all_of(all.begin(), all.end(), [&](const Observation& one) {
      return first_difference(one, order, type_, BetaZero::store,
                              spec::MatrixClass::AlphaZero::compute) < 0;
    });
  }

  // ---- candidates ----

  // Those that explain the first sizes.
  void look_for_candidates() {
    const auto look = [&](Order order) {
      auto size = seen_.begin();
      for (std::int64_t k = 0; k < kFirstSizes && size != seen_.end(); ++k, ++size)
        if (!explains(order, size->second)) return;
      candidates_.push_back(std::move(order));
    };
    const auto look_at_sum = [&](const Order& sum) {
      for (const Scale scale : scales()) look(buffered(sum, scale));
    };
    for (const Order& all : blocks())
      for (std::int64_t m = 2; m < lo_; ++m) {
        if (!spec::covers(all, m)) continue;
        const Order block = clipped(all, m);
        look(through(known_.order, lo_, block, m));
        // The sum of such blocks may be nowhere in place, at sizes that are known one by one.
        if (2 * m < lo_)
          look_at_sum(spec::without_update(through(clipped(known_.order, m), m + 1, block, m)));
      }
    for (const Order& sum : sums_from_nothing()) look_at_sum(sum);
  }

  // The candidate that explains most sizes from the first on, the simplest one of these.
  const Order* longest_right() const {
    const Order* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const Order& order : candidates_) {
      const auto wrong = std::find_if(seen_.begin(), seen_.end(), [&](const auto& size) {
        return !explains(order, size.second);
      });
      const std::ptrdiff_t right = std::distance(seen_.begin(), wrong);
      if (right <= most) continue;
      most = right;
      best = &order;
    }
    return best;
  }

  static std::vector<Order> with_and_without_zeros(const Order& order) {
    std::vector<Order> both{order};
    if (Order bare = without_zeros(order); bare != order) both.push_back(std::move(bare));
    return both;
  }

  // What the known order may do to a sum instead of C. Few summands alone may go through other code
  // than few that are left over behind a block: then a later rule goes down to one.
  std::vector<Order> blocks() const {
    std::vector<Order> found;
    for (std::size_t k = 0; k < std::min(known_.order.regimes.size(), kMostRules); ++k) {
      Order order = known_.order;
      order.regimes.erase(order.regimes.begin(),
                          order.regimes.begin() + static_cast<std::ptrdiff_t>(k));
      if (k > 0 && !goes_down(order.regimes[0])) continue;
      order.regimes[0].lo = 1;
      for (Order& block : with_and_without_zeros(order)) {
        output_first(block);
        if (spec::begins_with_output(block)) found.push_back(std::move(block));
      }
    }
    return found;
  }

  // `order` with one more regime, from `from` on, that names `sub` as its first sub-order.
  static Order with_regime(Order order, std::int64_t from, spec::Rule rule, Order sub) {
    renumber_subs(rule, static_cast<std::int32_t>(order.subs.size()));
    order.subs.push_back(std::move(sub));
    order.regimes.push_back({from, spec::kMaxLeaves, std::move(rule)});
    return order;
  }

  // Blocks of m go on as `block` from what `order` is below `from`.
  static Order through(const Order& order, std::int64_t from, const Order& block, std::int64_t m) {
    Split split;
    split.kind = Split::Kind::last;
    split.m = m;
    split.through = true;
    split.right = {Child::Kind::sub, 0};
    return with_regime(order, from, split, block);
  }

  std::vector<Scale> scales() const {
    if (known_.alpha_one_only) return {Scale::none};
    return {Scale::rounded, Scale::fused};
  }

  // The sums of the known order that begin with nothing, its last rule going on.
  std::vector<Order> sums_from_nothing() const {
    if (std::holds_alternative<spec::Explicit>(known_.order.regimes.back().rule)) return {};
    try {
      Order sum = spec::without_update(known_.order);
      sum.regimes.back().hi = spec::kMaxLeaves;
      return with_and_without_zeros(sum);
    } catch (const UserError&) {
      return {};  // it has no plain form
    }
  }

  Order buffered(const Order& sum, Scale scale) const {
    RuleUpdate whole = whole_sum(sum, Parts::Onto::first, scale);
    return with_regime(known_.order, lo_, std::move(whole.rule), std::move(whole.subs[0]));
  }

  // ---- how far, and the certificate ----

  // So many sizes at least, or all that there are.
  std::int64_t least_end() const { return lo_ + std::min(kLeastGain, hi_ - lo_ + 1) - 1; }

  // The last k before which nothing is refuted. @pre the order is wrong at `wrong`.
  std::int64_t end_below(const Order& order, std::int64_t wrong) {
    std::int64_t right = lo_ - 1;
    for (const auto& [k, all] : seen_) {
      if (k >= wrong || !explains(order, all)) break;
      right = k;
    }
    while (wrong - right > 1) {
      const std::int64_t middle = right + (wrong - right) / 2;
      if (!cells_.has_shape(middle) || explains(order, observations(middle)))
        right = middle;
      else
        wrong = middle;
    }
    return right;
  }

  // Settles what zero scalars do; then a k at which the bits are others, or 0.
  std::int64_t first_wrong(KnownClassOrder& found, UpdateCheck& check) {
    constexpr std::int64_t kResidues = 12;
    std::set<std::int64_t> telling;
    for (const std::int64_t k : telling_sizes(found.order, found.k_max, kResidues, lo_))
      if (k >= lo_) telling.insert(k);
    for (std::int64_t k = std::max(lo_, found.k_max - kSizesAtEnd); k <= found.k_max; ++k)
      telling.insert(k);
    for (const std::int64_t k : telling)
      if (cells_.has_shape(k) && !explains(found.order, observations(k))) {
        check.what = cells_.describe(k) + ": other bits";
        return k;
      }
    try {
      decide_zero_scalars(cells_, type_, found, lo_, options_);
    } catch (const RefusedAt& refused) {
      check.what = refused.what();
      return std::max(refused.n, lo_);
    }
    std::vector<std::int64_t> sizes =
        update_sizes(found.order, lo_, found.k_max, options_.seed * 11);
    std::erase_if(sizes, [&](std::int64_t k) { return k < lo_; });
    check =
        check_update(cells_, type_, found, sizes, options_.random_vectors, options_.seed * 11 + 1);
    return check.wrong ? check.wrong->data.k : 0;
  }

  std::optional<ClassOrder> certified(KnownClassOrder found, const UpdateCheck& check) {
    found.finite_only |= check.special_differs;
    ClassOrder result;
    try {
      result.all_nodes = check_plain_nodes(cells_, type_, spec::without_update(found.order), lo_,
                                           found.k_max, options_.seed + 3);
    } catch (const Refused& refused) {
      log(std::string("does not go on: ") + refused.what());
      return std::nullopt;
    }
    result.order = found.order;
    result.beta_zero = found.beta_zero;
    result.beta_zero_up_to = found.beta_zero_up_to;
    result.alpha_zero = found.alpha_zero;
    result.k_max = found.k_max;
    result.alpha_one_only = found.alpha_one_only;
    result.finite_only = found.finite_only;
    result.is_all_below = true;
    result.random_vectors = check.outputs;
    result.calls = target_.calls() - first_call_;
    result.not_checked.push_back(
        "a k that differs alone from blocks that go on, between the sizes that were tested");
    if (found.alpha_one_only) result.not_checked.push_back("alpha other than 1");
    return result;
  }

  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  Target& target_;
  const ClassOptions& options_;
  CellTarget cells_;
  const std::int64_t first_call_;
  KnownClassOrder known_;
  const std::int64_t lo_;
  std::int64_t hi_;
  spec::Type type_{};
  FastRandom random_;
  std::map<std::int64_t, std::vector<Observation>> seen_;  // of the first sizes, and refuting ones
  std::vector<Order> candidates_;                          // simple ones first
};

}  // namespace

std::optional<KnownClassOrder> joined(std::span<const KPiece> pieces) {
  if (pieces.empty()) return std::nullopt;
  KnownClassOrder result;
  std::int64_t next = 1;
  for (const KPiece& piece : pieces) {
    if (!piece.order || piece.lo != next) return std::nullopt;
    next = piece.hi + 1;
    const ClassOrder& found = *piece.order;
    const bool is_first = piece.lo == 1;
    if (is_first) result.alpha_zero = found.alpha_zero;
    if (found.alpha_zero != result.alpha_zero) return std::nullopt;
    result.alpha_one_only |= found.alpha_one_only;
    result.finite_only |= found.finite_only;
    for (const auto& [up_to, rule] : found.beta_zero_up_to)
      if (up_to >= piece.lo && up_to < piece.hi) result.beta_zero_up_to.emplace_back(up_to, rule);
    result.beta_zero_up_to.emplace_back(
        piece.hi, spec::MatrixClass::rule_at(found.beta_zero_up_to, found.beta_zero, piece.hi));
    const Order order = clipped(found.order, piece.hi);
    if (found.is_all_below) {
      result.order = order;
      continue;
    }
    const auto subs = static_cast<std::int32_t>(result.order.subs.size());
    if (order.zero_start && !is_first) return std::nullopt;
    if (is_first) result.order.zero_start = order.zero_start;
    for (const Order& sub : order.subs) result.order.subs.push_back(sub);
    for (Regime regime : order.regimes) {
      if (regime.hi < piece.lo) continue;
      if (!is_first && !names_only_subs(regime.rule)) return std::nullopt;
      regime.lo = std::max(regime.lo, piece.lo);
      if (auto* listed = std::get_if<spec::Explicit>(&regime.rule))
        std::erase_if(listed->entries, [&](const auto& one) { return one.n < regime.lo; });
      renumber_subs(regime.rule, subs);
      result.order.regimes.push_back(std::move(regime));
    }
  }
  result.k_max = next - 1;
  result.beta_zero = result.beta_zero_up_to.back().second;
  result.beta_zero_up_to.pop_back();
  return result;
}

std::optional<ClassOrder> go_on(Target& target, const CellsAt& cells, const KnownClassOrder& known,
                                std::int64_t lo, std::int64_t hi, const ClassOptions& options) {
  if (known.order.zero_start || known.order.regimes.empty() || lo < 3) return std::nullopt;
  return Continuation(target, cells, known, lo, hi, options).run();
}

std::optional<ClassOrder> gone_on(Target& target, const CellsAt& cells, const ClassOrder& learned,
                                  std::int64_t lo, std::int64_t hi, const ClassOptions& options) {
  KPiece below{1, lo - 1, learned};
  auto known = joined({&below, 1});
  const auto longest = cells(hi);
  if (!known || !longest) return std::nullopt;
  CellTarget looked(target, cells);
  known->k_max = hi;
  known->order = learned.order;
  const auto first_wrong = [&](std::span<const std::int64_t> sizes) -> std::int64_t {
    for (const std::int64_t k : sizes)
      if (!spec::covers(known->order, k)) return k;
    const auto check = check_update(looked, longest->call.type, *known, sizes,
                                    kOutputsBeyond * std::ssize(sizes), options.seed + 22);
    return check.wrong ? check.wrong->data.k : check.special_differs ? sizes.front() : 0;
  };
  std::vector<std::int64_t> sizes;
  FastRandom random(options.seed + 21);
  for (std::int64_t turn = 0; turn < kSizesBeyond; ++turn)
    sizes.push_back(turn % 3 == 0 ? std::min(hi, lo + random.below(lo))
                                  : lo + random.below(hi - lo + 1));
  std::int64_t wrong = first_wrong(sizes);
  if (wrong == 0) return std::nullopt;
  // Blocks may be longer than what was learned: they end where the order does.
  for (std::int64_t right = lo - 1; wrong - right > 1;) {
    const std::int64_t middle = right + (wrong - right) / 2;
    (first_wrong({&middle, 1}) != 0 ? wrong : right) = middle;
  }
  below.hi = wrong - 1;
  known = joined({&below, 1});
  if (!known) return std::nullopt;
  const auto more = go_on(target, cells, *known, wrong, hi, options);
  if (!more || !more->is_all_below || more->alpha_one_only != learned.alpha_one_only ||
      more->finite_only != learned.finite_only)
    return std::nullopt;
  const KPiece both[] = {below, {wrong, more->k_max, more}};
  const auto whole = joined(both);
  if (!whole) return std::nullopt;
  ClassOrder result = learned;
  result.order = whole->order;
  // Blocks go on for ever as far as this says; how far they are right is the caller's to find.
  Regime& last = result.order.regimes.back();
  if (!std::holds_alternative<spec::Explicit>(last.rule)) last.hi = spec::kMaxLeaves;
  result.beta_zero = whole->beta_zero;
  result.beta_zero_up_to = whole->beta_zero_up_to;
  return result;
}

}  // namespace reprosum::reveal
