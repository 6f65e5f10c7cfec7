#include "reveal/capture/sum_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reveal/capture/alignment.h"
#include "reveal/capture/certify.h"
#include "reveal/check/classify.h"
#include "reveal/check/far_check.h"
#include "reveal/check/place_check.h"
#include "reveal/check/repeats.h"
#include "reveal/check/replay_check.h"
#include "reveal/check/size_cost.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kOtherElements = 4'000'000;  // random replay of a recognised context
constexpr int kOtherTelling = 1;                    // vectors made for the tree at each small size
constexpr double kDearTime = 3;  // for the inference of a target that makes code for each size
constexpr std::int64_t kOtherMax = 1'000'000;  // and how far it is claimed

constexpr const char* kNotDeterministic = "not_deterministic";
constexpr const char* kFewerFarSizes =
    "contexts whose order had been found elsewhere were tried at fewer of these sizes";

bool maskable(const Call& call) {
  return call.incx != 0 || (call.routine != spec::Routine::sum && call.incy != 0);
}

}  // namespace

std::vector<CapturedRules> SumCapture::rules() {
  std::vector<CapturedRules> rules;
  for (const auto& [order, n_max] : claims_)
    rules.push_back({{spec::regime_of_one_output(order, n_max)}, certificates_[order]});
  return rules;
}

void SumCapture::weigh_sizes(Target& target, const Call& call) {
  if (size_seconds_) return;
  size_seconds_ = seconds_of_new_size(target, call, options_.n_max);
  const std::int64_t worth = sizes_worth_trying(*size_seconds_, options_.every_size_to);
  if (worth == options_.every_size_to) return;
  options_.every_size_to = worth;
  options_.time_limit_s *= kDearTime;
}

void SumCapture::capture_context(Target& target, const Call& context,
                                 const IncrementClass& increments) {
  recalls_.try_emplace(threads_, target, context, options_.seed);
  const std::size_t before = pieces_.size();
  const auto check_again = [&](std::int64_t n) {
    require_unchanged(target);
    try {
      require_repeatable(target, context, n, before);
    } catch (const TargetError&) {
      // Of other sizes: what was found is the better reason.
    }
  };
  try {
    capture_addresses(target, context, increments);
  } catch (const RefusedAt& why) {
    if (why.reason != kNotDeterministic) check_again(why.n);
    throw;
  } catch (const Refused& why) {
    if (why.reason != kNotDeterministic) check_again(0);
    throw;
  } catch (const OneOfMany&) {
    check_again(wrong_n_);
    throw;
  }
  require_unchanged(target);
}

void SumCapture::require_repeatable(Target& target, const Call& context, std::int64_t n,
                                    std::size_t first) {
  const std::int64_t sizes[] = {n, 7, 61, 1000, 20011};
  const auto what = changes_when_repeated(target, context, sizes, options_.seed);
  if (!what) return;
  pieces_.resize(first);
  throw Refused(kNotDeterministic, *what);
}

void SumCapture::require_unchanged(Target& target) {
  const auto what = recalls_.at(threads_).changed(target);
  if (!what) return;
  pieces_.clear();
  throw Refused(kNotDeterministic, *what);
}

void SumCapture::check_places(Target& target, const Call& call,
                              std::span<const std::int64_t> sizes) {
  std::vector<std::int64_t> asked(sizes.begin(), sizes.end());
  std::erase_if(asked, [&](std::int64_t n) { return n < 2 || n > options_.n_max; });
  if (auto why = place_matters(target, call, asked, addresses_varied_, options_.seed)) throw *why;
}

void SumCapture::capture_addresses(Target& target, const Call& context,
                                   const IncrementClass& increments) {
  const bool thorough =
      increments.example == asked_.front().plainest() && increments.increments.size() == 1;
  flush_ = spec::Flush::none;
  if (maskable(context)) {
    flush_ = check_box(target, context, options_.seed);
    check_nan(target, context);
    require_repeatable(target, context, 0, pieces_.size());
  }
  weigh_sizes(target, context);
  AlignmentClasses alignment{1, {{{0, 0}}}};
  addresses_varied_ = true;
  try {
    alignment = alignment_classes(target, context, thorough, options_.seed);
  } catch (const TargetError& error) {
    if (error.reason != "declined") throw;
    addresses_varied_ = false;
  }
  require_unchanged(target);
  DrawnIncrements drawn(target, increments.increments, options_.seed + pieces_.size());
  drawn.draw_faces();
  Call call = context;
  std::vector<std::size_t> own;  // orders of the classes of addresses
  for (const auto& residues : alignment.classes) {
    call.align_a = residues.front().first;
    call.align_b = residues.front().second;
    check_places(target, call, kPlaceSizes);
    if (addresses_varied_) drawn.draw_addresses({alignment.modulus, residues});
    const Found found = identify(drawn, call, thorough);
    // Classes differ in bits, and one order has one set of bits.
    if (std::find(own.begin(), own.end(), found.claim.order) != own.end())
      throw Refused("not_deterministic",
                    describe(call) +
                        ": at other addresses the same vectors gave other bits, but "
                        "one order now gives those of both");
    own.push_back(found.claim.order);
    const auto claim = std::find(claims_.begin(), claims_.end(), found.claim);
    CapturedContext piece;
    piece.guard = spec::vector_guard(increments.increments, {threads_},
                                     spec::vector_addresses(alignment.modulus, residues));
    piece.rules = static_cast<std::size_t>(claim - claims_.begin());
    piece.certificate.outputs_checked = found.replayed;
    if (!found.is_new && options_.every_size_to < found.claim.n_max)
      piece.certificate.not_checked.push_back(kFewerFarSizes);
    if (claim == claims_.end()) claims_.push_back(found.claim);
    pieces_.push_back(std::move(piece));
  }
}

