// verify(): does a spec still hold on this target?
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "reveal/capture.h"
#include "reveal/capture/certify.h"
#include "reveal/capture/replay_check.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kElements = 10'000'000;

// Replays one context of an entry; the first mismatch, if any.
std::optional<Mismatch> check_context(Target& target, const Call& call, int threads,
                                      const spec::Entry& entry, const spec::Order& order,
                                      const CaptureOptions& options, bool all_nodes,
                                      VerifyReport& report) {
  // The seed differs from any capture's by default, so the sizes and data are held-out ones.
  const std::uint64_t seed = options.seed * 1009 + 17;
  const auto sizes = plan_sizes(order, entry.n_max, options.random_vectors, kElements, seed);
  const ReplayResult replayed = check_replay(target, call, order, options.replay, sizes, seed);
  report.vectors += replayed.vectors;
  std::optional<Mismatch> mismatch = replayed.mismatch;
  if (!mismatch && all_nodes) {
    spec::Certificate scratch;
    scratch.seed = seed;
    try {
      certify_nodes(target, call, order, std::min<std::int64_t>(entry.n_max, 20000), scratch);
    } catch (const Refused& wrong) {
      mismatch = Mismatch{wrong.what(), "the spec's tree", "another tree", std::to_string(seed)};
    }
  }
  if (mismatch) mismatch->context += " threads=" + std::to_string(threads);
  return mismatch;
}

}  // namespace

VerifyReport verify(const spec::Spec& spec, const TargetFactory& open,
                    const CaptureOptions& options) {
  if (!options.replay) throw UserError("verify: no interpreter was handed in");
  VerifyReport report;
  std::map<int, std::unique_ptr<Target>> targets;
  for (const spec::Entry& entry : spec.entries) {
    const std::string routine = spec::blas_name(entry.routine, entry.type);
    std::optional<Mismatch> mismatch;
    bool first = true;
    for (const int threads : entry.guard.threads) {
      auto& target = targets[threads];
      if (!target) target = open(threads);
      if (!target->has(entry.routine, entry.type)) {
        report.skipped.push_back(routine + ": the target has no such routine");
        report.holds = false;
        break;
      }
      for (const auto& [incx, incy] : entry.guard.increments) {
        Call call{entry.routine, entry.type, 0, incx, incy};
        if (entry.guard.modulus > 1) {
          call.align_x = entry.guard.residues.front().first;
          call.align_y = entry.guard.residues.front().second;
        }
        if (options.progress) options.progress({describe(call), target->calls(), 0});
        if (!mismatch)
          mismatch = check_context(*target, call, threads, entry, spec.orders[entry.order], options,
                                   first, report);
        first = false;
      }
    }
    if (mismatch) {
      report.holds = false;
      report.first.push_back(*mismatch);
    }
  }
  for (const auto& [threads, target] : targets) report.calls += target->calls();
  return report;
}

}  // namespace reprosum::reveal
