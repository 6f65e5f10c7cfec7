// verify(): does a spec still hold on this target?
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/alignment.h"
#include "reveal/capture/certify.h"
#include "reveal/capture/empty_calls.h"
#include "reveal/capture/increment_classes.h"
#include "reveal/capture/matrix_beta.h"
#include "reveal/capture/matrix_reach.h"
#include "reveal/capture/run_end.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/check/matrix_check.h"
#include "reveal/check/place_check.h"
#include "reveal/check/replay_check.h"
#include "reveal/refused.h"
#include "spec/conditions.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kElements = 10'000'000;
constexpr int kTelling = 4;  // vectors made for the tree at each small size

// All addresses that share the order of an entry of sum or dot.
AddressClass addresses_of(const spec::AddressGuard& guard) {
  AddressClass out;
  if (guard.is_any()) return out;
  out = {guard.moduli[0], {}};
  for (const spec::Residues& residues : guard.residues)
    out.residues.emplace_back(residues[0], residues[1]);
  return out;
}

// Whether the call lies where the other one does, and has its face.
bool mismatch_is_usual(const Call& call, const Call& usual) {
  return std::tie(call.align_a, call.align_b, call.place, call.cblas) ==
         std::tie(usual.align_a, usual.align_b, usual.place, usual.cblas);
}

// Replays one context of an entry; the first mismatch, if any.
std::optional<Mismatch> check_context(Target& target, const Call& call,
                                      const std::vector<spec::Increments>& increments,
                                      const spec::Entry& entry, const spec::Order& order,
                                      const CaptureOptions& options, bool all_nodes,
                                      VerifyReport& report) {
  // The seed differs from any capture's by default, so the sizes and data are held-out ones.
  const std::uint64_t seed = options.seed * 1009 + 17;
  const std::int64_t n_max = spec::most_summands(entry);
  const auto sizes = plan_sizes(order, n_max, options.random_vectors, kElements, seed);
  DrawnIncrements drawn(target, increments, seed);
  const bool has_places = places_vectors(target, call, order.regimes.front().lo);
  std::vector<std::int64_t> place_sizes(std::begin(kPlaceSizes), std::end(kPlaceSizes));
  std::erase_if(place_sizes, [&](std::int64_t n) { return n > n_max || !spec::covers(order, n); });
  if (const auto why = place_matters(target, call, place_sizes, has_places, seed + 2))
    return Mismatch{why->what(), "one order", why->reason, std::to_string(seed)};
  drawn.draw_faces();
  if (has_places) drawn.draw_addresses(addresses_of(entry.guard.addresses));
  const ReplayResult replayed = check_replay(drawn, call, order, sizes, seed);
  report.vectors += replayed.vectors;
  std::optional<Mismatch> mismatch = replayed.mismatch;
  if (!mismatch) {
    ClassPlan plan = class_plan(n_max, options, kElements, kTelling, 1, has_places, seed + 1);
    // Where the capture found sizes dear, so are they here.
    if (const std::int64_t every = entry.certificate.every_size_to; every > 0)
      plan.every_to = std::min(plan.every_to, every);
    const ClassResult classes = check_classes(drawn, call, order, plan);
    report.vectors += classes.vectors;
    if (classes.wrong) {
      mismatch = classes.wrong->mismatch;
      mismatch->context += std::string(", data of the class '") + name(classes.wrong->kind) + "'";
    }
  }
  if (mismatch && !drawn.has_one())
    mismatch->context += ", but with the increments " + std::to_string(drawn.last().first) +
                         " and " + std::to_string(drawn.last().second);
  if (mismatch && !mismatch_is_usual(drawn.last_call(), call))
    mismatch->context += ", as " + describe(drawn.last_call());
  // The tests of single nodes know none that fuses several terms: those are held by data alone.
  if (!mismatch && all_nodes && !spec::has_fused_nodes(order)) {
    spec::Certificate scratch;
    scratch.seed = seed;
    try {
      certify_nodes(target, call, order, std::min<std::int64_t>(n_max, 20000), scratch);
    } catch (const Refused& wrong) {
      mismatch = Mismatch{wrong.what(), "the spec's tree", "another tree", std::to_string(seed)};
    }
  }
  return mismatch;
}