std::optional<std::int64_t> SumCapture::replays(DrawnIncrements& drawn, const Call& call,
                                                const Claim& claim, std::int64_t salt) {
  const auto& [at, n_max] = claim;
  const spec::Order& order = spec_.orders[at];
  const std::uint64_t seed = options_.seed + 11 * at + static_cast<std::uint64_t>(salt);
  const auto sizes =
      plan_sizes(order, n_max, options_.random_vectors / 2, kOtherElements, options_.seed + at);
  const ReplayResult replayed = check_replay(drawn, call, order, sizes, seed);
  wrong_n_ = replayed.wrong_n;
  if (replayed.mismatch) return std::nullopt;
  const ClassResult classes = check_classes(
      drawn, call, order,
      class_plan(n_max, options_, kOtherElements, kOtherTelling, 1, addresses_varied_, seed + 2));
  if (classes.wrong) wrong_n_ = classes.wrong->call.k;
  if (classes.wrong) return std::nullopt;
  if (drawn.has_one()) return replayed.vectors + classes.vectors;
  const ReplayResult reached = check_far(drawn, call, order, n_max, seed + 4);
  wrong_n_ = reached.wrong_n;
  if (reached.mismatch) return std::nullopt;
  return replayed.vectors + classes.vectors + reached.vectors;
}

// A known order of this routine that gives the context's bits, or a newly revealed one.
SumCapture::Found SumCapture::identify(DrawnIncrements& drawn, const Call& call, bool thorough) {
  const auto claimed = [&](std::int64_t n_max) {
    return thorough ? n_max : std::min(n_max, kOtherMax);
  };
  for (std::size_t k = 0; k < spec_.orders.size(); ++k) {
    const Claim claim{k, claimed(n_max_[k])};
    if (const auto vectors = replays(drawn, call, claim, 3)) return {claim, *vectors, false};
  }
  if (!maskable(call))
    throw Refused("unmaskable", describe(call) +
                                    ": every summand is the same element, so nothing can be "
                                    "masked, and no order found elsewhere gives these bits");
  report_(describe(call) + ": infer");
  // The order is revealed with one pair of increments; then it must hold for the others.
  CertifiedOrder found = [&] {
    const OwnIncrements own(drawn);
    return reveal_and_certify(drawn, call, flush_, options_, addresses_varied_, spec_.orders);
  }();
  if (!found.stopped.empty())
    refuse(describe(call), found.stopped_reason,
           "covered only up to n = " + std::to_string(found.n_max) + ": " + found.stopped);
  if (!addresses_varied_)
    found.certificate.not_checked.push_back(
        "the addresses of the vectors: the target chooses them itself");
  else
    found.certificate.not_checked.push_back(kPlacesNotChecked);
  if (const std::int64_t every = options_.every_size_to; every < asked_sizes_)
    found.certificate.not_checked.push_back(
        fmt::format("every size from {} to {}: the first call of a size takes the target {:.2f} s, "
                    "so that only "
                    "some of them were tried",
                    every + 1, std::min(asked_sizes_, found.n_max), *size_seconds_));
  const Claim claim{spec_.orders.size(), claimed(found.n_max)};
  spec_.orders.push_back(std::move(found.order));
  certificates_.push_back(std::move(found.certificate));
  n_max_.push_back(found.n_max);
  if (drawn.has_one() && !addresses_varied_) return {claim, 0, true};
  const auto vectors = replays(drawn, call, claim, 7);
  if (!vectors) {
    const Call wrong = drawn.last_call();
    {
      // What it may be that the usual places did not show: it may matter at some sizes alone.
      const OwnIncrements own(drawn);
      const std::int64_t sizes[] = {wrong_n_, wrong_n_ + 1};
      check_places(drawn, call, sizes);
    }
    throw OneOfMany(describe(call) + ": the order of these increments does not hold for " +
                    describe(wrong));
  }
  return {claim, *vectors, true};
}

}  // namespace reprosum::reveal
