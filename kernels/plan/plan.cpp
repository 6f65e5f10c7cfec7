#include "kernels/plan/plan.h"

namespace reprosum::kernels {

using spec::Leaf;
using spec::NodeFormat;

bool Plan::is_wide(int node) const {
  const PlanNode& n = nodes[static_cast<std::size_t>(node)];
  switch (n.kind) {
    case PlanNode::Kind::zero:
    case PlanNode::Kind::out:
      return false;
    case PlanNode::Kind::leaf:
      return n.leaf == Leaf::exact;
    default:
      return n.format == NodeFormat::wide;
  }
}

bool Plan::is_update() const {
  for (const PlanNode& node : nodes)
    if (node.scale != spec::Scale::none || node.skip != spec::Skip::none ||
        node.kind == PlanNode::Kind::out || node.kind == PlanNode::Kind::fuse_out)
      return true;
  for (const Run& run : runs)
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (op.scale != spec::Scale::none || op.skip != spec::Skip::none) return true;
  return false;
}

std::size_t cost(const Plan& plan) {
  std::size_t all = plan.nodes.size();
  for (const Run& run : plan.runs)
    for (const Addend& addend : run.body) all += addend.size();
  return all;
}

}  // namespace reprosum::kernels
