// The capture of one routine: every thread count, pair of transposes and class of increments, and
// the calls without summands. How the order of one such context is found differs: a sum has one
// (SumCapture), a product one for each class of outputs (ProductCapture).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/increment_classes.h"
#include "reveal/capture/merge.h"
#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// One target per thread count, in the order of CaptureOptions::threads.
using Targets = std::vector<std::pair<int, std::unique_ptr<Target>>>;

class RoutineCapture {
 public:
  using Report = std::function<void(const std::string& stage)>;

  RoutineCapture(spec::Routine routine, spec::Type type, Targets& targets,
                 const CaptureOptions& options, Report report);
  virtual ~RoutineCapture() = default;
  RoutineCapture(const RoutineCapture&) = delete;
  RoutineCapture& operator=(const RoutineCapture&) = delete;

  // Orders, entries, rules for calls without summands and refusals of this routine; nothing else.
  // Never throws Refused or TargetError.
  spec::Spec run();

 protected:
  // Captures one class of increments, whose example the call has, and adds what holds to pieces_.
  // Throws Refused, TargetError, RunIsOver, and OneOfMany where it holds for the example alone.
  virtual void capture_context(Target& target, const Call& call,
                               const IncrementClass& increments) = 0;
  // The rules that pieces_ refer to. Called once, at the end.
  virtual std::vector<CapturedRules> rules() = 0;

  void refuse(const std::string& context, const std::string& reason, const std::string& detail);
  bool has_matrices() const { return spec::has_matrices(routine_); }
  // "dgemm NN threads=2, beta = 1": beta where it matters.
  std::string context_of(const Call& call) const { return describe(call) + circumstances(); }

  const spec::Routine routine_;
  const spec::Type type_;
  Targets& targets_;
  CaptureOptions options_;
  const Report report_;
  spec::Spec spec_;
  std::vector<CapturedContext> pieces_;
  // The increments that were asked for: y is 0 for sum; gemm has unit increments.
  const std::vector<spec::Increments> asked_;
  // What is being captured:
  int threads_ = 1;
  spec::Beta beta_ = spec::Beta::any;

 private:
  // The transposes that are asked for.
  std::vector<Call> contexts() const;
  bool is_asked(spec::Trans trans_a, spec::Trans trans_b) const;
  // Every class of increments.
  void capture_increments(Target& target, Call call);
  // The classes that are captured first: all of gemv and gemm, the plainest increments of sum and
  // dot.
  std::vector<IncrementClass> first_classes(Target& target, const Call& call);
  std::vector<IncrementClass> classes_of(Target& target, Call call);
  // Captures one class. If the result holds for a part of it alone, the rest is added to `more`.
  void capture_class(Target& target, const Call& call, const IncrementClass& increments,
                     std::vector<IncrementClass>& more);
  // Calls without summands.
  void capture_empty(Target& target, const Call& call);
  // Longer products of each entry.
  void reach_further();
  // Runs a step of the context. An error becomes a refusal, except that the target declines a
  // context that may be declined; at the end of the run the context is added to left_.
  void attempt(const std::string& context, bool may_be_declined, const std::function<void()>& step);
  std::string circumstances() const;
  std::string context_of(const Call& call, const IncrementClass& increments) const;

  std::vector<std::string> left_;  // contexts that were not captured when the run was over
};

}  // namespace reprosum::reveal
