// From a scheduled plan to instructions.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "kernels/plan/plan.h"
#include "kernels/program/schedule.h"
#include "kernels/program/values.h"

namespace reprosum::kernels::program {

// The values of runs that several plans share: made once, before the plan is chosen.
class SharedRuns {
 public:
  SharedRuns() = default;
  SharedRuns(ValueBuilder& values, const std::vector<Run>& runs);
  // The place of each run of the plan that starts from nothing; other nodes have none.
  std::vector<Lane> lanes_of(const Plan& plan) const;
  const Values& vector(int number) const { return vectors_[static_cast<std::size_t>(-2 - number)]; }

 private:
  std::deque<Values> vectors_;  // number -2, -3, ...
  std::map<Run, Lane> lanes_;
};

// The value of the plan's last node, without what its scale says. A tile is made in turn, rows with
// their lanes together.
Values lower_plan(ValueBuilder& values, const Plan& plan, const SharedRuns& shared);

}  // namespace reprosum::kernels::program
