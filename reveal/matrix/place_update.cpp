// Regime after regime, so that what is tried is a sum and not a product of the ways.
#include "reveal/matrix/place_update.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "reveal/matrix/buffered_update.h"
#include "reveal/matrix/rule_update.h"
#include "reveal/matrix/schema_update.h"
#include "reveal/matrix/simplify_update.h"
#include "reveal/matrix/skipped_factors.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Order;
using spec::Regime;
using spec::Split;

constexpr std::int64_t kRows = 32;      // outputs per size: each refutes a wrong way half the time
constexpr std::int64_t kMostSizes = 9;  // of one regime, or one case of a loop
constexpr std::int64_t kMostListed = 32;  // sizes of a regime that are placed one by one
constexpr std::int64_t kDearSize = 6000;  // above, only the start of a regime is looked at
constexpr std::int64_t kSignCalls = 16;   // with zeros and alpha < 0, up to kMostSummands
constexpr std::int64_t kMostSummands = 64;
constexpr std::int64_t kVanishingCalls = 8;  // with factors that alpha rounds to zero
constexpr std::int64_t kUnderflowCalls = 6;  // with sums that alpha rounds to zero

// Which sizes are looked at: k in [lo, hi] that are multiples of `step`.
struct Window {
  std::int64_t lo = 1, hi = 1, step = 1;
  bool holds(std::int64_t k) const { return lo <= k && k <= hi && k % step == 0; }
};

struct Found {
  spec::Rule rule;
  std::vector<Order> subs;
};

class Placer {
 public:
  Placer(CellTarget& cells, spec::Type type, const ClassOptions& options, bool alpha_one,
         const std::vector<Observation>& counterexamples)
      : cells_(cells),
        type_(type),
        options_(options),
        alpha_one_(alpha_one),
        random_(options.seed * 97 + 13) {
    for (const Observation& seen : counterexamples)
      if (!alpha_one || seen.data.alpha == 1) seen_[seen.data.k].push_back(seen);
  }

  // nullopt: some regime has no placement; unexplained() says where.
  std::optional<Order> place(const Order& plain, const Window& window) {
    has_skips_ = has_skips_ || spec::leaves_products_out(plain);
    Order result;
    const auto append = [&](const Regime& regime, Found found) {
      const auto first = static_cast<std::int32_t>(result.subs.size());
      for (Order& sub : found.subs) result.subs.push_back(std::move(sub));
      renumber_subs(found.rule, first);
      result.regimes.push_back({regime.lo, regime.hi, std::move(found.rule)});
    };
    for (std::size_t k = 0; k < plain.regimes.size(); ++k) {
      const Regime& regime = plain.regimes[k];
      unexplained_ = 0;
      if (auto found = place_regime(plain, k, window)) {
        append(regime, std::move(*found));
        continue;
      }
      // Short sums may go through other code.
      bool cut = false;
      for (const std::int64_t border : borders(regime)) {
        const Order parts = listed_below(plain, k, border);
        auto head = place_regime(parts, k, window);
        auto rest = head ? place_regime(parts, k + 1, window) : std::nullopt;
        if (!rest) continue;
        append(parts.regimes[k], std::move(*head));
        append(parts.regimes[k + 1], std::move(*rest));
        cut = true;
        break;
      }
      if (!cut) return std::nullopt;
    }
    return result;
  }

  std::int64_t unexplained() const { return unexplained_; }

 private:
  // Where the sizes that are listed one by one could end.
  static std::vector<std::int64_t> borders(const Regime& regime) {
    const auto* loop = std::get_if<spec::Loop>(&regime.rule);
    if (loop == nullptr || loop->pad) return {};
    std::set<std::int64_t> ends;
    for (const std::int64_t end :
         {regime.lo, loop->block - 1, 2 * loop->block - 1, std::int64_t{4}, std::int64_t{8}})
      if (end >= regime.lo && end < regime.hi && end - regime.lo < kMostListed) ends.insert(end);
    return {ends.begin(), ends.end()};
  }

  // Loop regime k with its sizes up to `border` listed one by one in a regime before it. The
  // result is not used as an order: children that name regimes are not renumbered.
  static Order listed_below(const Order& plain, std::size_t k, std::int64_t border) {
    Order result = plain;
    const Regime& regime = plain.regimes[k];
    const auto& loop = std::get<spec::Loop>(regime.rule);
    spec::Explicit listed;
    for (std::int64_t n = regime.lo; n <= border; ++n)
      for (const auto& one : loop.cases)
        if (one.r_lo <= n % loop.block && n % loop.block <= one.r_hi)
          listed.entries.push_back({n, at_size(one.schema, n / loop.block, n % loop.block)});
    result.regimes[k].lo = border + 1;
    result.regimes.insert(result.regimes.begin() + static_cast<std::ptrdiff_t>(k),
                          {regime.lo, border, listed});
    return result;
  }

