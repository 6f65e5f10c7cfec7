#include "reveal/capture/matrix_routine.h"

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "reveal/capture/empty_calls.h"
#include "reveal/capture/matrix_addresses.h"
#include "reveal/capture/matrix_beta.h"
#include "reveal/capture/matrix_reach.h"
#include "reveal/capture/run_end.h"
#include "reveal/check/class_check.h"
#include "reveal/refused.h"
#include "reveal/target/matrix_layout.h"

namespace reprosum::reveal {
namespace {

constexpr double kRecogniseWork = 1e7;  // multiplications; certification costs options.matrix_work
constexpr std::int64_t kLongCalls = 200;  // of gemv, for each kind of increments
constexpr std::int64_t kMostLongCalls = 1000;
// Of few summands, where known rules are tried in earnest; those of gemm have many outputs each.
constexpr std::int64_t kSmallCalls = 16000, kSmallCallsOfGemm = 4000;
// Of each small shape: rules that are known were looked at in more of another context.
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

std::vector<spec::Increments> without_zeros(const std::vector<spec::Increments>& increments) {
  std::vector<spec::Increments> parts = by_kind(increments);
  std::erase_if(parts, [](const auto& part) { return part.x.admits(0) || part.y.admits(0); });
  return parts;
}

}  // namespace

void add_result(spec::MatrixCertificate& certificate, const MatrixReplayResult& result) {
  certificate.shapes_checked += result.shapes;
  certificate.outputs_checked += result.outputs;
  certificate.special_outputs += result.special_outputs;
  for (int k = 0; k < kDataClasses; ++k)
    if (const auto products = result.kinds[static_cast<std::size_t>(data_class(k))]; products > 0)
      certificate.classes[name(data_class(k))] += products;
  certificate.largest_m = std::max(certificate.largest_m, result.largest.m);
  certificate.largest_n = std::max(certificate.largest_n, result.largest.n);
  certificate.largest_k = std::max(certificate.largest_k, result.largest.k);
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

MatrixRoutineCapture::MatrixRoutineCapture(spec::Routine routine, spec::Type type, Targets& targets,
                                           const CaptureOptions& options, Report report)
    : routine_(routine),
      type_(type),
      targets_(targets),
      options_(options),
      report_(std::move(report)) {}

void MatrixRoutineCapture::refuse(const std::string& context, const std::string& reason,
                                  const std::string& detail) {
  spec_.refusals.push_back({spec::blas_name(routine_, type_), context, reason, detail});
}

std::string MatrixRoutineCapture::context_of(const MatrixCall& call) const {
  return describe(call) + " threads=" + std::to_string(threads_) + name(beta_);
}

spec::Spec MatrixRoutineCapture::run() {
  if (!targets_.front().second->has(routine_, type_)) {
    refuse("", "missing_symbol", "the target has no such routine");
    return std::move(spec_);
  }
  std::vector<std::string> left;  // when the run was over
  const bool gemv = routine_ == spec::Routine::gemv;
  // BLAS has no matrix routine with an increment of 0.
  asked_ = gemv ? without_zeros(options_.increments) : std::vector<spec::Increments>{{1, 1}};
  if (asked_.empty()) asked_ = {{1, 1}};
  const auto both = {spec::Trans::no, spec::Trans::yes};
  for (const auto& [threads, target] : targets_)
    for (const spec::Trans trans_a : both)
      for (const spec::Trans trans_b : both) {
        if (gemv && trans_b == spec::Trans::yes) continue;
        if (!is_asked(trans_a, trans_b)) continue;
        capture_transposes(*target, trans_a, trans_b, threads, left);
        capture_empty(*target, trans_a, trans_b, threads, left);
      }
  if (!left.empty()) spec_.refusals.push_back(not_reached(spec::blas_name(routine_, type_), left));
  leave_out_bands();
  std::vector<std::vector<spec::MatrixRegime>> rules;
  for (RuleSet& set : rules_) rules.push_back(std::move(set.regimes));
  append_matrices(routine_, type_, pieces_, rules, options_.largest, spec_);
  if (options_.reach.size > 0) reach_further();
  return std::move(spec_);
}

// What the end of a target or of the run leaves undone costs no rule.
void MatrixRoutineCapture::reach_further() {
  for (spec::MatrixEntry& entry : spec_.matrices) {
    report_(spec::blas_name(routine_, type_) + ": longer products");
    try {
      reach_beyond(targets_, entry, spec_.orders, options_);
    } catch (const TargetError&) {
    } catch (const RunIsOver&) {
      return;
    }
  }
}

std::vector<IncrementClass> MatrixRoutineCapture::classes_of(Target& target,
                                                             const MatrixCall& call) {
  const auto named = [&](const IncrementClass& increments) {
    MatrixCall one = call;
    std::tie(one.incx, one.incy) = increments.example;
    return context_of(one) + others_of(increments, true);
  };
  try {
    IncrementClasses found = increment_classes(target, call, asked_, options_.seed + 83);
    for (const auto& [increments, why] : found.refused)
      refuse(named({{increments}, increments.plainest()}), "unknown_rule", why);
    return std::move(found.classes);
  } catch (const RunIsOver&) {
    return not_sorted(options_.increments);  // to be named as not reached
  }
}

void MatrixRoutineCapture::capture_transposes(Target& target, spec::Trans trans_a,
                                              spec::Trans trans_b, int threads,
                                              std::vector<std::string>& left) {
  MatrixCall call;
  call.routine = routine_;
  call.type = type_;
  call.trans_a = trans_a;
  call.trans_b = trans_b;
  threads_ = threads;
  beta_ = spec::Beta::any;
  std::vector<IncrementClass> classes{{asked_, {1, 1}}};
  if (routine_ == spec::Routine::gemv) {
    try {
      classes = classes_of(target, call);
    } catch (const TargetError& error) {
      return refuse(context_of(call), error.reason, error.what());
    }
  }
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const IncrementClass increments = classes[at];
    std::tie(call.incx, call.incy) = increments.example;
    beta_ = spec::Beta::any;
    const std::string context = context_of(call) + others_of(increments, true);
    report_(context);
    std::vector<IncrementClass> more;
    try {
      capture_class(target, call, increments, threads, more);
    } catch (const Refused& refused) {
      refuse(context, refused.reason, refused.what());
    } catch (const TargetError& error) {
      // A target that takes no such increments at all has no order to refuse; gemm has none.
      if (error.reason != "declined" || routine_ == spec::Routine::gemm)
        refuse(context, error.reason, error.what());
    } catch (const RunIsOver&) {
      left.push_back(context);
    }
    classes.insert(classes.end(), more.begin(), more.end());
  }
}

void MatrixRoutineCapture::capture_class(Target& target, MatrixCall call,
                                         const IncrementClass& increments, int threads,
                                         std::vector<IncrementClass>& more) {
  DrawnIncrements drawn(target, increments.increments, seed_of_context());
  drawn_ = &drawn;
  increments_ = increments.increments;
  const std::size_t before = pieces_.size();
  try {
    capture_context(drawn, call, threads);
  } catch (const OneOfMany& wrong) {
    pieces_.resize(before);
    more = parted(increments);
    // What is left of one part is its example.
    if (increments.increments.size() == 1)
      refuse(context_of(call) + others_of(increments, true), "unknown_rule", wrong.what());
  }
}

void MatrixRoutineCapture::capture_empty(Target& target, spec::Trans trans_a, spec::Trans trans_b,
                                         int threads, std::vector<std::string>& left) {
  MatrixCall call;
  call.routine = routine_;
  call.type = type_;
  call.trans_a = trans_a;
  call.trans_b = trans_b;
  const std::string context = describe(call) + " k = 0 threads=" + std::to_string(threads);
  try {
    if (auto rule = empty_update(target, call, threads, options_.largest, example_pairs(asked_),
                                 options_.seed + 71)) {
      spec_.empty_updates.push_back(*std::move(rule));
      reach_beyond(target, spec_.empty_updates.back(), options_.reach, example_pairs(asked_),
                   options_.seed + 72);
    }
  } catch (const Refused& refused) {
    refuse(context, refused.reason, refused.what());
  } catch (const TargetError& error) {
    refuse(context, error.reason, error.what());
  } catch (const RunIsOver&) {
    left.push_back(context);
  }
}

// Few products lie in a band, and fewer show what is wrong there: it may be met in one context and
// missed in another.
void MatrixRoutineCapture::leave_out_bands() {
  for (const MatrixPiece& piece : pieces_) {
    auto& regimes = rules_[piece.rules].regimes;
    for (const spec::MatrixRegime& band : bands_[{piece.trans_a, piece.trans_b}])
      if (std::none_of(regimes.begin(), regimes.end(),
                       [&](const auto& regime) { return regime.guard == band.guard; }))
        regimes.insert(regimes.begin(), band);
  }
}

bool MatrixRoutineCapture::is_asked(spec::Trans trans_a, spec::Trans trans_b) const {
  const auto& asked = options_.transposes;
  return asked.empty() || std::any_of(asked.begin(), asked.end(), [&](const auto& pair) {
           return pair.first == trans_a &&
                  (routine_ == spec::Routine::gemv || pair.second == trans_b);
         });
}

void MatrixRoutineCapture::capture_context(Target& target, const MatrixCall& call, int threads) {
  const auto betas = beta_classes(target, call, options_.largest, options_.seed);
  for (const spec::Beta beta : betas) {
    beta_ = beta;
    BetaTarget limited(target, beta);
    nan_beta_is_zero_ = takes_nan_beta_for_zero(limited, call, options_.largest, options_.seed);
    try {
      capture_addresses(limited, call, threads);
    } catch (const Refused& refused) {
      if (betas.size() == 1) throw;
      refuse(context_of(call), refused.reason, refused.what());
    }
  }
}

void MatrixRoutineCapture::capture_addresses(Target& target, const MatrixCall& call, int threads) {
  const auto classes = address_classes(target, call, options_.largest, options_.seed);
  for (const spec::AddressGuard& addresses : classes) {
    addresses_ = addresses;
    try {
      capture_scope(target, call, threads, {});
    } catch (const Refused& refused) {
      if (classes.size() == 1) throw;
      refuse(context_of(call) + " " + spec::describe(addresses, routine_), refused.reason,
             refused.what());
    }
  }
}

void MatrixRoutineCapture::capture_scope(Target& target, const MatrixCall& call, int threads,
                                         const Scope& scope) {
  MatrixPiece first = capture_leading(target, call, threads, scope);
  const spec::Leadings held = first.leading;
  const std::size_t rules = first.rules;
  pieces_.push_back(std::move(first));
  const auto capture_rest = [&](const MatrixCall& rest, const Scope& of) {
    try {
      capture_scope(target, rest, threads, of);
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
    MatrixCall with_gaps = call;
    (k == 0 ? with_gaps.pad_a : k == 1 ? with_gaps.pad_b : with_gaps.pad_c) = kPad;
    capture_rest(with_gaps, padded);
    rest.leading[k] = held[k];
  }
  if (routine_ == spec::Routine::gemv || scope.outputs != Outputs::all) return;
  for (const Outputs outputs : kThinOutputs)
    if (leaves_out(rules_[rules].regimes, outputs, options_.largest))
      capture_rest(call, {rest.leading, outputs});
}

MatrixPiece MatrixRoutineCapture::capture_leading(Target& target, const MatrixCall& call,
                                                  int threads, const Scope& scope) {
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
  complete(target, call, threads, *piece);
  piece->certificate.calls = target.calls() - before;
  for (MatrixPiece& also : std::exchange(besides_, {})) {
    complete(target, call, threads, also);
    pieces_.push_back(std::move(also));
  }
  return std::move(*piece);
}

void MatrixRoutineCapture::complete(Target& target, const MatrixCall& call, int threads,
                                    MatrixPiece& piece) {
  piece.trans_a = call.trans_a;
  piece.trans_b = call.trans_b;
  piece.increments = increments_;
  piece.threads = threads;
  piece.addresses = addresses_;
  piece.beta = beta_;
  piece.nan_beta_is_zero = nan_beta_is_zero_;
  look_at_layouts(target, call, piece);
  look_at_classes(target, call, piece);
  piece.certificate.seed = options_.seed;
  piece.certificate.shapes_learned = rules_[piece.rules].shapes_learned;
  piece.certificate.not_checked = rules_[piece.rules].not_checked;
  piece.certificate.not_checked.push_back(leading_not_checked());
  piece.certificate.not_checked.push_back(kStateAndTime);
}

MatrixCheck MatrixRoutineCapture::check_of(int alignment, const spec::Leadings& leading,
                                           const MatrixDataLimits& limits,
                                           std::uint64_t seed) const {
  MatrixCheck check{alignment, leading, limits, seed, addresses_};
  check.nan_beta_is_zero = nan_beta_is_zero_;
  return check;
}

void MatrixRoutineCapture::confirm_increments(Target& target, const MatrixCall& call,
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

std::optional<MatrixPiece> MatrixRoutineCapture::recognise(Target& target, const MatrixCall& call,
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
std::int64_t MatrixRoutineCapture::long_calls() const {
  return std::min(kLongCalls * drawn_->kinds(), kMostLongCalls);
}

std::uint64_t MatrixRoutineCapture::seed_of_context() const {
  return options_.seed + 100'003 * pieces_.size();
}

// Those that rules have in common, the small ones, would be most of them.
std::vector<spec::Shape3> MatrixRoutineCapture::shapes_of_all_rules(Outputs outputs) const {
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

std::vector<spec::Shape3> MatrixRoutineCapture::shapes_listed(const spec::Shape3& most,
                                                              std::uint64_t salt) const {
  if (routine_ == spec::Routine::gemv) return {};
  return plan_box(options_.small_products, most, salt);
}

}  // namespace reprosum::reveal
