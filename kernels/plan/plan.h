// The plan: what a schema is for a generator, with q and r symbolic. No LLVM in it.
//
// A plan is a small tree of nodes. What grows with n is a *run*: an accumulator to which the same
// constant body is added, again and again, a constant step apart. Everything else is constant.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/linear.h"
#include "spec/order.h"

namespace reprosum::kernels {

using spec::Domain;  // the q and r that a plan is for

// Postorder program of one addend of a body; offsets are relative to the iteration's place.
struct BodyOp {
  bool is_add = false;
  spec::NodeFormat format = spec::NodeFormat::narrow;  // of an addition
  spec::Leaf leaf = spec::Leaf::rounded;
  std::int64_t offset = 0;
  spec::Scale scale = spec::Scale::none;  // as TreeOp::scale; a fused one is an addend
  spec::Skip skip = spec::Skip::none;     // of a product
  bool is_summand() const { return !is_add && leaf != spec::Leaf::zero; }
  auto operator<=>(const BodyOp&) const = default;
};
using Addend = std::vector<BodyOp>;

// accumulator = init (or the first addend), then += every addend of every iteration.
struct Run {
  spec::NodeFormat format = spec::NodeFormat::narrow;
  spec::Linear at;  // place of iteration 0
  std::int64_t step = 0;
  spec::Linear count;        // iterations; at least 1 if there is no init
  std::vector<Addend> body;  // at least one
  auto operator<=>(const Run&) const = default;
};

struct PlanNode {
  // Only in a matrix update: out is beta*c, fuse_out is fma(beta, c, left).
  enum class Kind : std::uint8_t { zero, leaf, add, fuse, run, out, fuse_out };
  Kind kind = Kind::zero;
  spec::NodeFormat format = spec::NodeFormat::narrow;  // add, fuse, run
  spec::Leaf leaf = spec::Leaf::rounded;               // leaf, fuse
  spec::Linear at;                                     // leaf, fuse
  int left = -1;                          // add, fuse; the init of a run, if it has one
  int right = -1;                         // add
  int run = -1;                           // run: index into Plan::runs
  spec::Scale scale = spec::Scale::none;  // as TreeOp::scale; also of fuse (x, y)
  spec::Skip skip = spec::Skip::none;     // leaf, fuse
};

// Operands stand before their node; the last node is the root. No node is used twice.
struct Plan {
  Domain domain;
  spec::Linear first, last;  // summands that the plan may name, both included
  std::vector<PlanNode> nodes;
  std::vector<Run> runs;
  bool is_wide(int node) const;
  bool has_init(int node) const { return nodes[static_cast<std::size_t>(node)].left >= 0; }
  bool is_update() const;  // names the output, alpha or zeros
};

// Whether a plan is one that the emitters know: a program of which each value is used once, and
// no summand named twice. If not, why.
bool is_expected(const Plan& plan, std::string& why);
// Whether the plan can be a tile of outputs: narrow throughout. If not, why.
bool is_tile_plan(const Plan& plan, std::string& why);

// The most nodes of one plan, and of all plans of a regime together. BLIS's sdot on Zen, with ten
// cases of 80 lanes, needs 6,773 and its ddot 6,945, the most of any library that was captured.
inline constexpr std::size_t kMaxPlanNodes = 12'000;

inline constexpr std::size_t kMaxOrderCost = 2 * kMaxPlanNodes;  // of all functions of an order

// What planning may still make. Counted in nodes and operations, never in seconds: how fast a host
// is must not decide which kernel runs.
struct PlanBudget {
  std::size_t nodes = kMaxPlanNodes;          // of plans that are kept, bodies of runs included
  std::size_t attempts = 20 * kMaxPlanNodes;  // of all, those included that a split discards
};
// Nodes and operations in bodies: what code for the plan is made from.
std::size_t cost(const Plan& plan);

// The plans of one schema that together cover its domain, disjoint. `summands` is n as a function
// of q and r. Every place that a plan names is proved to lie in 0..n-1 on its domain, so that code
// made from it cannot read outside. Returns false, and why, for what cannot be planned.
bool plan_schema(const spec::Schema& schema, const spec::Linear& summands, const Domain& domain,
                 PlanBudget& budget, std::vector<Plan>& plans, std::string& why);

// A loop, or explicit trees, as plans for a dispatch: for the n of the regime, none below its lo.
struct RulePlan {
  std::int64_t block = 0;           // 0: explicit trees, whose plans have domain r = n
  std::int64_t first_symbolic = 0;  // q from which the `hot` plans hold
  std::vector<Plan> cold;           // one value of q each, below first_symbolic
  std::vector<Plan> hot;            // ascending in r, disjoint
  bool is_wide = false;             // some plan's root is wide
  std::size_t cost = 0;             // of all plans
};
// @pre the rule is a Loop or Explicit. Returns false, and why, for what cannot be planned.
bool plan_rule(const spec::Regime& regime, RulePlan& plan, std::string& why);

}  // namespace reprosum::kernels