  std::optional<Found> place_regime(const Order& plain, std::size_t index, const Window& window) {
    const Regime& regime = plain.regimes[index];
    if (const auto* listed = std::get_if<spec::Explicit>(&regime.rule)) {
      spec::Explicit result;
      for (const auto& entry : listed->entries) {
        const auto candidate = [&](const spec::Schema& schema) {
          return Order{false, {{entry.n, entry.n, spec::Explicit{{{entry.n, schema}}}}}, {}};
        };
        const auto schema =
            place_schema(plain, at_size(entry.tree, 0, 0), sizes({entry.n}, window), candidate);
        if (!schema) return std::nullopt;
        result.entries.push_back({entry.n, *schema});
      }
      return Found{result, {}};
    }
    if (const auto* loop = std::get_if<spec::Loop>(&regime.rule)) {
      spec::Loop result = *loop;
      for (auto& one : result.cases) {
        const spec::Loop::Case original = one;
        const auto candidate = [&](const spec::Schema& schema) {
          spec::Loop single = *loop;
          single.cases = {{original.r_lo, original.r_hi, schema}};
          return Order{false, {{regime.lo, regime.hi, single}}, {}};
        };
        const auto schema = place_schema(plain, original.schema,
                                         loop_sizes(*loop, original, regime, window), candidate);
        if (!schema) return std::nullopt;
        one.schema = *schema;
      }
      return Found{result, {}};
    }
    return place_pieces(plain, index, window);
  }

  std::optional<spec::Schema> place_schema(
      const Order& plain, const spec::Schema& schema, const std::vector<std::int64_t>& sizes,
      const std::function<Order(const spec::Schema&)>& candidate) {
    auto updates = schema_updates(plain.zero_start ? with_zero_start(schema) : schema, alpha_one_);
    for (std::size_t k = 0, end = has_skips_ ? updates.size() : 0; k < end; ++k)
      if (auto scaled = with_scaled_skips(updates[k].schema); scaled != updates[k].schema)
        updates.push_back({std::move(scaled), updates[k].name + ", zeros after alpha"});
    if (auto found = first_right(updates, sizes, candidate)) return found;
    if (alpha_one_ || buffered_) return std::nullopt;
    const auto sum = buffered_sum(plain.zero_start ? with_zero_start(schema) : schema);
    if (!sum) return std::nullopt;
    // With its +0, what is added in the buffer may start at a +0 of its own.
    std::vector<SchemaUpdate> behind;
    for (const spec::Schema& tree : {*sum, with_zero_start(*sum)})
      for (const SchemaUpdate& update : schema_updates(tree, false))
        behind.push_back({behind_buffer(update.schema), "in a buffer: " + update.name});
    return first_right(behind, sizes, candidate);
  }

  std::optional<spec::Schema> first_right(
      const std::vector<SchemaUpdate>& updates, const std::vector<std::int64_t>& sizes,
      const std::function<Order(const spec::Schema&)>& candidate) {
    // What other trees of this order do is tried first, so that equal ones are written alike.
    std::vector<const SchemaUpdate*> turns;
    for (const SchemaUpdate& update : updates)
      if (names_.contains(update.name)) turns.push_back(&update);
    for (const SchemaUpdate& update : updates)
      if (!names_.contains(update.name)) turns.push_back(&update);
    for (const SchemaUpdate* update : turns)
      if (explains(candidate(update->schema), sizes)) {
        if (!sizes.empty()) names_.insert(update->name);
        return update->schema;
      }
    return std::nullopt;
  }

  std::optional<Found> place_pieces(const Order& plain, std::size_t index, const Window& window) {
    if (auto found = place_fold(plain, index, window)) return found;
    if (alpha_one_ || buffered_ || !has_zero_start(plain)) return std::nullopt;
    buffered_ = true;
    auto found = place_fold(without_zero_start(plain), index, window);
    buffered_ = false;
    if (!found) return std::nullopt;
    Order whole = behind_buffer(
        {false, {{plain.regimes[index].lo, spec::kMaxLeaves, found->rule}}, found->subs});
    return Found{std::move(whole.regimes[0].rule), std::move(whole.subs)};
  }

