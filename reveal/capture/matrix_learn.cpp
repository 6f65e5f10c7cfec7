// New region rules and the orders of their classes.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "reveal/capture/budget_target.h"
#include "reveal/capture/matrix_addresses.h"
#include "reveal/capture/matrix_cells.h"
#include "reveal/capture/product_capture.h"
#include "reveal/matrix/class_by_k.h"
#include "reveal/matrix/running_update.h"
#include "reveal/refused.h"
#include "spec/describe_matrix.h"

namespace reprosum::reveal {
namespace {

// Of random shapes: where less is covered, alpha = 1 is looked at alone. What gemv shows of it
// costs little: there, any gap is worth a look.
constexpr double kFewShapes = 0.5, kFewShapesOfGemv = 0.98;
// Then all small shapes of gemv are looked at as well, which takes seconds: what is wrong with a
// rule of large sizes does not touch them.
constexpr std::int64_t kSmallSizesOfGemv = 64;
// Where a context showed hardly any rule of all sizes, the next ones are asked for a short time.
constexpr double kShortly = 0.1;
// Of gemv, where the order goes on otherwise beyond the learned summands, so far is looked how.
constexpr std::int64_t kLongSums = 16'384;
// Rows are taken in blocks, which several of them show; those of gemv are cheap.
constexpr std::int64_t kLongRows = 16'384, kRowsOfGemm = 3072;

void add_line(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

// For which shapes, and one of the outputs in each: those of its class have no name of their own.
std::string where(const LearnedRegime& regime, std::size_t output_class) {
  const LearnedRegime::Witness& witness = regime.witnesses[output_class];
  const std::string rule = spec::describe(regime.rule);
  return " for " + rule.substr(0, rule.find(':')) + ", outputs such as (" +
         std::to_string(witness.i) + ", " + std::to_string(witness.j) +
         ") where m = " + std::to_string(witness.shape.m) +
         ", n = " + std::to_string(witness.shape.n);
}

std::string between(const KPiece& piece) {
  return ", for k = " + std::to_string(piece.lo) + " to " + std::to_string(piece.hi);
}

// Takes the classes with such orders out.
template <class F>
void take_out_if(std::vector<spec::MatrixRegime>& regimes, F&& is_out) {
  for (spec::MatrixRegime& regime : regimes)
    for (std::size_t c = regime.classes.size(); c-- > 0;)
      if (is_out(regime.classes[c].order)) take_out(regime, static_cast<std::int32_t>(c));
}

}  // namespace

MatrixPiece ProductCapture::learn(Target& target, const Call& call, const Scope& scope) {
  const std::string context = context_of(call);
  report_(context + ": regions");
  std::vector<RuleSet> sets;
  LearnedRegions learned;
  if (!options_.alpha_one) learned = regions_of(target, call, scope.outputs, Alphas::any);
  if (!learned.regimes.empty()) {
    if (!learned.stopped.empty()) refuse(context, "unknown_region", learned.stopped);
    RuleSet set = rules_of(target, call, learned, scope.outputs, Alphas::any);
    // Where alpha = 1 alone is known of some classes, shapes without them lose nothing.
    if (set.limits.alpha_one) sets.push_back(for_any_alpha(set));
    sets.push_back(std::move(set));
  }
  const bool is_gemv = routine_ == spec::Routine::gemv;
  const bool looked_at_one =
      options_.alpha_one || (is_gemv ? learned.covered < kFewShapesOfGemv
                                     : learned.covered < kFewShapes && !learned.all_small);
  if (looked_at_one) {
    // Where alpha acts may hide rules that are plain without it.
    report_(context + ": regions with alpha = 1");
    const LearnedRegions one = regions_of(target, call, scope.outputs, Alphas::one);
    if (options_.alpha_one) learned = one;
    if (!one.regimes.empty() && (options_.alpha_one || one.covered > learned.covered)) {
      if (!one.stopped.empty()) refuse(context + ", alpha = 1", "unknown_region", one.stopped);
      if (sets.size() > 1) sets.pop_back();
      sets.push_back(rules_of(target, call, one, scope.outputs, Alphas::one));
    }
  }
  if (sets.empty())
    throw Refused("unknown_region",
                  "no rule says which outputs share an order: " + learned.stopped);
  for (RuleSet& one : sets) {
    one.is_partial = sets.size() > 1;
    for (MatrixPiece& piece : certified(target, call, std::move(one), scope))
      besides_.push_back(std::move(piece));
  }
  // Not where small products were asked for: rules of nearly all of them serve alpha = 1 as well.
  if (besides_.empty() && !looked_at_one && options_.small_products == 0)
    besides_ = learn_alpha_one(target, call, scope);
  if (besides_.empty()) throw Refused("unknown_region", "no region rule holds on random matrices");
  MatrixPiece first = std::move(besides_.front());
  besides_.erase(besides_.begin());
  return first;
}

// Another order for some alpha, for -1 say, refutes every rule of all of them: what alpha = 1 does
// is kept.
std::vector<MatrixPiece> ProductCapture::learn_alpha_one(Target& target, const Call& call,
                                                         const Scope& scope) {
  report_(context_of(call) + ": regions with alpha = 1");
  const LearnedRegions one = regions_of(target, call, scope.outputs, Alphas::one);
  if (one.regimes.empty()) return {};
  return certified(target, call, rules_of(target, call, one, scope.outputs, Alphas::one), scope);
}

std::vector<MatrixPiece> ProductCapture::certified(Target& target, const Call& call, RuleSet set,
                                                   const Scope& scope) {
  std::vector<MatrixPiece> pieces;
  const auto add = [&](RuleSet one) {
    MatrixPiece piece;
    piece.rules = rules_.size();
    piece.leading = scope.leading;
    piece.outputs = scope.outputs;
    rules_.push_back(std::move(one));
    if (certify(target, call, piece))
      pieces.push_back(std::move(piece));
    else
      rules_.pop_back();
  };
  for_all_data_.reset();
  for_nonzero_.reset();
  if (set.limits.finite_only) {
    for_all_data_ = for_all_data(set);
    for_nonzero_ = set;
    for_nonzero_->limits = without_zeros(set.limits);
  }
  add(std::move(set));
  if (pieces.empty()) return pieces;
  for (std::optional<RuleSet>* besides : {&for_all_data_, &for_nonzero_}) {
    auto more = std::exchange(*besides, std::nullopt);
    if (!more) continue;
    rules_[pieces.front().rules].is_partial = more->is_partial = true;
    more->keeps_special |= besides == &for_all_data_;
    add(*std::move(more));
  }
  return pieces;
}

ProductCapture::RuleSet ProductCapture::rules_of(Target& target, const Call& call,
                                                 const LearnedRegions& learned, Outputs outputs,
                                                 Alphas alphas) {
  report_(context_of(call) + ": orders");
  RuleSet set;
  set.outputs = outputs;
  set.not_checked = learned.not_checked;
  set.shapes_learned = learned.shapes;
  set.alphas = alphas;
  set.limits.alpha_one = alphas == Alphas::one;
  const std::span<const LearnedRegime> all = learned.regimes;
  // Rules of all sizes that cover little are not worth the time that their classes may take, where
  // others are looked for besides: those of small sizes or of alpha = 1.
  const bool covers_little = learned.covered_by_all_sizes < kHardlyAny;
  const bool is_thin = routine_ == spec::Routine::gemv || outputs != Outputs::all;
  const bool is_short =
      learned.small > 0 ? is_thin || covers_little : alphas == Alphas::any && covers_little;
  double left = kShortly * options_.time_limit_s;
  BudgetTarget limited(target, left);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Target& seen = is_short && k >= learned.small ? static_cast<Target&>(limited) : target;
    for (spec::MatrixRegime& rule : with_orders(seen, call, all.first(k), all[k], set))
      set.regimes.push_back(std::move(rule));
  }
  return set;
}

ProductCapture::RuleSet ProductCapture::for_any_alpha(const RuleSet& set) const {
  RuleSet result = set;
  result.limits.alpha_one = false;
  take_out_if(result.regimes, [&](std::size_t order) { return known_[order].alpha_one_only; });
  return result;
}

ProductCapture::RuleSet ProductCapture::for_all_data(const RuleSet& set) const {
  RuleSet result = set;
  result.limits.finite_only = false;
  take_out_if(result.regimes, [&](std::size_t order) { return known_[order].finite_only; });
  return result;
}

spec::Shape3 ProductCapture::learned_to(Outputs outputs) const {
  spec::Shape3 most = largest(outputs);
  if (outputs == Outputs::all)
    most.m = std::max(most.m, std::min(options_.reach.size,
                                       routine_ == spec::Routine::gemv ? kLongRows : kRowsOfGemm));
  return most;
}

LearnedRegions ProductCapture::regions_of(Target& target, const Call& call, Outputs outputs,
                                          Alphas alphas) {
  if (outputs == Outputs::single) return single_output(options_.largest);
  RegionOptions region;
  region.is_gemv = routine_ == spec::Routine::gemv || outputs != Outputs::all;
  region.largest = outputs == Outputs::all ? learned_to(outputs) : options_.largest;
  region.small = options_.small_products;
  if (outputs == Outputs::one_row) std::swap(region.largest.m, region.largest.n);
  if (routine_ == spec::Routine::gemv) {
    // Other alpha may act by the shape, which costs all the time that there is and shows nothing.
    if (alphas == Alphas::any) region.patience = kShortly;
    region.small = kSmallSizesOfGemv;
    region.is_small_sure = alphas == Alphas::one;
  }
  // Of one row or one column there are few, and who asks for small products wants every one.
  if (outputs != Outputs::all && region.small > 0) region.is_small_sure = true;
  region.time_limit_s = options_.time_limit_s;
  region.seed = options_.seed;
  PlacedTarget placed(target, addresses_);
  const auto whole = make_signature_source(placed, call, options_.seed, alphas);
  const auto thin = outputs == Outputs::all ? nullptr : in_one_column(*whole, outputs);
  SignatureSource& seen = thin ? *thin : *whole;
  const auto products = [&](LearnedRegions regions) {
    if (outputs != Outputs::all)
      for (LearnedRegime& regime : regions.regimes)
        regime = of_products(std::move(regime), outputs);
    return regions;
  };
  const auto is_alike = [&](const Learned& known) {
    return known.outputs == outputs && known.alphas == alphas;
  };
  // Increments and transposes change orders more often than regions.
  for (std::size_t at = learned_.size(); at-- > 0;) {
    if (!is_alike(learned_[at])) continue;
    if (auto same = confirm_regions(seen, learned_[at].regions, region)) {
      contexts_.emplace_back(call, at);
      return products(*std::move(same));
    }
  }
  // With more threads or gaps, some rules of the same product mostly stay.
  const auto alike = std::find_if(contexts_.rbegin(), contexts_.rend(), [&](const auto& context) {
    const Call& other = context.first;
    return is_alike(learned_[context.second]) &&
           std::tie(other.trans_a, other.trans_b, other.incx, other.incy) ==
               std::tie(call.trans_a, call.trans_b, call.incx, call.incy);
  });
  if (alike != contexts_.rend()) region.similar = &learned_[alike->second].regions;
  for (std::size_t at = learned_.size(); at-- > 0;)
    if (is_alike(learned_[at])) region.others.push_back(&learned_[at].regions);
  if (region.small > 0 && std::any_of(learned_.begin(), learned_.end(), [&](const Learned& known) {
        return known.alphas == alphas && known.regions.covered_by_all_sizes < kHardlyAny;
      }))
    region.patience *= kShortly;
  LearnedRegions learned = learn_regions(seen, region);
  contexts_.emplace_back(call, learned_.size());
  learned_.push_back({std::move(learned), outputs, alphas});
  return products(learned_.back().regions);
}

std::vector<spec::MatrixRegime> ProductCapture::with_orders(Target& target, const Call& call,
                                                            std::span<const LearnedRegime> before,
                                                            const LearnedRegime& regime,
                                                            RuleSet& set) {
  if (regime.rule.classes.empty()) {
    spec::MatrixRegime nothing = regime.rule;
    cover_nothing(nothing);
    return {nothing};
  }
  std::vector<std::vector<OutputPiece>> classes;
  std::int64_t k_max = 0;
  std::set<std::int64_t> ends;
  for (std::size_t c = 0; c < regime.rule.classes.size(); ++c) {
    classes.push_back(order_of(target, call, before, regime, c, set));
    k_max = std::max(k_max, classes.back().back().hi);
    for (const OutputPiece& piece : classes.back()) ends.insert(piece.hi);
  }
  // Under a bound, a class may have no shape of more summands, while others do.
  for (std::vector<OutputPiece>& pieces : classes)
    if (pieces.back().hi < k_max) pieces.push_back({pieces.back().hi + 1, k_max, {}});
  ends.insert(k_max);
  std::vector<spec::MatrixRegime> cut;
  std::int64_t below = 0, last_below = 0;  // the k that are done, and that were before the last cut
  for (const std::int64_t end : ends) {
    spec::MatrixRegime rule = regime.rule;
    rule.k_max = end;
    rule.classes.clear();
    std::vector<std::int32_t> renumbered;
    for (const std::vector<OutputPiece>& pieces : classes) {
      const auto piece = std::find_if(pieces.begin(), pieces.end(),
                                      [&](const OutputPiece& one) { return end <= one.hi; });
      if (!piece->output) {
        renumbered.push_back(-1);
        continue;
      }
      // Classes that turn out to have one order are one.
      const auto same = std::find(rule.classes.begin(), rule.classes.end(), *piece->output);
      renumbered.push_back(static_cast<std::int32_t>(same - rule.classes.begin()));
      if (same == rule.classes.end()) rule.classes.push_back(*piece->output);
    }
    for (auto& row : rule.table)
      for (std::int32_t& output : row)
        if (output >= 0) output = renumbered[static_cast<std::size_t>(output)];
    if (rule.classes.empty()) cover_nothing(rule);
    if (!cut.empty() && cut.back().classes == rule.classes && cut.back().table == rule.table) {
      below = last_below;
      cut.pop_back();
    }
    last_below = below;
    if (below > 0) rule.guard.push_back(k_atom(spec::Atom::Kind::above, below));
    if (end < k_max) rule.guard.push_back(k_atom(spec::Atom::Kind::at_most, end));
    cut.push_back(std::move(rule));
    below = end;
  }
  return cut;
}

std::vector<ProductCapture::OutputPiece> ProductCapture::order_of(
    Target& target, const Call& call, std::span<const LearnedRegime> before,
    const LearnedRegime& regime, std::size_t output_class, RuleSet& set) {
  const ClassCells cells(call, regime, static_cast<std::int32_t>(output_class),
                         learned_to(set.outputs), before);
  ClassOptions options;
  options.known = known_;
  options.alpha_one = set.alphas == Alphas::one;
  options.k_max = cells.k_max();
  options.seed = options_.seed + output_class;
  options.time_limit_s = options_.time_limit_s;
  std::vector<KPiece> found;
  const std::string context = context_of(call) + where(regime, output_class);
  PlacedTarget placed(target, addresses_);
  try {
    found = reveal_class_by_k(
        placed, [&](std::int64_t k) { return cells.at(k); }, options);
  } catch (const Refused& refused) {
    refuse(context, refused.reason, refused.what());
    return {{1, cells.k_max(), {}}};
  }
  if (found.size() == 1 && found.front().order)
    go_on_beyond(placed, call, before, regime, output_class, options, found.front());
  std::vector<OutputPiece> pieces;
  if (cells.k_min() > 1) pieces.push_back({1, cells.k_min() - 1, {}});
  for (const KPiece& piece : found) {
    if (piece.hi < cells.k_min()) continue;
    pieces.push_back({piece.lo, piece.hi, {}});
    if (!piece.order) {
      const bool is_all = found.size() == 1;
      refuse(context + (is_all ? "" : between(piece)), piece.reason, piece.why);
      continue;
    }
    const ClassOrder& order = *piece.order;
    spec::MatrixClass output;
    output.order = index_of(order);
    output.beta_zero = order.beta_zero;
    output.beta_zero_up_to = order.beta_zero_up_to;
    output.alpha_zero = order.alpha_zero;
    pieces.back().output = output;
    set.limits.finite_only |= order.finite_only;
    set.limits.alpha_one |= order.alpha_one_only;
    for (const std::string& line : order.not_checked) add_line(set.not_checked, line);
  }
  return pieces;
}

void ProductCapture::go_on_beyond(Target& target, const Call& call,
                                  std::span<const LearnedRegime> before,
                                  const LearnedRegime& regime, std::size_t output_class,
                                  const ClassOptions& options, KPiece& found) {
  spec::Shape3 longer = options_.largest;
  longer.k = std::min(options_.reach.size, kLongSums);
  if (routine_ != spec::Routine::gemv || found.lo > 1 || found.hi < options_.largest.k ||
      longer.k <= found.hi)
    return;
  LearnedRegime rule = regime;
  rule.rule.k_max = longer.k;
  const ClassCells cells(call, rule, static_cast<std::int32_t>(output_class), longer, before);
  const auto at = [&](std::int64_t k) { return cells.at(k); };
  if (auto whole = gone_on(target, at, *found.order, found.hi + 1, longer.k, options))
    found.order = *std::move(whole);
}

std::size_t ProductCapture::index_of(const ClassOrder& found) {
  const auto at = std::find_if(known_.begin(), known_.end(), [&](const KnownClassOrder& known) {
    return known.order == found.order;
  });
  const auto index = static_cast<std::size_t>(at - known_.begin());
  if (at != known_.end()) return index;
  spec_.orders.push_back(found.order);
  known_.push_back({found.order, found.beta_zero, found.alpha_zero, found.k_max,
                    found.alpha_one_only, found.finite_only, found.beta_zero_up_to});
  return index;
}

}  // namespace reprosum::reveal
