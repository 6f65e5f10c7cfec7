#include "kernels/plan/cut.h"

#include <algorithm>

namespace reprosum::kernels {
namespace {

constexpr std::size_t kMaxRepeated = 64;  // nodes of a piece that is worth a loop of its own

// Sets the first and last summand that q iterations of the plan's only run name. A proof for the
// whole piece has shown that these exist.
void set_reach(Plan& plan) {
  const Run& run = plan.runs[0];
  std::int64_t low = spec::kMaxLeaves, high = -spec::kMaxLeaves;
  for (const Addend& addend : run.body)
    for (const BodyOp& op : addend) {
      if (!op.is_summand()) continue;
      low = std::min(low, op.offset);
      high = std::max(high, op.offset);
    }
  const spec::Linear last{run.step, 0, -run.step};  // of the last iteration
  const spec::Linear none;
  plan.domain = {1, spec::kMaxLeaves, 0, 0};
  plan.first = (run.step < 0 ? last : none) + spec::Linear{0, 0, low};
  plan.last = (run.step < 0 ? none : last) + spec::Linear{0, 0, high};
}

// The node and what it is made of as a postorder program; false if it is not one of summands alone.
bool flatten(const Plan& plan, int node, Addend& ops) {
  using Kind = PlanNode::Kind;
  const PlanNode& n = plan.nodes[static_cast<std::size_t>(node)];
  const bool scales_factor = n.scale == spec::Scale::x || n.scale == spec::Scale::y;
  BodyOp leaf, sum;
  leaf.leaf = n.leaf;
  leaf.offset = n.at.at(plan.domain.q_lo, plan.domain.r_lo);
  leaf.skip = n.skip;
  sum.is_add = true;
  sum.format = n.format;
  switch (n.kind) {
    case Kind::zero:
      leaf = {};
      leaf.leaf = spec::Leaf::zero;
      leaf.scale = n.scale;
      ops.push_back(leaf);
      return true;
    case Kind::leaf:
      leaf.scale = n.scale;
      ops.push_back(leaf);
      return true;
    case Kind::add:
      sum.scale = n.scale;
      if (!flatten(plan, n.left, ops) || !flatten(plan, n.right, ops)) return false;
      ops.push_back(sum);
      return true;
    case Kind::fuse:
      (scales_factor ? leaf : sum).scale = n.scale;
      if (!flatten(plan, n.left, ops)) return false;
      ops.push_back(leaf);
      ops.push_back(sum);
      return true;
    case Kind::run:
    case Kind::out:
    case Kind::fuse_out:
      return false;
  }
  return false;
}

}  // namespace

std::optional<Cut> cut_of(const Plan& plan) {
  using Kind = PlanNode::Kind;
  if (plan.nodes.size() < 2) return std::nullopt;
  const PlanNode &first = plan.nodes[0], &second = plan.nodes[1];
  if ((first.kind != Kind::out && first.kind != Kind::zero) || first.scale != spec::Scale::none)
    return std::nullopt;
  if (second.kind != Kind::run || second.left != 0 || second.scale != spec::Scale::none)
    return std::nullopt;
  for (std::size_t k = 1; k < plan.nodes.size(); ++k)
    if (plan.nodes[k].kind == Kind::out || plan.nodes[k].kind == Kind::fuse_out)
      return std::nullopt;
  Cut cut;
  cut.starts_at_output = first.kind == Kind::out;
  cut.run = plan.runs[static_cast<std::size_t>(second.run)];
  PlanNode sum;  // what is in C; tiles are called with beta == 1
  sum.kind = Kind::out;
  sum.leaf = spec::Leaf::out;
  Run slice = cut.run;
  slice.at = {};
  slice.count = {1, 0, 0};
  cut.slice.runs = {slice};
  set_reach(cut.slice);
  cut.slice.nodes = {sum, second};
  cut.slice.nodes[1].run = 0;
  if (plan.nodes.size() == 2) return cut;
  cut.rest = plan;
  cut.rest.nodes.erase(cut.rest.nodes.begin());
  cut.rest.nodes[0] = sum;
  for (PlanNode& node : cut.rest.nodes) {
    if (node.left > 0) --node.left;
    if (node.right > 0) --node.right;
  }
  return cut;
}

std::optional<Cut> repeat_of(const Plan& plan, std::int64_t block, spec::Scale scale) {
  if (cost(plan) > kMaxRepeated || plan.nodes.empty() || !plan.domain.fixes_q() ||
      !plan.domain.fixes_r())
    return std::nullopt;
  Addend ops;
  if (!flatten(plan, static_cast<int>(plan.nodes.size()) - 1, ops)) return std::nullopt;
  BodyOp& last = ops.back();
  if (last.scale == spec::Scale::fused) last.scale = spec::Scale::rounded;  // it is a value alone
  if (scale != spec::Scale::none) {
    if (last.scale != spec::Scale::none) return std::nullopt;
    last.scale = scale;
  }
  Cut cut;
  cut.starts_at_output = true;
  cut.run.count = {1, 0, 0};
  cut.run.step = block * plan.domain.q_lo + plan.domain.r_lo;
  cut.run.body = {ops};
  PlanNode output, sum;
  output.kind = PlanNode::Kind::out;
  output.leaf = spec::Leaf::out;
  sum.kind = PlanNode::Kind::run;
  sum.left = 0;
  sum.run = 0;
  cut.slice.nodes = {output, sum};
  cut.slice.runs = {cut.run};
  set_reach(cut.slice);
  return cut;
}

}  // namespace reprosum::kernels
