#include "reveal/capture/routine_capture.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "reveal/capture/empty_calls.h"
#include "reveal/capture/matrix_beta.h"
#include "reveal/capture/matrix_reach.h"
#include "reveal/capture/run_end.h"
#include "reveal/check/drawn_increments.h"
#include "reveal/refused.h"

namespace reprosum::reveal {
namespace {

std::vector<spec::Increments> asked_of(spec::Routine routine,
                                       const std::vector<spec::Increments>& increments) {
  std::vector<spec::Increments> asked;
  if (routine == spec::Routine::gemv) {
    // BLAS has no matrix routine with an increment of 0.
    asked = by_kind(increments);
    std::erase_if(asked, [](const auto& part) { return part.x.admits(0) || part.y.admits(0); });
  } else if (routine != spec::Routine::gemm) {
    for (spec::Increments part : increments) {
      if (routine == spec::Routine::sum) part.y = 0;
      if (std::find(asked.begin(), asked.end(), part) == asked.end()) asked.push_back(part);
    }
  }
  if (asked.empty()) asked = {{1, 1}};
  return asked;
}

}  // namespace

RoutineCapture::RoutineCapture(spec::Routine routine, spec::Type type, Targets& targets,
                               const CaptureOptions& options, Report report)
    : routine_(routine),
      type_(type),
      targets_(targets),
      options_(options),
      report_(std::move(report)),
      asked_(asked_of(routine, options.increments)) {}

void RoutineCapture::refuse(const std::string& context, const std::string& reason,
                            const std::string& detail) {
  spec_.refusals.push_back({spec::blas_name(routine_, type_), context, reason, detail});
}

void RoutineCapture::attempt(const std::string& context, bool may_be_declined,
                             const std::function<void()>& step) {
  try {
    step();
  } catch (const Refused& refused) {
    refuse(context, refused.reason, refused.what());
  } catch (const TargetError& error) {
    if (error.reason != "declined" || !may_be_declined) refuse(context, error.reason, error.what());
  } catch (const RunIsOver&) {
    left_.push_back(context);
  }
}

spec::Spec RoutineCapture::run() {
  if (!targets_.front().second->has(routine_, type_)) {
    refuse("", "missing_symbol", "the target has no such routine");
    return std::move(spec_);
  }
  for (const auto& [threads, target] : targets_) {
    threads_ = threads;
    for (const Call& call : contexts()) {
      beta_ = spec::Beta::any;
      capture_increments(*target, call);
      // A sum without an order in its plainest context has none elsewhere.
      if (!has_matrices() && pieces_.empty() && left_.empty()) return std::move(spec_);
      capture_empty(*target, call);
    }
  }
  if (!left_.empty())
    spec_.refusals.push_back(not_reached(spec::blas_name(routine_, type_), left_));
  append_entries(routine_, type_, pieces_, rules(), spec_);
  if (has_matrices() && options_.reach.size > 0) reach_further();
  return std::move(spec_);
}

std::vector<Call> RoutineCapture::contexts() const {
  if (!has_matrices()) return {call_without_sizes(routine_, type_)};
  std::vector<Call> all;
  const auto both = {spec::Trans::no, spec::Trans::yes};
  for (const spec::Trans trans_a : both)
    for (const spec::Trans trans_b : both) {
      if (routine_ == spec::Routine::gemv && trans_b == spec::Trans::yes) continue;
      if (is_asked(trans_a, trans_b))
        all.push_back(call_without_sizes(routine_, type_, trans_a, trans_b));
    }
  return all;
}

bool RoutineCapture::is_asked(spec::Trans trans_a, spec::Trans trans_b) const {
  const auto& asked = options_.transposes;
  return asked.empty() || std::any_of(asked.begin(), asked.end(), [&](const auto& pair) {
           return pair.first == trans_a &&
                  (routine_ == spec::Routine::gemv || pair.second == trans_b);
         });
}

std::string RoutineCapture::circumstances() const {
  return " threads=" + std::to_string(threads_) + name(beta_);
}

std::string RoutineCapture::context_of(const Call& call, const IncrementClass& increments) const {
  const std::string others = others_of(increments, routine_ != spec::Routine::sum);
  return describe(call) + (has_matrices() ? circumstances() + others : others + circumstances());
}

std::vector<IncrementClass> RoutineCapture::classes_of(Target& target, Call call) {
  try {
    IncrementClasses found = increment_classes(target, call, asked_, options_.seed + 83);
    for (const auto& [increments, reason, why] : found.refused) {
      const auto example = increments.front().plainest();
      std::tie(call.incx, call.incy) = example;
      refuse(context_of(call, {increments, example}), reason, why);
    }
    return std::move(found.classes);
  } catch (const TargetError& error) {
    refuse(context_of(call), error.reason, error.what());
    return {};
  } catch (const RunIsOver&) {
    return not_sorted(has_matrices() ? options_.increments : asked_);  // to be named as not reached
  }
}

std::vector<IncrementClass> RoutineCapture::first_classes(Target& target, const Call& call) {
  if (routine_ == spec::Routine::gemm) return {{asked_, {1, 1}}};
  if (routine_ == spec::Routine::gemv) return classes_of(target, call);
  // What has no order in its plainest context is not sorted by its bits.
  const auto first = asked_.front().plainest();
  return {{{{first.first, first.second}}, first}};
}

void RoutineCapture::capture_increments(Target& target, Call call) {
  std::vector<IncrementClass> classes = first_classes(target, call);
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const IncrementClass increments = classes[at];
    std::tie(call.incx, call.incy) = increments.example;
    beta_ = spec::Beta::any;
    const std::string context = context_of(call, increments);
    report_(context);
    std::vector<IncrementClass> more;
    // A target that takes no such increments at all has no order to refuse; gemm has none.
    attempt(context, routine_ != spec::Routine::gemm,
            [&] { capture_class(target, call, increments, more); });
    if (at == 0 && !has_matrices()) {
      if (pieces_.empty() && left_.empty()) return;
      more = classes_of(target, call);
      std::erase_if(more, [&](const auto& one) { return one.increments == increments.increments; });
    }
    classes.insert(classes.end(), more.begin(), more.end());
  }
}

