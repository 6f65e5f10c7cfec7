#include "reveal/capture/routine_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reveal/capture/alignment.h"
#include "reveal/capture/certify.h"
#include "reveal/capture/empty_calls.h"
#include "reveal/capture/run_end.h"
#include "reveal/check/classify.h"
#include "reveal/check/far_check.h"
#include "reveal/check/replay_check.h"
#include "reveal/check/size_cost.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kOtherElements = 4'000'000;  // random replay of a recognised context
constexpr int kOtherTelling = 1;                    // vectors made for the tree at each small size
constexpr double kDearTime = 3;  // for the inference of a target that makes code for each size
constexpr std::int64_t kOtherMax = 1'000'000;  // and how far it is claimed

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
  for (spec::Increments increments : options_.increments) {
    if (routine_ == spec::Routine::sum) increments.y = 0;
    if (std::find(asked_.begin(), asked_.end(), increments) == asked_.end())
      asked_.push_back(increments);
  }
  std::vector<std::string> left;  // when the run was over
  for (const auto& [threads, target] : targets_) {
    capture_threads(*target, threads, left);
    // A box without an order in its plainest context has none elsewhere.
    if (pieces_.empty() && left.empty()) return std::move(spec_);
    capture_empty(*target, threads, left);
  }
  if (!left.empty()) spec_.refusals.push_back(not_reached(spec::blas_name(routine_, type_), left));
  append_entries(routine_, type_, pieces_, certificates_, spec_);
  return std::move(spec_);
}

std::string RoutineCapture::context_of(const IncrementClass& increments, int threads) const {
  Call call{routine_, type_};
  std::tie(call.incx, call.incy) = increments.example;
  return describe(call) + others_of(increments, routine_ != spec::Routine::sum) +
         " threads=" + std::to_string(threads);
}

std::vector<IncrementClass> RoutineCapture::classes_of(Target& target, int threads) {
  Call call{routine_, type_};
  try {
    IncrementClasses found = increment_classes(target, call, asked_, options_.seed + 83);
    for (const auto& [increments, why] : found.refused)
      refuse(context_of({{increments}, increments.plainest()}, threads), "unknown_rule", why);
    return std::move(found.classes);
  } catch (const RunIsOver&) {
    return not_sorted(asked_);  // to be named as not reached
  }
}

void RoutineCapture::capture_threads(Target& target, int threads, std::vector<std::string>& left) {
  const auto first = asked_.front().plainest();
  // What has no order in its plainest context is not sorted by its bits.
  std::vector<IncrementClass> classes{{{{first.first, first.second}}, first}};
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const IncrementClass increments = classes[at];
    const std::string context = context_of(increments, threads);
    report_(context);
    std::vector<IncrementClass> more;
    try {
      capture_class(target, increments, threads, more);
    } catch (const Refused& refused) {
      refuse(context, refused.reason, refused.what());
    } catch (const TargetError& error) {
      // A target that takes no such increments at all has no order to refuse.
      if (error.reason != "declined") refuse(context, error.reason, error.what());
    } catch (const RunIsOver&) {
      left.push_back(context);
    }
    if (at == 0) {
      if (pieces_.empty() && left.empty()) return;
      try {
        more = classes_of(target, threads);
      } catch (const TargetError& error) {
        refuse(context, error.reason, error.what());
      }
      std::erase_if(more, [&](const auto& one) { return one.increments == increments.increments; });
    }
    classes.insert(classes.end(), more.begin(), more.end());
  }
}

void RoutineCapture::capture_class(Target& target, const IncrementClass& increments, int threads,
                                   std::vector<IncrementClass>& more) {
  Call call{routine_, type_};
  std::tie(call.incx, call.incy) = increments.example;
  const bool thorough =
      increments.example == asked_.front().plainest() && increments.increments.size() == 1;
  try {
    capture_context(target, call, increments.increments, threads, thorough);
  } catch (const OneOfMany& wrong) {
    more = parted(increments);
    // What is left of one part is its example.
    if (increments.increments.size() == 1)
      refuse(context_of(increments, threads), "unknown_rule", wrong.what());
  }
}

void RoutineCapture::capture_empty(Target& target, int threads, std::vector<std::string>& left) {
  const std::string context =
      spec::blas_name(routine_, type_) + " n <= 0 threads=" + std::to_string(threads);
  try {
    if (auto rule = empty_sum(target, routine_, type_, threads, example_pairs(asked_)))
      spec_.empty_sums.push_back(*std::move(rule));
  } catch (const Refused& refused) {
    refuse(context, refused.reason, refused.what());
  } catch (const TargetError& error) {
    refuse(context, error.reason, error.what());
  } catch (const RunIsOver&) {
    left.push_back(context);
  }
}

void RoutineCapture::weigh_sizes(Target& target, const Call& call) {
  if (size_seconds_) return;
  size_seconds_ = seconds_of_new_size(target, call, options_.n_max);
  const std::int64_t worth = sizes_worth_trying(*size_seconds_, options_.every_size_to);
  if (worth == options_.every_size_to) return;
  options_.every_size_to = worth;
  options_.time_limit_s *= kDearTime;
}