  std::optional<Found> place_fold(const Order& plain, std::size_t index, const Window& window) {
    const Regime& regime = plain.regimes[index];
    const auto looked_at = piece_sizes(regime, window);
    for (RuleUpdate& update : rule_updates(plain, index, alpha_one_)) {
      Order order{false, {{regime.lo, regime.hi, update.rule}}, std::move(update.subs)};
      if (!explains(order, looked_at)) {
        if (!has_skips_) continue;
        order = with_scaled_skips(order);
        if (!explains(order, looked_at)) continue;
      }
      return Found{std::move(order.regimes[0].rule), std::move(order.subs)};
    }
    if (const auto* split = std::get_if<Split>(&regime.rule);
        split != nullptr && split->kind == Split::Kind::remainder && !plain.zero_start)
      return place_remainder(plain, regime, *split, window);
    return std::nullopt;
  }

  // The whole groups take in the output; the remaining summands are added to that.
  std::optional<Found> place_remainder(const Order& plain, const Regime& regime, const Split& split,
                                       const Window& window) {
    const Window whole{std::max(window.lo, regime.lo), std::min(window.hi, regime.hi),
                       std::lcm(window.step, split.m)};
    const auto left = place(child_order(plain, split.left), whole);
    if (!left) return std::nullopt;
    const Order right = child_order(plain, split.right);
    std::vector<Order> ways;
    if (alpha_one_) {
      ways = {right};
    } else {
      const RuleUpdate after = whole_sum(right, spec::Parts::Onto::none, spec::Scale::rounded);
      ways = {with_scaled_leaves(right, spec::Scale::y), with_scaled_leaves(right, spec::Scale::x),
              Order{false, {{1, spec::kMaxLeaves, after.rule}}, after.subs}};
    }
    Split result = split;
    result.left = {spec::Child::Kind::sub, 0};
    result.right = {spec::Child::Kind::sub, 1};
    std::vector<std::int64_t> looked_at = piece_sizes(regime, window);
    for (std::int64_t r = 1; r < std::min<std::int64_t>(split.m, 9); ++r)
      for (const std::int64_t k : {whole.lo + split.m, whole.lo + 5 * split.m})
        if (window.holds(k / split.m * split.m + r)) looked_at.push_back(k / split.m * split.m + r);
    for (const Order& way : ways)
      if (explains({false, {{regime.lo, regime.hi, result}}, {*left, way}}, looked_at))
        return Found{result, {*left, way}};
    return std::nullopt;
  }

  // ---- sizes ----

  std::vector<std::int64_t> sizes(const std::set<std::int64_t>& wanted, const Window& window) {
    std::vector<std::int64_t> kept;
    for (const std::int64_t k : wanted)
      if (window.holds(k) && cells_.has_shape(k)) kept.push_back(k);
    return kept;
  }

  std::vector<std::int64_t> loop_sizes(const spec::Loop& loop, const spec::Loop::Case& one,
                                       const Regime& regime, const Window& window) {
    std::set<std::int64_t> wanted;
    const std::int64_t lo = std::max(regime.lo, window.lo), hi = std::min(regime.hi, window.hi);
    // Where every multiple of the window's step is in turn.
    const std::int64_t cycle = std::lcm(loop.block, window.step);
    const std::int64_t top = std::min(hi, std::max(kDearSize, lo + 4 * cycle));
    const auto add = [&](std::int64_t from) {
      for (std::int64_t k = from, end = from + cycle; k < end && k <= top; ++k) {
        const std::int64_t r = k % loop.block;
        if (k < lo || !window.holds(k) || (!loop.pad && (r < one.r_lo || r > one.r_hi))) continue;
        const bool edge = loop.pad || r == one.r_lo || r == one.r_hi || wanted.size() < 2;
        if (edge && cells_.has_shape(k)) wanted.insert(k);
        if (static_cast<std::int64_t>(wanted.size()) >= kMostSizes) return;
      }
    };
    for (const std::int64_t q : {0, 1, 3}) add(lo / cycle * cycle + q * cycle);
    for (int s = 0; s < 3 && top > lo; ++s)
      add(lo + random_.below(std::min(top - lo, 40 * cycle + 100) + 1));
    for (const auto& [k, all] : seen_)
      if (lo <= k && k <= hi &&
          (loop.pad || (one.r_lo <= k % loop.block && k % loop.block <= one.r_hi)))
        wanted.insert(k);
    return sizes(wanted, window);
  }

