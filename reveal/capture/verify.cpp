// verify(): does a spec still hold on this target?
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "reveal/capture.h"
#include "reveal/capture/certify.h"
#include "reveal/capture/empty_calls.h"
#include "reveal/capture/increment_classes.h"
#include "reveal/capture/matrix_beta.h"
#include "reveal/capture/matrix_reach.h"
#include "reveal/capture/run_end.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/check/matrix_check.h"
#include "reveal/check/replay_check.h"
#include "reveal/refused.h"
#include "reveal/target/matrix_layout.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kElements = 10'000'000;
constexpr int kTelling = 4;  // vectors made for the tree at each small size

// Replays one context of an entry; the first mismatch, if any.
std::optional<Mismatch> check_context(Target& target, const Call& call,
                                      const std::vector<spec::Increments>& increments, int threads,
                                      const spec::Entry& entry, const spec::Order& order,
                                      const CaptureOptions& options, bool all_nodes,
                                      VerifyReport& report) {
  // The seed differs from any capture's by default, so the sizes and data are held-out ones.
  const std::uint64_t seed = options.seed * 1009 + 17;
  const auto sizes = plan_sizes(order, entry.n_max, options.random_vectors, kElements, seed);
  DrawnIncrements drawn(target, increments, seed);
  const ReplayResult replayed = check_replay(drawn, call, order, sizes, seed);
  report.vectors += replayed.vectors;
  std::optional<Mismatch> mismatch = replayed.mismatch;
  if (!mismatch) {
    ClassPlan plan = class_plan(entry.n_max, options, kElements, kTelling, 1, seed + 1);
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
  // The tests of single nodes know none that fuses several terms: those are held by data alone.
  if (!mismatch && all_nodes && !spec::has_fused_nodes(order)) {
    spec::Certificate scratch;
    scratch.seed = seed;
    try {
      certify_nodes(target, call, order, std::min<std::int64_t>(entry.n_max, 20000), scratch);
    } catch (const Refused& wrong) {
      mismatch = Mismatch{wrong.what(), "the spec's tree", "another tree", std::to_string(seed)};
    }
  }
  if (mismatch && !drawn.has_one())
    mismatch->context += ", but with the increments " + std::to_string(drawn.last().first) +
                         " and " + std::to_string(drawn.last().second);
  if (mismatch) mismatch->context += " threads=" + std::to_string(threads);
  return mismatch;
}

// Every context of a matrix entry, by columns and, where covered, by rows.
std::optional<Mismatch> check_entry(Target& target, const spec::MatrixEntry& entry, int threads,
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
    MatrixCall call;
    call.routine = entry.routine;
    call.type = entry.type;
    call.trans_a = entry.guard.trans_a;
    call.trans_b = entry.guard.trans_b;
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
        result = check_matrices(drawn, call, entry.regimes, spec.orders,
                                plan_reach(longer, check.seed), uniform);
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
      mismatch.context += " threads=" + std::to_string(threads);
      return mismatch;
    }
  }
  return std::nullopt;
}

// What every call without summands gives, probed anew: other rules are a mismatch.
template <class Rule, class Probe>
void check_empty(const std::vector<Rule>& rules, std::map<int, std::unique_ptr<Target>>& targets,
                 const TargetFactory& open, const CaptureOptions& options, const Probe& probe,
                 VerifyReport& report) {
  for (const Rule& rule : rules) {
    const std::string routine = spec::blas_name(rule.routine, rule.type);
    for (const int threads : rule.threads) {
      auto& target = targets[threads];
      if (!target) target = std::make_unique<TargetUntil>(open(threads), options.is_over);
      std::string got = "the target declines such calls";
      if (!target->has(rule.routine, rule.type)) {
        report.skipped.push_back(routine + ": the target has no such routine");
        report.holds = false;
        break;
      }
      try {
        if (auto now = probe(*target, rule, threads)) {
          now->threads = rule.threads;
          if (*now == rule) continue;
          got = spec::describe(*now);
        }
      } catch (const Refused& wrong) {
        got = wrong.what();
      }
      report.holds = false;
      report.first.push_back({routine + " without summands threads=" + std::to_string(threads),
                              spec::describe(rule), got, std::to_string(options.seed)});
      break;
    }
  }
}

