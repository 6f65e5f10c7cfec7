#include "reveal/capture/product_capture.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "reveal/capture/matrix_addresses.h"
#include "reveal/capture/matrix_beta.h"
#include "reveal/capture/matrix_places.h"
#include "reveal/check/class_check.h"
#include "reveal/check/related_shapes.h"
#include "reveal/check/repeats.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr double kRecogniseWork = 1e7;  // multiplications; certification costs options.matrix_work
constexpr std::int64_t kLongCalls = 200;  // for gemv, and for each kind of increments
constexpr std::int64_t kMostLongCalls = 1000;
// Calls of few summands on which a known rule is tried in earnest; those of gemm have many outputs
// each.
constexpr std::int64_t kSmallCalls = 16000, kSmallCallsOfGemm = 4000;
// Products of each small shape: another context has looked at known rules in more of them.
constexpr std::int64_t kTellingAgain = kTellingOutputs * 3 / 4;
constexpr std::size_t kRecogniseShapes = 2500;
constexpr std::int64_t kPad =
    5;  // elements, where padded leading dimensions have rules of their own

// The leadings, and those that are met where some operands have no gaps, A alone first. Products of
// one row or one column may be another routine's, for which each of them is an increment.
std::vector<spec::Leadings> with_fewer_gaps(const spec::Leadings& leading, Outputs outputs) {
  std::vector<spec::Leadings> all{leading};
  for (std::size_t k = 0; k < (outputs == Outputs::all ? 1 : spec::kLeadingPlaces); ++k)
    for (std::size_t at = 0, end = all.size(); at < end; ++at) {
      if (leading[k] != spec::Leading::any) continue;
      all.push_back(all[at]);
      all.back()[k] = spec::Leading::tight;
    }
  const auto tight = [](const spec::Leadings& one) {
    return std::count(one.begin(), one.end(), spec::Leading::tight);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return tight(a) < tight(b); });
  return all;
}

}  // namespace

void add_result(spec::Certificate& certificate, const MatrixReplayResult& result) {
  certificate.shapes_checked += result.shapes;
  certificate.outputs_checked += result.outputs;
  certificate.special_outputs += result.special_outputs;
  for (int k = 0; k < kDataClasses; ++k)
    if (const auto products = result.kinds[static_cast<std::size_t>(data_class(k))]; products > 0)
      certificate.classes[name(data_class(k))] += products;
  for (const auto size : {&spec::Shape3::m, &spec::Shape3::n, &spec::Shape3::k})
    certificate.largest.*size = std::max(certificate.largest.*size, result.largest.*size);
}

spec::Atom k_atom(spec::Atom::Kind kind, std::int64_t limit) {
  spec::Atom atom;
  atom.kind = kind;
  atom.use_k = true;
  atom.limit = limit;
  return atom;
}

void cover_nothing(spec::MatrixRegime& regime) {
  // The least valid rule: one row and one column, of a pair that was never seen.
  regime.rows = regime.columns = {{1, 1, 1, 1, {}, {{{{1, 0}, {{0, {1, 1}}}}}}}};
  regime.table = {{-1}};
  regime.classes.clear();
}

void take_out(spec::MatrixRegime& regime, std::int32_t output_class) {
  for (auto& row : regime.table)
    for (std::int32_t& entry : row) {
      if (entry == output_class)
        entry = -1;
      else if (entry > output_class)
        --entry;
    }
  regime.classes.erase(regime.classes.begin() + output_class);
  if (regime.classes.empty()) cover_nothing(regime);
}

