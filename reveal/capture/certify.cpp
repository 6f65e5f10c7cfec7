#include "reveal/capture/certify.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "reveal/all_nodes.h"
#include "reveal/annotate.h"
#include "reveal/capture/border.h"
#include "reveal/check/classify.h"
#include "reveal/check/random_data.h"
#include "reveal/check/repeats.h"
#include "reveal/check/replay_check.h"
#include "reveal/target_oracle.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::reveal {
namespace {

constexpr int kRepetitions = 20;  // a wrong node survives with at most (3/4)^19 < 0.5 %
// Work bound of one all-node check in summands (calls times n); chains cost n calls.
constexpr std::int64_t kNodeWork = 60'000'000;
constexpr std::int64_t kInferTo = 1'000'000;
constexpr std::int64_t kReferenceElements = 30'000'000;
constexpr std::int64_t kClassElements = 20'000'000;
constexpr std::int64_t kFarShare = 3;  // of such elements, for sizes that are not tried one by one
// Vectors made for the tree at every size: a pair of swapped leaves survives 3 of 1000 times.
constexpr int kTelling = 12;
constexpr std::int64_t kFlushTo = 24,
                       kFlushRows = 20;  // sizes and vectors that tell what is flushed
constexpr const char* kNotDeterministic = "not_deterministic";
constexpr const char* kCompensated = "compensated";
constexpr std::int64_t kLeastKept = 64;  // an order of so few summands is of no use

std::int64_t height(const spec::Tree& tree) {
  std::vector<std::int64_t> stack;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      stack.push_back(0);
      continue;
    }
    const std::int64_t right = stack.back();
    stack.pop_back();
    stack.back() = std::max(stack.back(), right) + 1;
  }
  return stack.back();
}

std::set<std::int64_t> node_sizes(const spec::Order& order, std::int64_t n_max,
                                  std::uint64_t seed) {
  std::set<std::int64_t> sizes;
  for (const spec::Regime& regime : order.regimes) {
    for (std::int64_t d = -1; d <= 1; ++d) {
      sizes.insert(regime.lo + d);
      if (regime.hi < n_max) sizes.insert(regime.hi + d);
    }
    if (const auto* loop = std::get_if<spec::Loop>(&regime.rule)) {
      const std::int64_t period = std::min<std::int64_t>(loop->block, 64);
      for (std::int64_t d = 0; d < 2 * period; ++d) sizes.insert(regime.lo + 4 * loop->block + d);
    }
  }
  FastRandom random(seed);
  const double top = std::log(static_cast<double>(std::min(n_max, spec::kMaxExplicitLeaves)));
  for (int k = 0; k < 20; ++k)
    sizes.insert(static_cast<std::int64_t>(std::exp(random.unit() * top)));
  std::erase_if(sizes, [&](std::int64_t n) {
    return n < 2 || n > n_max || n > spec::kMaxExplicitLeaves || !spec::covers(order, n);
  });
  return sizes;
}

void add_sizes(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  std::sort(to.begin(), to.end());
  to.erase(std::unique(to.begin(), to.end()), to.end());
}

// The order without the +0 that it begins with: the inference sees no zeros, nor what is flushed.
spec::Order from_no_zero(spec::Order order) {
  order.zero_start = false;
  order.flush = spec::Flush::none;
  for (spec::Order& sub : order.subs) sub = from_no_zero(std::move(sub));
  return order;
}

// Pieces grow with n, so sub-orders are lengthened too; random replay judges the whole.
void lengthen(spec::Order& order, std::int64_t n_max) {
  spec::Regime& last = order.regimes.back();
  if (!std::holds_alternative<spec::Explicit>(last.rule)) last.hi = n_max;
  for (spec::Order& sub : order.subs) lengthen(sub, n_max);
}

// A sum or dot product of n numbers was compared.
void note_size(spec::Certificate& certificate, std::int64_t n) {
  certificate.largest = {1, 1, std::max(certificate.largest.k, n)};
}

}  // namespace

ClassPlan class_plan(std::int64_t n_max, const CaptureOptions& options, std::int64_t elements,
                     int telling, int classes, bool has_places, std::uint64_t seed) {
  return {n_max,   options.every_size_to, elements,   telling,
          classes, kFarShare * elements,  has_places, seed};
}