bool has_fused_nodes(const spec::Spec& spec, const spec::MatrixEntry& entry) {
  for (const spec::MatrixRegime& regime : entry.regimes)
    for (const spec::MatrixClass& kind : regime.classes)
      if (spec::has_fused_nodes(spec.orders.at(kind.order))) return true;
  return false;
}

VerifyReport verify_all(const spec::Spec& spec, const TargetFactory& open,
                        const CaptureOptions& options) {
  VerifyReport report;
  std::map<int, std::unique_ptr<Target>> targets;
  for (const spec::Entry& entry : spec.entries) {
    const std::string routine = spec::blas_name(entry.routine, entry.type);
    std::optional<Mismatch> mismatch;
    bool first = true;
    for (const int threads : entry.guard.threads) {
      auto& target = targets[threads];
      if (!target) target = std::make_unique<TargetUntil>(open(threads), options.is_over);
      if (!target->has(entry.routine, entry.type)) {
        report.skipped.push_back(routine + ": the target has no such routine");
        report.holds = false;
        break;
      }
      for (const auto& increments : by_zeros(entry.guard.increments)) {
        const auto [incx, incy] = increments.front().plainest();
        Call call{entry.routine, entry.type, 0, incx, incy};
        if (const spec::AddressGuard& addresses = entry.guard.addresses; !addresses.is_any()) {
          call.align_x = addresses.residues.front()[0];
          call.align_y = addresses.residues.front()[1];
        }
        if (options.progress) options.progress({describe(call), target->calls(), 0});
        if (!mismatch)
          mismatch = check_context(*target, call, increments, threads, entry,
                                   spec.orders[entry.order], options, first, report);
        first = false;
      }
    }
    if (mismatch) {
      report.holds = false;
      report.first.push_back(*mismatch);
    }
  }
  for (const spec::MatrixEntry& entry : spec.matrices) {
    if (has_fused_nodes(spec, entry)) {
      report.skipped.push_back(spec::blas_name(entry.routine, entry.type) +
                               ": nodes that fuse several terms are not computed in products");
      report.holds = false;
      continue;
    }
    std::optional<Mismatch> mismatch;
    for (const int threads : entry.guard.threads) {
      auto& target = targets[threads];
      if (!target) target = std::make_unique<TargetUntil>(open(threads), options.is_over);
      if (!target->has(entry.routine, entry.type)) {
        report.skipped.push_back(spec::blas_name(entry.routine, entry.type) +
                                 ": the target has no such routine");
        report.holds = false;
        break;
      }
      if (!mismatch) mismatch = check_entry(*target, entry, threads, spec, options, report);
    }
    if (mismatch) {
      report.holds = false;
      report.first.push_back(*mismatch);
    }
  }
  check_empty(
      spec.empty_sums, targets, open, options,
      [&](Target& target, const spec::EmptySum& rule, int threads) {
        return empty_sum(target, rule.routine, rule.type, threads,
                         example_pairs(options.increments));
      },
      report);
  check_empty(
      spec.empty_updates, targets, open, options,
      [&](Target& target, const spec::EmptyUpdate& rule, int threads) {
        MatrixCall call;
        call.routine = rule.routine;
        call.type = rule.type;
        call.trans_a = rule.trans_a;
        call.trans_b = rule.trans_b;
        const auto increments = example_pairs(options.increments);
        const spec::Shape3 learned{std::min(rule.m_max, options.largest.m),
                                   std::min(rule.n_max, options.largest.n), 1};
        auto found =
            empty_update(target, call, threads, learned, increments, options.seed * 1009 + 29);
        if (!found) return found;
        spec::EmptyUpdate whole = *found;
        std::tie(whole.m_max, whole.n_max, whole.outputs_max) =
            std::tuple(rule.m_max, rule.n_max, rule.outputs_max);
        if (spec::covers(*found, rule.m_max, rule.n_max) ||
            holds_beyond(target, whole, learned, increments, options.seed * 1009 + 30))
          found = whole;
        return found;
      },
      report);
  for (const auto& [threads, target] : targets) report.calls += target->calls();
  return report;
}

}  // namespace

VerifyReport verify(const spec::Spec& spec, const TargetFactory& open,
                    const CaptureOptions& options) {
  try {
    return verify_all(spec, open, options);
  } catch (const RunIsOver&) {
    throw TargetError("timed_out", "the run was over before every entry was verified");
  }
}

}  // namespace reprosum::reveal
