// capture(): every context of every routine, each order inferred once and recognised afterwards.
#include "reveal/capture.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "reveal/capture/alignment.h"
#include "reveal/capture/certify.h"
#include "reveal/capture/classify.h"
#include "reveal/capture/merge.h"
#include "reveal/capture/replay_check.h"
#include "reveal/refused.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kOtherElements = 4'000'000;  // random replay of a recognised context
constexpr std::int64_t kOtherMax = 1'000'000;       // and how far it is claimed

bool maskable(const Call& call) {
  return call.incx != 0 || (call.routine != spec::Routine::sum && call.incy != 0);
}

class Capture {
 public:
  Capture(const TargetFactory& open, const CaptureOptions& options)
      : options_(options), start_(std::chrono::steady_clock::now()) {
    if (!options.replay) throw UserError("capture: no interpreter was handed in");
    if (options.threads.empty() || options.increments.empty())
      throw UserError("capture: no thread count or no increments to capture");
    if (options.n_max < 2) throw UserError("capture: n_max must be at least 2");
    for (const int threads : options.threads) targets_.emplace_back(threads, open(threads));
  }

  spec::Spec run() {
    spec_.provenance = target().identity();
    auto routines = options_.routines;
    if (routines.empty()) {
      for (const auto routine : {spec::Routine::dot, spec::Routine::sum})
        for (const auto type : {spec::Type::f32, spec::Type::f64})
          if (target().has(routine, type)) routines.emplace_back(routine, type);
    }
    for (const auto& [routine, type] : routines) {
      if (target().has(routine, type)) {
        capture_routine(routine, type);
      } else {
        refuse({routine, type}, "", {"missing_symbol", "the target has no such routine"});
      }
    }
    spec::canonicalize(spec_);
    return std::move(spec_);
  }

 private:
  Target& target() { return *targets_.front().second; }

  void report(const std::string& stage) {
    if (!options_.progress) return;
    std::int64_t calls = 0;
    for (const auto& [threads, t] : targets_) calls += t->calls();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    options_.progress({stage, calls, elapsed.count()});
  }

  void refuse(const Call& call, const std::string& context, const Refused& reason) {
    spec_.refusals.push_back(
        {spec::blas_name(call.routine, call.type), context, reason.reason, reason.what()});
  }

  void capture_routine(spec::Routine routine, spec::Type type) {
    pieces_.clear();
    first_order_ = spec_.orders.size();
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    bool reference = true;
    for (const auto& [threads, target] : targets_) {
      seen.clear();
      for (auto increments : options_.increments) {
        if (routine == spec::Routine::sum) increments.second = 0;
        if (!seen.insert(increments).second) continue;
        Call call{routine, type, 0, increments.first, increments.second};
        const std::string context = describe(call) + " threads=" + std::to_string(threads);
        report(context);
        try {
          capture_context(*target, call, threads, seen.size() == 1);
        } catch (const Refused& refused) {
          refuse(call, context, refused);
        } catch (const TargetError& error) {
          // A target that takes no such increments at all has no order to refuse.
          if (error.reason != "declined") refuse(call, context, {error.reason, error.what()});
        }
        // A box without an order in its plainest context has none elsewhere.
        if (reference && pieces_.empty()) return;
        reference = false;
      }
    }
    append_entries(routine, type, pieces_, certificates_, spec_);
  }

  void capture_context(Target& target, Call call, int threads, bool thorough) {
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
  Piece identify(Target& target, const Call& call, bool thorough) {
    for (std::size_t k = first_order_; k < spec_.orders.size(); ++k) {
      const std::int64_t n_max =
          thorough ? n_max_[k] : std::min<std::int64_t>(n_max_[k], kOtherMax);
      const auto sizes = plan_sizes(spec_.orders[k], n_max, options_.random_vectors / 2,
                                    kOtherElements, options_.seed + k);
      const ReplayResult replayed = check_replay(target, call, spec_.orders[k], options_.replay,
                                                 sizes, options_.seed + 11 * k + 3);
      if (replayed.mismatch) continue;
      Piece piece;
      piece.order = k;
      piece.n_max = n_max;
      piece.replayed = replayed.vectors;
      return piece;
    }
    if (!maskable(call))
      throw Refused("unmaskable", describe(call) +
                                      ": every summand is the same element, so nothing can be "
                                      "masked, and no order found elsewhere gives these bits");
    report(describe(call) + ": infer");
    CertifiedOrder found = reveal_and_certify(target, call, options_);
    if (!found.stopped.empty())
      refuse(call, describe(call),
             {"unknown_rule",
              "covered only up to n = " + std::to_string(found.n_max) + ": " + found.stopped});
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

  const CaptureOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::pair<int, std::unique_ptr<Target>>> targets_;
  spec::Spec spec_;
  // Parallel to spec_.orders.
  std::vector<spec::Certificate> certificates_;
  std::vector<std::int64_t> n_max_;
  std::size_t first_order_ = 0;   // of the routine at hand
  std::vector<Piece> pieces_;     // of the routine at hand
  bool addresses_varied_ = true;  // in the context at hand
};

}  // namespace

spec::Spec capture(const TargetFactory& open, const CaptureOptions& options) {
  return Capture(open, options).run();
}

}  // namespace reprosum::reveal
