#include "kernels/plan/sequential.h"

#include <algorithm>
#include <vector>

#include "spec/checked.h"
#include "spec/linear.h"

namespace reprosum::kernels {
namespace {

bool is_plain(spec::Scale scale, spec::Skip skip) {
  return scale == spec::Scale::none && skip == spec::Skip::none;
}

// Follows a plan from its root down to its first summand, then reads it from the left.
class Reader {
 public:
  Reader(const Plan& plan, std::int64_t block, spec::Routine routine)
      : plan_(plan), block_(block), routine_(routine) {}

  std::optional<Sequential> read() {
    std::vector<const PlanNode*> spine;  // from the root
    for (int k = static_cast<int>(plan_.nodes.size()) - 1; k >= 0;) {
      const PlanNode& node = plan_.nodes[static_cast<std::size_t>(k)];
      spine.push_back(&node);
      if (node.kind == PlanNode::Kind::out || node.kind == PlanNode::Kind::fuse_out)
        return std::nullopt;
      k = node.left;
    }
    std::reverse(spine.begin(), spine.end());
    for (const PlanNode* node : spine)
      if (!add(*node)) return std::nullopt;
    if (!equal(place_, {block_, 1, 0})) return std::nullopt;
    return Sequential{from_zero_, fused_.value_or(false), 0};
  }

 private:
  bool equal(const spec::Linear& a, const spec::Linear& b) const {
    const spec::Linear difference = a - b;
    return plan_.domain.least(difference) == 0 && plan_.domain.greatest(difference) == 0;
  }

  // Whether this summand is added in the same way as all before it.
  bool is_same_way(spec::Leaf leaf) {
    if (leaf != spec::Leaf::rounded && leaf != spec::Leaf::fused) return false;
    const bool is_fused = routine_ == spec::Routine::dot && leaf == spec::Leaf::fused;
    if (!fused_) fused_ = is_fused;
    return *fused_ == is_fused;
  }

  bool next(const spec::Linear& at) {
    if (!equal(at, place_)) return false;
    place_ = place_ + spec::Linear{0, 0, 1};
    return true;
  }

  bool add(const PlanNode& node) {
    switch (node.kind) {
      case PlanNode::Kind::zero:
        from_zero_ = true;
        return true;
      case PlanNode::Kind::leaf:  // the first of all: it is added to nothing
        return node.leaf == spec::Leaf::rounded && is_plain(node.scale, node.skip) && next(node.at);
      case PlanNode::Kind::add: {
        const PlanNode& right = plan_.nodes[static_cast<std::size_t>(node.right)];
        return node.format == spec::NodeFormat::narrow && right.kind == PlanNode::Kind::leaf &&
               is_plain(right.scale, right.skip) && is_same_way(right.leaf) && next(right.at);
      }
      case PlanNode::Kind::fuse:
        return node.format == spec::NodeFormat::narrow && is_plain(node.scale, node.skip) &&
               is_same_way(spec::Leaf::fused) && next(node.at);
      case PlanNode::Kind::run:
        return add(plan_.runs[static_cast<std::size_t>(node.run)]);
      case PlanNode::Kind::out:
      case PlanNode::Kind::fuse_out:
        break;
    }
    return false;
  }

  bool add(const Run& run) {
    if (run.format != spec::NodeFormat::narrow || !equal(run.at, place_) ||
        run.step != static_cast<std::int64_t>(run.body.size()))
      return false;
    for (std::size_t k = 0; k < run.body.size(); ++k) {
      const Addend& addend = run.body[k];
      if (addend.size() != 1 || !addend[0].is_summand() ||
          addend[0].offset != static_cast<std::int64_t>(k) ||
          !is_plain(addend[0].scale, addend[0].skip) || !is_same_way(addend[0].leaf))
        return false;
    }
    place_ = place_ + run.step * run.count;
    return true;
  }

  const Plan& plan_;
  const std::int64_t block_;
  const spec::Routine routine_;
  spec::Linear place_;  // of the next summand
  bool from_zero_ = false;
  std::optional<bool> fused_;
};

}  // namespace

std::optional<Sequential> sequential(const RulePlan& plan, spec::Routine routine) {
  if (plan.block == 0 || plan.is_wide || plan.hot.empty()) return std::nullopt;
  try {
    std::optional<Sequential> all;
    for (const Plan& hot : plan.hot) {
      const std::optional<Sequential> one = Reader(hot, plan.block, routine).read();
      if (!one || (all && *all != *one)) return std::nullopt;
      all = one;
    }
    all->first = spec::checked_product(plan.first_symbolic, plan.block);
    return all;
  } catch (const spec::TooLarge&) {
    return std::nullopt;
  }
}

}  // namespace reprosum::kernels