void certify_nodes(Target& target, const Call& context, const spec::Order& order,
                   std::int64_t n_max, spec::Certificate& certificate) {
  std::vector<std::int64_t> done;
  std::uint64_t seed = certificate.seed * 31 + 7;
  std::int64_t work = 6 * kNodeWork;
  for (const std::int64_t n : node_sizes(order, n_max, seed)) {
    const spec::Tree tree = spec::expand(order, n);
    const std::int64_t cost = height(tree) * kRepetitions * n;
    if (cost > std::min(kNodeWork, work)) continue;
    work -= cost;
    Call call = context;
    call.k = n;
    const AllNodesResult result = check_all_nodes(target, call, tree, kRepetitions, ++seed);
    certificate.calls += result.calls;
    if (!result.right)
      throw RefusedAt("unknown_rule",
                      describe(call) + ": the rule's tree is wrong at node " + result.first_wrong,
                      n);
    done.push_back(n);
  }
  certificate.repetitions = kRepetitions;
  add_sizes(certificate.all_nodes, done);
  if (!done.empty()) note_size(certificate, done.back());
}

spec::Order stretch(Target& target, const Call& context, const spec::Order& order,
                    std::int64_t n_max, const CaptureOptions& options,
                    spec::Certificate& certificate) {
  const std::int64_t reached = spec::covered_to(order);
  if (n_max <= reached || std::holds_alternative<spec::Explicit>(order.regimes.back().rule))
    return order;
  spec::Order longer = order;
  lengthen(longer, n_max);
  std::vector<SizePlan> sizes;
  FastRandom random(options.seed + 77);
  for (double n = static_cast<double>(reached) * 1.3; n < static_cast<double>(n_max); n *= 2.2)
    sizes.push_back({static_cast<std::int64_t>(n) + random.below(100), 1});
  sizes.push_back({n_max, 1});
  ReplayResult result;
  try {
    result = check_replay(target, context, longer, sizes, options.seed + 78);
  } catch (const UserError&) {
    return order;  // a piece would be longer than its own order is known
  }
  certificate.outputs_checked += result.vectors;
  if (result.mismatch) return order;
  note_size(certificate, n_max);
  certificate.not_checked.push_back("n above " + std::to_string(reached) +
                                    " was tested with random data at " +
                                    std::to_string(sizes.size()) + " sizes only");
  return longer;
}