// Every context of an entry of gemv or gemm, by columns and, where covered, by rows.
std::optional<Mismatch> check_products(Target& target, const spec::Entry& entry, int,
                                       const spec::Spec& spec, const CaptureOptions& options,
                                       VerifyReport& report) {
  const bool gemv = entry.routine == spec::Routine::gemv;
  BetaTarget limited(target, entry.guard.beta);
  const ReachRegion longer = reach_of(entry, options);
  const spec::Shape3& largest = longer.learned;
  MatrixCheck check = check_of(entry, options.seed * 1009 + 17);
  for (const auto& increments : by_zeros(entry.guard.increments)) {
    DrawnIncrements drawn(limited, increments, check.seed);
    const auto [incx, incy] = increments.front().plainest();
    Call call =
        call_without_sizes(entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b);
    call.incx = incx;
    call.incy = incy;
    for (const bool row_major : {false, true}) {
      if (row_major && !entry.guard.row_major) continue;
      call.row_major = row_major;
      if (options.progress) options.progress({describe(call), target.calls(), 0});
      const double work = row_major ? options.matrix_work / 8 : options.matrix_work;
      auto shapes = plan_shapes(entry.regimes, spec.orders, gemv, largest, work, ++check.seed);
      // Another library may differ in one regime alone, and be it a narrow one.
      const auto inside = shapes_inside(entry.regimes, gemv, largest, work / 8, check.seed);
      shapes.insert(shapes.end(), inside.begin(), inside.end());
      MatrixReplayResult result =
          check_matrices(drawn, call, entry.regimes, spec.orders, shapes, check);
      report.vectors += result.outputs;
      if (!result.wrong && options.reach.size > 0 && !row_major) {
        MatrixCheck uniform = check;
        uniform.is_uniform = true;
        uniform.telling_outputs = 1;
        auto reached = plan_reach(longer, check.seed);
        const auto sizes = plan_every_size(longer, options.every_size_to, check.seed);
        reached.insert(reached.end(), sizes.begin(), sizes.end());
        result = check_matrices(drawn, call, entry.regimes, spec.orders, reached, uniform);
        report.vectors += result.outputs;
      }
      std::optional<MatrixReplayResult::Wrong> wrong = result.wrong;
      if (!wrong && !row_major) {
        MatrixReplayResult classes = check_matrix_classes(limited, call, entry.regimes, spec.orders,
                                                          {gemv, largest, work / 4}, check);
        report.vectors += classes.outputs;
        wrong = std::move(classes.wrong);
      }
      if (!wrong) continue;
      Mismatch mismatch = wrong->mismatch;
      if (is_class(wrong->data))
        mismatch.context += std::string(" data of the class '") + name(wrong->data) + "'";
      return mismatch;
    }
  }
  return std::nullopt;
}

bool has_fused_nodes(const spec::Spec& spec, const spec::Entry& entry) {
  for (const spec::MatrixRegime& regime : entry.regimes)
    for (const spec::MatrixClass& kind : regime.classes)
      if (spec::has_fused_nodes(spec.orders.at(kind.order))) return true;
  return false;
}

// Every context of an entry of sum or dot.
std::optional<Mismatch> check_sums(Target& target, const spec::Entry& entry, int threads,
                                   const spec::Spec& spec, const CaptureOptions& options,
                                   VerifyReport& report) {
  bool all_nodes = threads == entry.guard.threads.front();  // once
  for (const auto& increments : by_zeros(entry.guard.increments)) {
    const auto [incx, incy] = increments.front().plainest();
    Call call = call_of_vectors(entry.routine, entry.type, 0, incx, incy);
    if (const spec::AddressGuard& addresses = entry.guard.addresses; !addresses.is_any()) {
      call.align_a = addresses.residues.front()[0];
      call.align_b = addresses.residues.front()[1];
    }
    if (options.progress) options.progress({describe(call), target.calls(), 0});
    auto mismatch = check_context(target, call, increments, entry,
                                  spec.orders[spec::order_of(entry)], options, all_nodes, report);
    if (mismatch) return mismatch;
    all_nodes = false;
  }
  return std::nullopt;
}

