// capture(): the routines of a target, a few at a time.
#include "reveal/capture.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>

#include "reveal/capture/product_capture.h"
#include "reveal/capture/routine_capture.h"
#include "reveal/capture/run_end.h"
#include "reveal/capture/sum_capture.h"
#include "reveal/target/core_set.h"
#include "src/base/workers.h"

namespace reprosum::reveal {
namespace {

void check(const CaptureOptions& options) {
  if (options.threads.empty() || options.increments.empty())
    throw UserError("capture: no thread count or no increments to capture");
  if (options.n_max < 2) throw UserError("capture: n_max must be at least 2");
  if (options.workers < 1) throw UserError("capture: needs at least one worker");
}

// Captures of routines that come first take longer.
int length_rank(spec::Routine routine) {
  switch (routine) {
    case spec::Routine::gemm:
      return 0;
    case spec::Routine::gemv:
      return 1;
    default:
      return 2;
  }
}

Targets open_all(const TargetFactory& open, const CaptureOptions& options) {
  Targets targets;
  for (const int threads : options.threads)
    targets.emplace_back(threads, std::make_unique<TargetUntil>(open(threads), options.is_over));
  return targets;
}

// The parts, in the order of the routines, as one spec.
spec::Spec joined(std::vector<spec::Spec> parts) {
  spec::Spec all;
  for (spec::Spec& part : parts) {
    for (spec::Entry& entry : part.entries) {
      for (spec::MatrixRegime& regime : entry.regimes)
        for (spec::MatrixClass& output : regime.classes) output.order += all.orders.size();
      all.entries.push_back(std::move(entry));
    }
    const auto append = [](auto& to, auto& from) {
      std::move(from.begin(), from.end(), std::back_inserter(to));
    };
    append(all.empty_rules, part.empty_rules);
    append(all.orders, part.orders);
    append(all.refusals, part.refusals);
  }
  return all;
}

}  // namespace

spec::Spec capture(const TargetFactory& open, const CaptureOptions& options) {
  check(options);
  const auto start = std::chrono::steady_clock::now();
  // Targets are opened here, one after the other: a child lives as long as the thread that started
  // it, and no other thread runs while it is forked.
  std::vector<Targets> targets;
  targets.push_back(open_all(open, options));
  Target& first = *targets[0].front().second;
  auto routines = options.routines;
  if (routines.empty()) {
    for (const auto routine :
         {spec::Routine::gemm, spec::Routine::gemv, spec::Routine::dot, spec::Routine::sum})
      for (const auto type : {spec::Type::f32, spec::Type::f64})
        if (first.has(routine, type)) routines.emplace_back(routine, type);
  }
  const std::size_t workers = std::min(static_cast<std::size_t>(options.workers),
                                       std::max<std::size_t>(routines.size(), 1));
  while (targets.size() < workers) targets.push_back(open_all(open, options));

  // The long ones first, so that no worker is left alone with one at the end; or last, where the
  // run may be over before. Parts keep their places, and what a routine was captured after changes
  // nothing.
  std::vector<std::size_t> sequence(routines.size());
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  std::stable_sort(sequence.begin(), sequence.end(), [&](std::size_t a, std::size_t b) {
    const int first = length_rank(routines[a].first), second = length_rank(routines[b].first);
    return options.cheap_first ? first > second : first < second;
  });
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::vector<spec::Spec> parts(routines.size());
  std::exception_ptr failure;
  std::vector<std::int64_t> calls(workers, 0);
  // A worker and its targets take turns, so they share its part of the cores: where threads of
  // several workers compete for one core, those that wait for one another wait ten times as long.
  // The last one at work has all of them.
  const CoreSet cores = CoreSet::of_this_thread();
  const auto move = [&](std::size_t worker, const CoreSet& some) {
    for (const auto& [count, target] : targets[worker]) target->keep_to(some);
  };
  for (std::size_t k = 0; k < workers && workers > 1; ++k) move(k, cores.part(k, workers));
  std::atomic<std::size_t> at_work{workers};
  const auto work = [&](std::size_t worker) {
    Targets& own = targets[worker];
    std::optional<KeptToCores> kept(cores.part(worker, workers));
    const auto report = [&](const std::string& stage) {
      if (workers > 1 && kept && at_work == 1) {
        kept.reset();
        move(worker, cores);
      }
      if (!options.progress) return;
      const std::lock_guard lock(mutex);
      calls[worker] = 0;
      for (const auto& [threads, target] : own) calls[worker] += target->calls();
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      options.progress(
          {stage, std::accumulate(calls.begin(), calls.end(), std::int64_t{0}), elapsed.count()});
    };
    try {
      for (std::size_t turn = next++; turn < routines.size(); turn = next++) {
        const std::size_t k = sequence[turn];
        const auto& [routine, type] = routines[k];
        parts[k] = spec::has_matrices(routine)
                       ? ProductCapture(routine, type, own, options, report).run()
                       : SumCapture(routine, type, own, options, report).run();
      }
      report("done");  // with all calls that were made
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = routines.size();
    }
    --at_work;
  };
  // Threads that cannot be had leave more routines to the others.
  base::run_workers(static_cast<int>(workers),
                    [&](int worker) { work(static_cast<std::size_t>(worker)); });
  if (failure) std::rethrow_exception(failure);

  spec::Spec spec = joined(std::move(parts));
  spec.provenance = first.identity();
  spec::canonicalize(spec);
  return spec;
}

}  // namespace reprosum::reveal