  std::vector<std::int64_t> piece_sizes(const Regime& regime, const Window& window) {
    const std::int64_t lo = std::max(regime.lo, window.lo), hi = std::min(regime.hi, window.hi);
    std::int64_t m = 1;
    if (const auto* parts = std::get_if<spec::Parts>(&regime.rule)) m = parts->m;
    if (const auto* split = std::get_if<Split>(&regime.rule)) m = split->m;
    const std::int64_t top = std::min(hi, std::max({kDearSize, 2 * lo, 4 * m}));
    std::set<std::int64_t> wanted;
    const auto add = [&](std::int64_t k) {
      k = (k + window.step - 1) / window.step * window.step;
      if (lo <= k && k <= top) wanted.insert(k);
    };
    for (const std::int64_t k : {lo, lo + 1, lo + 2, lo + m / 2, 2 * m, 2 * m + 1, 3 * m - 1})
      add(k);
    for (int s = 0; s < 4 && top > lo; ++s) add(lo + random_.below(top - lo + 1));
    for (const auto& [k, all] : seen_)
      if (lo <= k && k <= hi) wanted.insert(k);
    return sizes(wanted, window);
  }

  // ---- decisions ----

  bool explains(const Order& candidate, const std::vector<std::int64_t>& sizes) {
    using spec::MatrixClass;
    const Order order = buffered_ ? behind_buffer(candidate) : candidate;
    for (const std::int64_t k : sizes)
      for (const Observation& seen : observations(k))
        if (first_difference(seen, order, type_, MatrixClass::BetaZero::store,
                             MatrixClass::AlphaZero::compute) >= 0) {
          unexplained_ = std::max(unexplained_, k);  // the best candidate's
          return false;
        }
    return true;
  }

  const std::vector<Observation>& observations(std::int64_t k) {
    std::vector<Observation>& all = seen_[k];
    if (!observed_.insert(k).second) return all;
    // One product's worth of outputs at least, and several products with other scalars.
    const std::int64_t width = cells_.best_packing(k).second;
    const std::int64_t calls = std::clamp<std::int64_t>(kRows / width, 8, kRows);
    std::vector<UpdateRows> data;
    for (std::int64_t call = 0; call < calls; ++call) {
      // Signs of zero tell where a +0 stands beside alpha and C, those of a negative alpha above
      // all.
      const Data kind = call % 4 == 3 ? Data::zeros : call % 3 == 2 ? Data::wide : Data::ordinary;
      double alpha = draw(alpha_one_ ? Scalar::one : Scalar::random, type_, random_);
      if (kind == Data::zeros && call % 8 == 3 && !alpha_one_) alpha = -std::abs(alpha);
      const double beta = draw(Scalar::random, type_, random_);
      data.push_back(
          random_update(cells_, type_, k, std::min(width, kRows), kind, alpha, beta, random_));
    }
    for (std::int64_t call = 0; has_skips_ && !alpha_one_ && call < kVanishingCalls; ++call)
      data.push_back(vanishing_update(cells_, type_, k, std::min(width, kRows), random_));
    for (std::int64_t call = 0; call < kUnderflowCalls && k <= kDearSize && !alpha_one_; ++call)
      data.push_back(underflowing_update(cells_, type_, k, std::min(width, kRows), random_));
    // Outputs of one call often share an operand, so many outputs are no substitute for many calls.
    for (std::int64_t call = 0; call < kSignCalls && k <= kMostSummands && !alpha_one_; ++call) {
      const double alpha = -std::abs(draw(Scalar::random, type_, random_));
      const double beta = draw(Scalar::random, type_, random_);
      data.push_back(random_update(cells_, type_, k, std::min(width, kRows), Data::zeros, alpha,
                                   beta, random_));
    }
    for (Observation& one : observe(cells_, std::move(data))) all.push_back(std::move(one));
    return all;
  }

  CellTarget& cells_;
  const spec::Type type_;
  const ClassOptions& options_;
  const bool alpha_one_;
  bool has_skips_ = false;
  bool buffered_ = false;  // candidates are what happens in a buffer
  FastRandom random_;
  std::map<std::int64_t, std::vector<Observation>> seen_;
  std::set<std::int64_t> observed_;
  std::set<std::string> names_;
  std::int64_t unexplained_ = 0;
};

}  // namespace

std::optional<PlacedUpdate> place_update(CellTarget& cells, spec::Type type, const Order& plain,
                                         std::int64_t k_min, std::int64_t k_max,
                                         const std::vector<Observation>& counterexamples,
                                         const ClassOptions& options, std::int64_t* unexplained) {
  for (const bool alpha_one : {false, true}) {
    if (options.alpha_one && !alpha_one) continue;
    Placer placer(cells, type, options, alpha_one, counterexamples);
    if (auto order = placer.place(plain, {k_min, k_max, 1})) {
      simplify_update(*order, k_max);
      return PlacedUpdate{std::move(*order), alpha_one};
    }
    *unexplained = std::max(*unexplained, placer.unexplained());
    if (options.log)
      options.log(std::string(alpha_one ? "alpha = 1" : "any alpha") +
                  ": no place explains k = " + std::to_string(placer.unexplained()));
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