void ProductCapture::add(const Call& call, const MatrixPiece& piece) {
  const spec::Shape3 most = largest(piece.outputs);
  CapturedContext context{
      {}, piece.rules, most.m, routine_ == spec::Routine::gemv ? 1 : most.n, piece.certificate};
  spec::Guard& guard = context.guard;
  guard.trans_a = call.trans_a;
  guard.trans_b = call.trans_b;
  guard.increments = increments_;
  guard.threads = {threads_};
  guard.row_major = piece.row_major;
  guard.alignment = piece.alignment;
  guard.leading = piece.leading;
  guard.finite_only = piece.limits.finite_only;
  guard.nonzero_only = piece.limits.nonzero_only;
  guard.alpha_one = piece.limits.alpha_one;
  guard.beta = beta_;
  guard.nan_beta_is_zero = nan_beta_is_zero_;
  guard.addresses = addresses_;
  pieces_.push_back(std::move(context));
}

std::vector<CapturedRules> ProductCapture::rules() {
  leave_out_bands();
  std::vector<CapturedRules> rules;
  for (RuleSet& set : rules_) rules.push_back({std::move(set.regimes), {}});
  return rules;
}

// Few products lie in a band, and fewer of them are wrong: one context may meet a wrong one that
// another misses.
void ProductCapture::leave_out_bands() {
  for (const CapturedContext& piece : pieces_) {
    auto& regimes = rules_[piece.rules].regimes;
    for (const spec::MatrixRegime& band : bands_[{piece.guard.trans_a, piece.guard.trans_b}])
      if (std::none_of(regimes.begin(), regimes.end(),
                       [&](const auto& regime) { return regime.guard == band.guard; }))
        regimes.insert(regimes.begin(), band);
  }
}

void ProductCapture::capture_context(Target& target, const Call& call,
                                     const IncrementClass& increments) {
  recalls_.try_emplace(threads_, target, call, options_.largest, options_.seed);
  // What changes now and then looks like many regions, each of which would be searched.
  require_repeatable(target, call);
  DrawnIncrements drawn(target, increments.increments, seed_of_context());
  drawn_ = &drawn;
  increments_ = increments.increments;
  try {
    capture_betas(drawn, call);
  } catch (const Refused& why) {
    if (why.reason != "not_deterministic") require_repeatable(target, call);
    throw;
  }
  if (const auto what = recalls_.at(threads_).changed(target)) {
    pieces_.clear();
    throw Refused("not_deterministic", *what);
  }
}

void ProductCapture::require_repeatable(Target& target, const Call& call) const {
  const auto what =
      product_changes_when_repeated(target, call, options_.largest, seed_of_context());
  if (what) throw Refused("not_deterministic", *what);
}

void ProductCapture::capture_betas(Target& target, const Call& call) {
  const auto betas = beta_classes(target, call, options_.largest, options_.seed);
  for (const spec::Beta beta : betas) {
    beta_ = beta;
    BetaTarget limited(target, beta);
    nan_beta_is_zero_ = takes_nan_beta_for_zero(limited, call, options_.largest, options_.seed);
    try {
      capture_addresses(limited, call);
    } catch (const Refused& refused) {
      if (betas.size() == 1) throw;
      refuse(context_of(call), refused.reason, refused.what());
    }
  }
}

void ProductCapture::capture_addresses(Target& target, const Call& call) {
  const auto classes = address_classes(target, call, options_.largest, options_.seed);
  for (const spec::AddressGuard& addresses : classes) {
    addresses_ = addresses;
    try {
      check_places(target, call);
      capture_scope(target, call, {});
    } catch (const Refused& refused) {
      if (classes.size() == 1) throw;
      refuse(context_of(call) + " " + spec::describe(addresses, routine_), refused.reason,
             refused.what());
    }
  }
}

void ProductCapture::check_places(Target& target, const Call& call) {
  if (auto why = product_place_matters(target, call, addresses_, options_.largest, options_.seed))
    throw *why;
}