namespace {

// A rule that is wrong from some size on is right below it, and that much is kept.
void cut(Target& target, const Call& context, const CaptureOptions& options,
         const spec::Order& order, const RefusedAt& why, CertifiedOrder& result) {
  // Below that, sizes are tried one by one before anything is certified.
  const std::int64_t tried_to = why.n > options.every_size_to ? options.every_size_to : 1;
  const std::int64_t wrong = first_wrong(target, context, order, tried_to, why.n, options.seed);
  result.n_max = wrong - 1;
  result.stopped = why.what();
  result.stopped_reason = why.reason;
  if (wrong < why.n)
    result.stopped += wrong == tried_to + 1
                          ? "; nor does it hold for all sizes below, which have no border"
                          : "; the order does not hold from n = " + std::to_string(wrong) + " on";
}

// A better reason, where the size itself has one: calls that change now and then, or additions that
// are corrected from some size on.
RefusedAt looked_at(Target& target, const Call& context, const CaptureOptions& options,
                    const spec::Order& order, const RefusedAt& found) {
  if (found.reason == kNotDeterministic || found.reason == kCompensated) return found;
  const std::int64_t sizes[] = {found.n};
  if (const auto changes = changes_when_repeated(target, context, sizes, options.seed))
    return {kNotDeterministic, *changes, found.n};
  if (const auto corrected = is_corrected(target, context, order, found.n, options.seed))
    return {kCompensated, std::string(found.what()) + "; " + *corrected, found.n};
  return found;
}

void keep_below(Target& target, const Call& context, const CaptureOptions& options,
                const spec::Order& order, const RefusedAt& found, CertifiedOrder& result) {
  const RefusedAt why = looked_at(target, context, options, order, found);
  const bool has_border = why.reason == "unknown_rule" || why.reason == kCompensated ||
                          (why.reason == kNotDeterministic && found.reason != why.reason);
  if (!has_border || why.n <= kLeastKept) throw why;
  cut(target, context, options, order, why, result);
  // At a few small sizes most habits pass for the order.
  if (result.n_max < kLeastKept) throw why;
}

// Classes of data and every size. An order that one size breaks is right below it.
void certify_classes(Target& target, const Call& context, const CaptureOptions& options,
                     bool has_places, CertifiedOrder& result) {
  spec::Certificate& certificate = result.certificate;
  for (std::uint64_t turn = 0;; ++turn) {
    const ClassPlan plan = class_plan(result.n_max, options, kClassElements, kTelling, 2,
                                      has_places, options.seed + 1009 * turn + 9);
    const ClassResult classes = check_classes(target, context, result.order, plan);
    if (!classes.wrong) {
      add_counts(classes.counts, certificate.classes);
      certificate.every_size_to = std::min(options.every_size_to, result.n_max);
      if (certificate.every_size_to < result.n_max)
        certificate.not_checked.push_back(
            far_not_checked(certificate.every_size_to, classes.far_sizes));
      return;
    }
    const RefusedAt why = explain(target, result.order, *classes.wrong, options.seed + turn);
    keep_below(target, context, options, result.order, why, result);
  }
}

void certify_replay(Target& target, const Call& context, const CaptureOptions& options,
                    CertifiedOrder& result) {
  for (;;) {
    const auto sizes = plan_sizes(result.order, result.n_max, options.random_vectors,
                                  kReferenceElements, options.seed + 5);
    const ReplayResult replayed =
        check_replay(target, context, result.order, sizes, options.seed + 6);
    result.certificate.outputs_checked = replayed.vectors;
    result.certificate.shapes_checked = static_cast<std::int64_t>(sizes.size());
    if (!replayed.mismatch) return;
    keep_below(target, context, options, result.order,
               explain_mismatch(target, context, result.order, text_of(*replayed.mismatch),
                                replayed.wrong_n, options.seed),
               result);
  }
}

// The order for 1..n alone, if no rule that stays names one that goes.
std::optional<spec::Order> cut_to(spec::Order order, std::int64_t n) {
  std::erase_if(order.regimes, [n](const spec::Regime& regime) { return regime.lo > n; });
  if (order.regimes.empty()) return std::nullopt;
  spec::Regime& last = order.regimes.back();
  last.hi = std::min(last.hi, n);
  if (auto* listed = std::get_if<spec::Explicit>(&last.rule))
    std::erase_if(listed->entries, [n](const auto& entry) { return entry.n > n; });
  try {
    spec::validate(order);
  } catch (const UserError&) {
    return std::nullopt;
  }
  return order;
}

// Signs of zero that no placement explains may tell of a wrong rule, and then say nothing of the
// sizes below.
void place_zeros(Target& target, const Call& context, const CaptureOptions& options,
                 const spec::Order& inferred, CertifiedOrder& result) {
  spec::Order order = inferred;
  for (;;) {
    try {
      result.order = place_zero_leaves(target, context, order, options.seed);
      return;
    } catch (const RefusedAt& why) {
      if (tree_is_right(target, context, order, why.n, options.seed)) throw;
      keep_below(
          target, context, options, order,
          {"unknown_rule",
           describe(context) + ": the rule's tree is wrong at n = " + std::to_string(why.n), why.n},
          result);
      auto below = cut_to(std::move(order), result.n_max);
      if (!below) throw;
      order = *std::move(below);
    }
  }
}

// Places zeros, and says which subnormal numbers become zero: data near underflow show both, at
// small sizes. Two summands do not tell apart what reaches zero by two ways. Where nothing explains
// the data, what two summands show is left to be judged.
void place_zeros_and_flush(Target& target, const Call& context, spec::Flush shown,
                           const CaptureOptions& options, const spec::Order& inferred,
                           CertifiedOrder& result) {
  if (shown == spec::Flush::none) return place_zeros(target, context, options, inferred, result);
  if (spec::has_wide(inferred))
    throw Refused("flushes_subnormals",
                  describe(context) + ": " + spec::describe(shown) +
                      "; of sums that are partly in f64 that is not replayed");
  const CertifiedOrder before = result;
  std::vector<spec::Flush> ways{shown};
  for (const auto way : {spec::Flush::both, spec::Flush::results, spec::Flush::inputs})
    if (way != shown) ways.push_back(way);
  for (const spec::Flush flush : ways) {
    spec::Order order = inferred;
    order.flush = flush;
    result = before;
    try {
      place_zeros(target, context, options, order, result);
    } catch (const RefusedAt&) {
      continue;
    }
    std::vector<SizePlan> sizes;
    for (std::int64_t n = 1; n <= std::min(kFlushTo, result.n_max); ++n)
      if (spec::covers(result.order, n)) sizes.push_back({n, kFlushRows});
    const ReplayResult replayed =
        check_replay(target, context, result.order, sizes, options.seed + 4);
    if (!replayed.mismatch) return;
  }
  result = before;
  place_zeros(target, context, options, inferred, result);
  result.order.flush = shown;
}

// What ends an inference is a rule that was not found, or that the same call gives other bits now
// and then.
void look_at_end(Target& target, const Call& context, const CaptureOptions& options,
                 const std::string& reason, CertifiedOrder& result) {
  const std::int64_t after = result.n_max + 1, sizes[] = {after, after + after / 2};
  if (const auto changes = changes_when_repeated(target, context, sizes, options.seed)) {
    result.stopped = *changes;
    result.stopped_reason = kNotDeterministic;
  } else if (reason == kNotDeterministic) {
    result.stopped_reason = reason;
  }
  if (result.stopped_reason == kNotDeterministic && result.n_max < kLeastKept)
    throw RefusedAt(kNotDeterministic, result.stopped, after);
}

// What sampling cannot see, in plain words.
void add_not_checked(spec::Certificate& certificate) {
  certificate.not_checked.push_back(kStateAndTime);
  certificate.not_checked.push_back("NaN payloads");
}

}  // namespace

