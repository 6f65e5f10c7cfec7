// What the emitters take for granted of a plan; one that differs is left to the interpreter.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/plan/plan.h"

namespace reprosum::kernels {
namespace {

using Kind = PlanNode::Kind;

bool needs_left(Kind kind) {
  return kind == Kind::add || kind == Kind::fuse || kind == Kind::fuse_out;
}

// Operands stand before their node, each is used once, and all but the last node are operands.
bool is_program(const Plan& plan) {
  std::vector<char> used(plan.nodes.size());
  const auto use = [&](int operand, std::size_t before) {
    if (operand < 0) return true;
    const auto k = static_cast<std::size_t>(operand);
    return k < before && !std::exchange(used[k], 1);
  };
  for (std::size_t k = 0; k < plan.nodes.size(); ++k) {
    const PlanNode& node = plan.nodes[k];
    if ((node.left < 0 && needs_left(node.kind)) || (node.right < 0) == (node.kind == Kind::add))
      return false;
    if (!use(node.left, k) || !use(node.right, k)) return false;
  }
  return std::count(used.begin(), used.end(), 0) == 1 && used.back() == 0;
}

// A postorder program whose fused products have something to be added to.
bool is_program(const Addend& addend) {
  std::vector<bool> is_fused;
  for (const BodyOp& op : addend) {
    if (!op.is_add) {
      is_fused.push_back(op.leaf == spec::Leaf::fused);
      continue;
    }
    if (is_fused.size() < 2) return false;
    is_fused.pop_back();
    if (is_fused.back()) return false;
  }
  return is_fused.size() == 1;
}

bool are_programs(const Plan& plan) {
  std::size_t runs = 0;
  for (const PlanNode& node : plan.nodes) {
    if (node.kind != Kind::run) continue;
    if (node.run != static_cast<int>(runs++)) return false;
  }
  return runs == plan.runs.size() &&
         std::all_of(plan.runs.begin(), plan.runs.end(), [](const Run& run) {
           return !run.body.empty() &&
                  std::all_of(run.body.begin(), run.body.end(),
                              [](const Addend& addend) { return is_program(addend); });
         });
}

// Lanes of a vector are summands at ascending places: none may be two lanes of one.
bool names_twice(const Plan& plan) {
  std::vector<spec::Linear> places;
  for (const PlanNode& node : plan.nodes)
    if (node.kind == Kind::leaf || node.kind == Kind::fuse) places.push_back(node.at);
  std::sort(places.begin(), places.end());
  std::vector<Run> runs = plan.runs;
  std::sort(runs.begin(), runs.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end() ||
         std::adjacent_find(runs.begin(), runs.end()) != runs.end();
}

}  // namespace

bool is_expected(const Plan& plan, std::string& why) {
  if (plan.nodes.empty()) return true;
  if (!is_program(plan) || !are_programs(plan)) {
    why = "a plan of a form that no code is made for";
    return false;
  }
  if (!names_twice(plan)) return true;
  why = "a summand is named twice";
  return false;
}

bool is_tile_plan(const Plan& plan, std::string& why) {
  why = "wide values";
  for (std::size_t k = 0; k < plan.nodes.size(); ++k)
    if (plan.is_wide(static_cast<int>(k))) return false;
  for (const Run& run : plan.runs) {
    if (run.format == spec::NodeFormat::wide) return false;
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (op.is_add ? op.format == spec::NodeFormat::wide : op.leaf == spec::Leaf::exact)
          return false;
  }
  why.clear();
  if (plan.nodes.empty()) why = "a schema without summands";
  return why.empty();
}

}  // namespace reprosum::kernels
