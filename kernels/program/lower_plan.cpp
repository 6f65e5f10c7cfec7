#include "kernels/program/lower_plan.h"

#include <utility>

#include "kernels/program/runs.h"
#include "spec/error.h"

namespace reprosum::kernels::program {
namespace {

using Kind = PlanNode::Kind;
using Pick = ValueBuilder::Pick;

// Few runs: a loop of each may be unrolled without much code.
constexpr std::size_t kFewRuns = 4;

class PlanLowering {
 public:
  PlanLowering(ValueBuilder& values, const Plan& plan, const SharedRuns* shared,
               std::vector<Lane> lanes)
      : e_(values), plan_(plan), shared_(shared), lanes_(std::move(lanes)) {
    lanes_.resize(plan.nodes.size());
  }

  void run(const Schedule& schedule) {
    for (const Group& group : schedule) {
      if (group.is_loop)
        lower_loop(group);
      else
        finish(group.vectors[0], lower_nodes(group.vectors[0]));
    }
  }
  std::deque<Values>& values() { return values_; }
  Values root() { return e_.gather({pick(static_cast<int>(plan_.nodes.size()) - 1)}); }

 private:
  const PlanNode& node(int k) const { return plan_.nodes[static_cast<std::size_t>(k)]; }
  const Run& run_of(int k) const { return plan_.runs[static_cast<std::size_t>(node(k).run)]; }
  Pick pick(int k) const {
    const Lane lane = lanes_[static_cast<std::size_t>(k)];
    if (!lane.exists()) throw InternalError("a node is used before it is made");
    return {lane.vector >= 0 ? &values_[static_cast<std::size_t>(lane.vector)]
                             : &shared_->vector(lane.vector),
            lane.lane};
  }
  spec::Scale scale_of(int k) const { return k < 0 ? spec::Scale::none : node(k).scale; }

  void finish(const std::vector<int>& nodes, Values values) {
    for (std::size_t k = 0; k < nodes.size(); ++k)
      lanes_[static_cast<std::size_t>(nodes[k])] = {static_cast<int>(values_.size()),
                                                    static_cast<int>(k)};
    values_.push_back(std::move(values));
  }

  // What alpha does to a value where it is taken.
  Values taken(const std::vector<Pick>& picks, int k) {
    return e_.taken(e_.gather(picks), scale_of(k));
  }

  void lower_loop(const Group& group) {
    std::vector<RunLanes> lanes;
    for (const std::vector<int>& members : group.vectors) {
      RunLanes vector{run_of(members[0]), {}, {}};
      std::vector<Pick> init;
      for (const int m : members) {
        vector.offsets.push_back(run_of(m).at.c - vector.run.at.c);
        if (node(m).left >= 0) init.push_back(pick(node(m).left));
      }
      if (!init.empty()) vector.init = taken(init, node(members[0]).left);
      lanes.push_back(std::move(vector));
    }
    std::vector<Values> sums = build_runs(e_, lanes, plan_.runs.size() < kFewRuns);
    for (std::size_t k = 0; k < sums.size(); ++k) finish(group.vectors[k], std::move(sums[k]));
  }

  Values lower_nodes(const std::vector<int>& nodes) {
    const PlanNode& first = node(nodes[0]);
    std::vector<Pick> left, right;
    std::vector<std::int64_t> offsets;
    for (const int k : nodes) {
      if (node(k).left >= 0) left.push_back(pick(node(k).left));
      if (node(k).right >= 0) right.push_back(pick(node(k).right));
      offsets.push_back(node(k).at.c - first.at.c);
    }
    const Place place{first.at, 0};
    switch (first.kind) {
      case Kind::zero:
        return e_.zeros(static_cast<int>(nodes.size()));
      case Kind::leaf:
        return e_.leaf(first.leaf, place, offsets, first.scale, first.skip);
      case Kind::add:
        return e_.add(first.format, taken(left, first.left), e_.gather(right),
                      scale_of(first.right));
      case Kind::fuse:
        return e_.fuse(first.format, taken(left, first.left), place, offsets, first.scale,
                       first.skip);
      case Kind::out:
        return e_.output();
      case Kind::fuse_out:
        return e_.fuse_output(taken(left, first.left));
      case Kind::run:
        break;
    }
    throw InternalError("not a single node");
  }

  ValueBuilder& e_;
  const Plan& plan_;
  const SharedRuns* shared_;
  std::vector<Lane> lanes_;    // per node, once made
  std::deque<Values> values_;  // by number of the schedule
};

}  // namespace

SharedRuns::SharedRuns(ValueBuilder& values, const std::vector<Run>& runs) {
  const Plan plan = plan_of_runs(runs);
  const Schedule schedule = together(plan, {});
  PlanLowering lowering(values, plan, nullptr, {});
  lowering.run(schedule);
  vectors_ = std::move(lowering.values());
  int number = -2;
  for (const Group& group : schedule)
    for (const std::vector<int>& members : group.vectors) {
      for (std::size_t k = 0; k < members.size(); ++k)
        lanes_[runs[static_cast<std::size_t>(members[k])]] = {number, static_cast<int>(k)};
      --number;
    }
}

std::vector<Lane> SharedRuns::lanes_of(const Plan& plan) const {
  std::vector<Lane> lanes(plan.nodes.size());
  for (std::size_t k = 0; k < plan.nodes.size(); ++k) {
    const PlanNode& node = plan.nodes[k];
    if (node.kind != Kind::run || node.left >= 0) continue;
    const auto it = lanes_.find(plan.runs[static_cast<std::size_t>(node.run)]);
    if (it != lanes_.end()) lanes[k] = it->second;
  }
  return lanes;
}

Values lower_plan(ValueBuilder& values, const Plan& plan, const SharedRuns& shared) {
  const std::vector<Lane> lanes = shared.lanes_of(plan);
  PlanLowering lowering(values, plan, &shared, lanes);
  lowering.run(values.layout().is_tile ? in_turn(plan) : together(plan, lanes));
  return lowering.root();
}

}  // namespace reprosum::kernels::program