void RoutineCapture::capture_context(Target& target, Call call,
                                     const std::vector<spec::Increments>& increments, int threads,
                                     bool thorough) {
  flush_ = maskable(call) ? check_box(target, call, options_.seed) : spec::Flush::none;
  weigh_sizes(target, call);
  AlignmentClasses alignment{1, {{{0, 0}}}};
  addresses_varied_ = true;
  try {
    alignment = alignment_classes(target, call, thorough, options_.seed);
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    addresses_varied_ = false;
  }
  DrawnIncrements drawn(target, increments, options_.seed + pieces_.size());
  const std::size_t before = pieces_.size();
  for (const auto& residues : alignment.classes) {
    call.align_x = residues.front().first;
    call.align_y = residues.front().second;
    if (addresses_varied_) drawn.draw_addresses({alignment.modulus, residues});
    Piece piece;
    try {
      piece = identify(drawn, call, thorough);
    } catch (const OneOfMany&) {
      pieces_.resize(before);  // of all addresses: the increments are captured apart
      throw;
    }
    piece.increments = increments;
    piece.threads = threads;
    piece.addresses = spec::vector_addresses(alignment.modulus, residues);
    pieces_.push_back(std::move(piece));
  }
}

std::optional<std::int64_t> RoutineCapture::replays(DrawnIncrements& drawn, const Call& call,
                                                    std::size_t order, std::int64_t n_max,
                                                    std::int64_t salt) {
  const std::uint64_t seed = options_.seed + 11 * order + static_cast<std::uint64_t>(salt);
  const auto sizes = plan_sizes(spec_.orders[order], n_max, options_.random_vectors / 2,
                                kOtherElements, options_.seed + order);
  const ReplayResult replayed = check_replay(drawn, call, spec_.orders[order], sizes, seed);
  if (replayed.mismatch) return std::nullopt;
  const ClassResult classes =
      check_classes(drawn, call, spec_.orders[order],
                    class_plan(n_max, options_, kOtherElements, kOtherTelling, 1, seed + 2));
  if (classes.wrong) return std::nullopt;
  if (drawn.has_one()) return replayed.vectors + classes.vectors;
  const ReplayResult reached = check_far(drawn, call, spec_.orders[order], n_max, seed + 4);
  if (reached.mismatch) return std::nullopt;
  return replayed.vectors + classes.vectors + reached.vectors;
}

// A known order of this routine that gives the context's bits, or a newly revealed one.
Piece RoutineCapture::identify(DrawnIncrements& drawn, const Call& call, bool thorough) {
  Piece piece;
  for (std::size_t k = 0; k < spec_.orders.size(); ++k) {
    piece.n_max = thorough ? n_max_[k] : std::min(n_max_[k], kOtherMax);
    const auto vectors = replays(drawn, call, k, piece.n_max, 3);
    if (!vectors) continue;
    piece.order = k;
    piece.replayed = *vectors;
    return piece;
  }
  if (!maskable(call))
    throw Refused("unmaskable", describe(call) +
                                    ": every summand is the same element, so nothing can be "
                                    "masked, and no order found elsewhere gives these bits");
  report_(describe(call) + ": infer");
  // Of one pair of increments; then it must hold for the others.
  CertifiedOrder found = [&] {
    const OwnIncrements own(drawn);
    return reveal_and_certify(drawn, call, flush_, options_, spec_.orders);
  }();
  if (!found.stopped.empty())
    refuse(describe(call), "unknown_rule",
           "covered only up to n = " + std::to_string(found.n_max) + ": " + found.stopped);
  if (!addresses_varied_)
    found.certificate.not_checked.push_back(
        "the addresses of the vectors: the target chooses them itself");
  if (const std::int64_t every = options_.every_size_to; every < asked_sizes_)
    found.certificate.not_checked.push_back(
        fmt::format("every size from {} to {}: the first call of a size takes the target {:.2f} s, "
                    "so that only "
                    "some of them were tried",
                    every + 1, std::min(asked_sizes_, found.n_max), *size_seconds_));
  piece.order = spec_.orders.size();
  piece.n_max = thorough ? found.n_max : std::min(found.n_max, kOtherMax);
  spec_.orders.push_back(std::move(found.order));
  certificates_.push_back(std::move(found.certificate));
  n_max_.push_back(found.n_max);
  if (drawn.has_one() && !addresses_varied_) return piece;
  const auto vectors = replays(drawn, call, piece.order, piece.n_max, 7);
  if (!vectors)
    throw OneOfMany(describe(call) + ": the order of these increments does not hold for " +
                    std::to_string(drawn.last().first) + " and " +
                    std::to_string(drawn.last().second) + " at addresses of residues " +
                    std::to_string(drawn.last_addresses().first) + " and " +
                    std::to_string(drawn.last_addresses().second));
  piece.replayed = *vectors;
  return piece;
}

}  // namespace reprosum::reveal
