// Straight-line code of one plan: equal nodes that are ready together become one vector operation.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "kernels/llvm/emit_runs.h"
#include "kernels/llvm/emit_values.h"
#include "kernels/plan/plan.h"

namespace reprosum::kernels {

// Runs that start from nothing and whose places do not depend on r: several plans may share them.
class StartedRuns {
 public:
  // All such runs of the plan, sorted.
  static std::vector<Run> of(const Plan& plan);

  void emit(ValueEmitter& emitter, const std::vector<Run>& runs, unsigned vector_bits);
  // The lane of a run emitted before, or {nullptr, 0}.
  ValueEmitter::Pick find(const Run& run) const;

 private:
  std::deque<Values> values_;
  std::map<Run, ValueEmitter::Pick> lanes_;
};

// The value of the plan's root, width 1. @pre the plan has a node.
Values emit_plan(ValueEmitter& emitter, const Plan& plan, const StartedRuns& shared,
                 unsigned vector_bits);

}  // namespace reprosum::kernels
