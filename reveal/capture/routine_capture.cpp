#include "reveal/capture/routine_capture.h"

#include <algorithm>
#include <set>

#include "reveal/capture/alignment.h"
#include "reveal/capture/certify.h"
#include "reveal/capture/empty_calls.h"
#include "reveal/capture/run_end.h"
#include "reveal/check/classify.h"
#include "reveal/check/replay_check.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kOtherElements = 4'000'000;  // random replay of a recognised context
constexpr int kOtherTelling = 1;                    // vectors made for the tree at each small size
constexpr std::int64_t kOtherMax = 1'000'000;       // and how far it is claimed

bool maskable(const Call& call) {
  return call.incx != 0 || (call.routine != spec::Routine::sum && call.incy != 0);
}

}  // namespace

void RoutineCapture::refuse(const std::string& context, const std::string& reason,
                            const std::string& detail) {
  spec_.refusals.push_back({spec::blas_name(routine_, type_), context, reason, detail});
}

spec::Spec RoutineCapture::run() {
  if (!targets_.front().second->has(routine_, type_)) {
    refuse("", "missing_symbol", "the target has no such routine");
    return std::move(spec_);
  }
  std::vector<std::string> left;  // when the run was over
  for (const auto& [threads, target] : targets_) {
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (auto increments : options_.increments) {
      if (routine_ == spec::Routine::sum) increments.second = 0;
      if (!seen.insert(increments).second) continue;
      const Call call{routine_, type_, 0, increments.first, increments.second};
      const std::string context = describe(call) + " threads=" + std::to_string(threads);
      report_(context);
      const bool reference = pieces_.empty() && spec_.refusals.empty();
      try {
        capture_context(*target, call, threads, seen.size() == 1);
      } catch (const Refused& refused) {
        refuse(context, refused.reason, refused.what());
      } catch (const TargetError& error) {
        // A target that takes no such increments at all has no order to refuse.
        if (error.reason != "declined") refuse(context, error.reason, error.what());
      } catch (const RunIsOver&) {
        left.push_back(context);
      }
      // A box without an order in its plainest context has none elsewhere.
      if (reference && pieces_.empty() && left.empty()) return std::move(spec_);
    }
    capture_empty(*target, threads, left);
  }
  if (!left.empty()) spec_.refusals.push_back(not_reached(spec::blas_name(routine_, type_), left));
  append_entries(routine_, type_, pieces_, certificates_, spec_);
  return std::move(spec_);
}

void RoutineCapture::capture_empty(Target& target, int threads, std::vector<std::string>& left) {
  const std::string context =
      spec::blas_name(routine_, type_) + " n <= 0 threads=" + std::to_string(threads);
  try {
    if (auto rule = empty_sum(target, routine_, type_, threads, options_.increments))
      spec_.empty_sums.push_back(*std::move(rule));
  } catch (const Refused& refused) {
    refuse(context, refused.reason, refused.what());
  } catch (const TargetError& error) {
    refuse(context, error.reason, error.what());
  } catch (const RunIsOver&) {
    left.push_back(context);
  }
}

void RoutineCapture::capture_context(Target& target, Call call, int threads, bool thorough) {
  if (maskable(call)) check_box(target, call, options_.seed);
  AlignmentClasses alignment{1, {{{0, 0}}}};
  addresses_varied_ = true;
  try {
    alignment = alignment_classes(target, call, thorough, options_.seed);
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    addresses_varied_ = false;
  }
  for (const auto& residues : alignment.classes) {
    call.align_x = residues.front().first;
    call.align_y = residues.front().second;
    Piece piece = identify(target, call, thorough);
    piece.increments = {call.incx, call.incy};
    piece.threads = threads;
    piece.modulus = alignment.modulus;
    if (alignment.modulus > 1) piece.residues = residues;
    pieces_.push_back(std::move(piece));
  }
}

// A known order of this routine that gives the context's bits, or a newly revealed one.
Piece RoutineCapture::identify(Target& target, const Call& call, bool thorough) {
  for (std::size_t k = 0; k < spec_.orders.size(); ++k) {
    const std::int64_t n_max = thorough ? n_max_[k] : std::min(n_max_[k], kOtherMax);
    const auto sizes = plan_sizes(spec_.orders[k], n_max, options_.random_vectors / 2,
                                  kOtherElements, options_.seed + k);
    const ReplayResult replayed = check_replay(target, call, spec_.orders[k], options_.replay,
                                               sizes, options_.seed + 11 * k + 3);
    if (replayed.mismatch) continue;
    const ClassResult classes = check_classes(
        target, call, spec_.orders[k], options_.replay,
        class_plan(n_max, options_, kOtherElements, kOtherTelling, 1, options_.seed + 11 * k + 5));
    if (classes.wrong) continue;
    Piece piece;
    piece.order = k;
    piece.n_max = n_max;
    piece.replayed = replayed.vectors + classes.vectors;
    return piece;
  }
  if (!maskable(call))
    throw Refused("unmaskable", describe(call) +
                                    ": every summand is the same element, so nothing can be "
                                    "masked, and no order found elsewhere gives these bits");
  report_(describe(call) + ": infer");
  CertifiedOrder found = reveal_and_certify(target, call, options_);
  if (!found.stopped.empty())
    refuse(describe(call), "unknown_rule",
           "covered only up to n = " + std::to_string(found.n_max) + ": " + found.stopped);
  if (!addresses_varied_)
    found.certificate.not_checked.push_back(
        "the addresses of the vectors: the target chooses them itself");
  Piece piece;
  piece.order = spec_.orders.size();
  piece.n_max = thorough ? found.n_max : std::min(found.n_max, kOtherMax);
  spec_.orders.push_back(std::move(found.order));
  certificates_.push_back(std::move(found.certificate));
  n_max_.push_back(found.n_max);
  return piece;
}

}  // namespace reprosum::reveal