void ProductCapture::capture_scope(Target& target, const Call& call, const Scope& scope) {
  MatrixPiece first = capture_leading(target, call, scope);
  const spec::Leadings held = first.leading;
  const std::size_t rules = first.rules;
  add(call, first);
  const auto capture_rest = [&](const Call& rest, const Scope& of) {
    try {
      capture_scope(target, rest, of);
    } catch (const Refused& refused) {
      std::string what = context_of(call);
      if (of.leading != spec::Leadings{}) what += ", " + spec::describe(of.leading);
      if (of.outputs != Outputs::all) what += std::string(", ") + name(of.outputs);
      refuse(what, refused.reason, refused.what());
    }
  };
  Scope rest = scope;
  for (std::size_t k = 0; k < spec::kLeadingPlaces; ++k) {
    if (held[k] == rest.leading[k]) continue;
    Scope padded = rest;
    padded.leading[k] = spec::Leading::padded;
    Call with_gaps = call;
    (k == 0 ? with_gaps.pad_a : k == 1 ? with_gaps.pad_b : with_gaps.pad_c) = kPad;
    capture_rest(with_gaps, padded);
    rest.leading[k] = held[k];
  }
  if (routine_ == spec::Routine::gemv || scope.outputs != Outputs::all) return;
  for (const Outputs outputs : kThinOutputs)
    if (leaves_out(rules_[rules].regimes, outputs, options_.largest))
      capture_rest(call, {rest.leading, outputs});
}

MatrixPiece ProductCapture::capture_leading(Target& target, const Call& call, const Scope& scope) {
  const std::int64_t before = target.calls();
  besides_.clear();  // of a context that was refused after it was learned
  std::optional<MatrixPiece> piece = recognise(target, call, scope);
  if (!piece) {
    {
      const OwnIncrements own(*drawn_);
      piece = learn(target, call, scope);
    }
    confirm_increments(target, call, *piece);
    for (const MatrixPiece& also : besides_) confirm_increments(target, call, also);
  }
  complete(target, call, *piece);
  piece->certificate.calls = target.calls() - before;
  for (MatrixPiece& also : std::exchange(besides_, {})) {
    complete(target, call, also);
    add(call, also);
  }
  return std::move(*piece);
}

void ProductCapture::complete(Target& target, const Call& call, MatrixPiece& piece) {
  look_at_layouts(target, call, piece);
  look_at_classes(target, call, piece);
  piece.certificate.seed = options_.seed;
  piece.certificate.shapes_learned = rules_[piece.rules].shapes_learned;
  piece.certificate.not_checked = rules_[piece.rules].not_checked;
  piece.certificate.not_checked.push_back(
      sizes_not_checked(routine_ == spec::Routine::gemv, largest(piece.outputs)));
  piece.certificate.not_checked.push_back(leading_not_checked());
  piece.certificate.not_checked.push_back(kStateAndTime);
  const char* const in_a = routine_ == spec::Routine::gemv ? ", or where x lies in A," : "";
  piece.certificate.not_checked.push_back(
      std::string("operands in one memory: another order where C begins at the end of A or B") +
      in_a + " would not have been found");
}

MatrixCheck ProductCapture::check_of(int alignment, const spec::Leadings& leading,
                                     const MatrixDataLimits& limits, std::uint64_t seed) const {
  MatrixCheck check{alignment, leading, limits, seed, addresses_};
  check.nan_beta_is_zero = nan_beta_is_zero_;
  return check;
}

void ProductCapture::confirm_increments(Target& target, const Call& call,
                                        const MatrixPiece& piece) {
  if (drawn_->has_one()) return;
  const RuleSet& set = rules_[piece.rules];
  const spec::Shape3 most = largest(piece.outputs);
  const std::uint64_t seed = seed_of_context() + 5;
  auto shapes = plan_shapes(set.regimes, spec_.orders, true, most, options_.matrix_work / 2, seed);
  const auto small = plan_small(true, most, kSmallCalls / 2, seed + 1);
  shapes.insert(shapes.end(), small.begin(), small.end());
  const auto longer = plan_long(most, long_calls(), seed + 3);
  shapes.insert(shapes.end(), longer.begin(), longer.end());
  const MatrixReplayResult result =
      check_matrices(target, call, set.regimes, spec_.orders, shapes,
                     check_of(piece.alignment, piece.leading, piece.limits, seed + 2));
  if (!result.wrong) return;
  throw OneOfMany("rules for these increments do not hold for others, such as " +
                  std::to_string(drawn_->last().first) + " and " +
                  std::to_string(drawn_->last().second) + ": " + result.wrong->mismatch.context);
}