// What calls without summands do now, as far as the rule speaks of them.
std::optional<spec::EmptyRule> probed_again(Target& target, const spec::EmptyRule& rule,
                                            int threads, const CaptureOptions& options) {
  const auto increments = example_pairs(options.increments);
  const Call call = call_without_sizes(rule.routine, rule.type, rule.trans_a, rule.trans_b);
  const spec::Shape3 learned{std::min(rule.m_max, options.largest.m),
                             std::min(rule.n_max, options.largest.n), 1};
  auto found = empty_rule(target, call, threads, learned, increments, options.seed * 1009 + 29);
  if (!found) return found;
  spec::EmptyRule whole = *found;
  std::tie(whole.m_max, whole.n_max, whole.outputs_max) =
      std::tuple(rule.m_max, rule.n_max, rule.outputs_max);
  if (spec::covers(*found, rule.m_max, rule.n_max) ||
      holds_beyond(target, whole, learned, increments, options.seed * 1009 + 30))
    found = whole;
  return found;
}

// Another rule than the spec's is a mismatch, as far as the spec's speaks. What the target declines
// is not tested.
std::optional<Mismatch> check_empty(Target& target, const spec::EmptyRule& rule, int threads,
                                    const CaptureOptions& options, VerifyReport& report) {
  const std::string what =
      spec::name_of(rule.routine, rule.type, rule.trans_a, rule.trans_b) + " without summands";
  if (options.progress) options.progress({what, target.calls(), 0});
  const auto skip = [&](const char* calls) {
    report.skipped.push_back(what + ": the target declines " + calls);
  };
  std::string got;
  try {
    auto now = probed_again(target, rule, threads, options);
    if (!now) {
      skip("such calls");
      return std::nullopt;
    }
    ++report.vectors;
    now->threads = rule.threads;
    if (rule.below_zero && !now->below_zero) skip("those of n < 0");
    if (!rule.below_zero || !now->below_zero) now->below_zero = rule.below_zero;
    if (rule.row_major && !now->row_major) skip("those by rows");
    if (!rule.row_major || !now->row_major) now->row_major = rule.row_major;
    if (*now == rule) return std::nullopt;
    got = spec::describe(*now);
  } catch (const Refused& wrong) {
    got = wrong.what();
  }
  return Mismatch{what, spec::describe(rule), got, std::to_string(options.seed)};
}

class Verifier {
 public:
  Verifier(const spec::Spec& spec, const TargetFactory& open, const CaptureOptions& options)
      : spec_(spec), open_(open), options_(options) {}

  VerifyReport run() {
    for (const spec::Entry& entry : spec_.entries) {
      if (spec::has_matrices(entry.routine) && has_fused_nodes(spec_, entry)) {
        skip(spec::blas_name(entry.routine, entry.type) +
             ": nodes that fuse several terms are not computed in products");
        continue;
      }
      const auto& check = spec::has_matrices(entry.routine) ? check_products : check_sums;
      until_wrong(entry.routine, entry.type, entry.guard.threads, [&](Target& target, int threads) {
        return check(target, entry, threads, spec_, options_, report_);
      });
    }
    for (const spec::EmptyRule& rule : spec_.empty_rules)
      until_wrong(rule.routine, rule.type, rule.threads, [&](Target& target, int threads) {
        return check_empty(target, rule, threads, options_, report_);
      });
    for (const auto& [threads, target] : targets_) report_.calls += target->calls();
    return std::move(report_);
  }

 private:
  void skip(std::string why) {
    report_.skipped.push_back(std::move(why));
    report_.holds = false;
  }

  // The first mismatch, thread count by thread count.
  template <class Check>
  void until_wrong(spec::Routine routine, spec::Type type, const std::vector<int>& counts,
                   const Check& check) {
    for (const int threads : counts) {
      auto& target = targets_[threads];
      if (!target) target = std::make_unique<TargetUntil>(open_(threads), options_.is_over);
      if (!target->has(routine, type))
        return skip(spec::blas_name(routine, type) + ": the target has no such routine");
      if (auto mismatch = check(*target, threads)) {
        report_.holds = false;
        mismatch->context += " threads=" + std::to_string(threads);
        report_.first.push_back(*std::move(mismatch));
        return;
      }
    }
  }

  const spec::Spec& spec_;
  const TargetFactory& open_;
  const CaptureOptions& options_;
  std::map<int, std::unique_ptr<Target>> targets_;  // by thread count
  VerifyReport report_;
};

}  // namespace

VerifyReport verify(const spec::Spec& spec, const TargetFactory& open,
                    const CaptureOptions& options) {
  try {
    return Verifier(spec, open, options).run();
  } catch (const RunIsOver&) {
    throw TargetError("timed_out", "the run was over before every entry was verified");
  }
}

}  // namespace reprosum::reveal