CertifiedOrder reveal_and_certify(Target& target, const Call& context, spec::Flush flush,
                                  const CaptureOptions& options, bool has_places,
                                  const std::vector<spec::Order>& known) {
  CertifiedOrder result;
  spec::Certificate& certificate = result.certificate;
  certificate.seed = options.seed;
  const std::int64_t calls_before = target.calls();
  const auto oracle = make_target_oracle(target, context, options.seed);
  InferOptions infer_options;
  infer_options.n_max = std::min(options.n_max, kInferTo);
  infer_options.seed = options.seed;
  infer_options.time_limit_s = options.time_limit_s;
  for (const spec::Order& one : known) infer_options.known.push_back(from_no_zero(one));
  const Inference inference = infer_of_rounded(*oracle, infer_options);
  if (inference.reached < 1)
    throw Refused("unknown_rule", describe(context) + ": " + inference.stopped);
  result.stopped = inference.stopped;
  certificate.revealed = inference.revealed;
  certificate.probed = inference.probed;
  certificate.probes_per_size = infer_options.probes;
  result.n_max = inference.reached;
  if (!inference.stopped.empty())
    look_at_end(target, context, options, inference.stopped_reason, result);
  place_zeros_and_flush(target, context, flush, options, inference.order, result);
  certify_replay(target, context, options, result);
  for (bool are_right = false; !are_right;) {
    try {
      certify_nodes(target, context, result.order, result.n_max, certificate);
      are_right = true;
    } catch (const RefusedAt& why) {
      keep_below(target, context, options, result.order, why, result);
    }
  }
  note_size(certificate, result.n_max);
  certify_classes(target, context, options, has_places, result);
  if (result.stopped.empty()) {
    result.order = stretch(target, context, result.order, options.n_max, options, certificate);
    result.n_max = result.order.regimes.back().hi;
  }
  certificate.calls = target.calls() - calls_before;
  add_not_checked(certificate);
  return result;
}

}  // namespace reprosum::reveal