void RoutineCapture::capture_class(Target& target, const Call& call,
                                   const IncrementClass& increments,
                                   std::vector<IncrementClass>& more) {
  const std::size_t before = pieces_.size();
  try {
    capture_context(target, call, increments);
  } catch (const OneOfMany& wrong) {
    pieces_.resize(before);  // the increments are captured apart
    more = parted(increments);
    // Only the example of a single part is captured further.
    if (increments.increments.size() == 1)
      refuse(context_of(call, increments), "unknown_rule", wrong.what());
  }
}

void RoutineCapture::capture_empty(Target& target, const Call& call) {
  const std::string what =
      has_matrices() ? describe(call) + " k = 0" : spec::blas_name(routine_, type_) + " n <= 0";
  attempt(what + " threads=" + std::to_string(threads_), false, [&] {
    const auto increments = example_pairs(asked_);
    auto rule =
        empty_rule(target, call, threads_, options_.largest, increments, options_.seed + 71);
    if (!rule) return;
    spec_.empty_rules.push_back(*std::move(rule));
    reach_beyond(target, spec_.empty_rules.back(), options_.reach, increments, options_.seed + 72);
  });
}

// What the end of a target or of the run leaves undone costs no rule.
void RoutineCapture::reach_further() {
  for (spec::Entry& entry : spec_.entries) {
    report_(spec::blas_name(routine_, type_) + ": longer products");
    try {
      reach_beyond(targets_, entry, spec_.orders, options_);
    } catch (const TargetError&) {
    } catch (const RunIsOver&) {
      return;
    }
  }
}

}  // namespace reprosum::reveal