std::optional<MatrixPiece> ProductCapture::recognise(Target& target, const Call& call,
                                                     const Scope& scope) {
  // Every known rule is tried where any of them could be wrong, cheaply; then in earnest.
  const std::vector<spec::Shape3> shapes = shapes_of_all_rules(scope.outputs);
  const spec::Shape3 most = largest(scope.outputs);
  // A rule may hold without gaps only, where it loses fewer calls than with aligned operands.
  for (const spec::Leadings& layout : with_fewer_gaps(scope.leading, scope.outputs)) {
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (rules_[r].is_partial || rules_[r].outputs != scope.outputs) continue;
      MatrixCheck check =
          check_of(rules_[r].alignment, layout, rules_[r].limits, options_.seed + 7 * r);
      if (check_matrices(target, call, rules_[r].regimes, spec_.orders, shapes, check).wrong)
        continue;
      MatrixPiece piece;
      piece.rules = r;
      piece.limits = rules_[r].limits;
      piece.alignment = rules_[r].alignment;
      piece.leading = layout;
      piece.outputs = scope.outputs;
      const std::uint64_t seed = seed_of_context();
      const bool gemv = routine_ == spec::Routine::gemv;
      auto more = plan_shapes(rules_[r].regimes, spec_.orders, gemv, most, options_.matrix_work,
                              seed + 1000 + 31 * r);
      const auto small =
          plan_small(gemv, most, gemv ? kSmallCalls : kSmallCallsOfGemm, seed + 2000);
      more.insert(more.begin(), small.begin(), small.end());
      if (gemv) {
        const auto longer = plan_long(most, long_calls(), seed + 2600);
        more.insert(more.end(), longer.begin(), longer.end());
      }
      check.seed = seed + 7 * r + 1;
      const auto compare = [&](std::span<const spec::Shape3> tried) {
        return check_matrices(target, call, rules_[r].regimes, spec_.orders, tried, check);
      };
      const MatrixReplayResult result = compare(more);
      if (result.wrong || result.shapes == 0) continue;
      check.telling_outputs = kTellingAgain;
      const MatrixReplayResult box = compare(shapes_listed(most, seed + 2300));
      if (box.wrong) continue;
      add_result(piece.certificate, result);
      add_result(piece.certificate, box);
      return piece;
    }
  }
  return std::nullopt;
}

// What few shapes show, the increments of one context must not hide from one another.
std::int64_t ProductCapture::long_calls() const {
  return std::min(kLongCalls * drawn_->kinds(), kMostLongCalls);
}

std::uint64_t ProductCapture::seed_of_context() const {
  return options_.seed + 100'003 * pieces_.size();
}

// Those that rules have in common, the small ones, would be most of them.
std::vector<spec::Shape3> ProductCapture::shapes_of_all_rules(Outputs outputs) const {
  std::vector<spec::Shape3> shapes;
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    if (rules_[r].outputs != outputs) continue;
    const auto own = plan_shapes(
        rules_[r].regimes, spec_.orders, routine_ == spec::Routine::gemv, largest(outputs),
        kRecogniseWork / static_cast<double>(rules_.size()), options_.seed + 31 * r);
    shapes.insert(shapes.end(), own.begin(), own.end());
  }
  std::sort(shapes.begin(), shapes.end());
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  std::shuffle(shapes.begin(), shapes.end(), std::mt19937_64(options_.seed));
  if (shapes.size() > kRecogniseShapes) shapes.resize(kRecogniseShapes);
  return shapes;
}

std::vector<spec::Shape3> ProductCapture::shapes_listed(const spec::Shape3& most,
                                                        std::uint64_t salt) const {
  if (routine_ == spec::Routine::gemv) return {};
  return plan_box(options_.small_products, most, salt);
}

}  // namespace reprosum::reveal
