#include "kernels/program/widths.h"

#include <algorithm>

#include "kernels/program/schedule.h"

namespace reprosum::kernels::program {
namespace {

constexpr int kAccumulators = 8;  // vectors that hide the latency of an addition

std::size_t element_bits(spec::Type type) { return spec::is_f32(type) ? 32 : 64; }

// Bits of all lanes of the runs that start from nothing: what a row has of independent sums.
std::size_t lane_bits(const Plan& plan, spec::Type type) {
  std::size_t runs = 0;
  for (const PlanNode& node : plan.nodes) {
    if (node.kind != PlanNode::Kind::run) continue;
    const bool begins = node.left < 0 || plan.nodes[static_cast<std::size_t>(node.left)].kind ==
                                             PlanNode::Kind::zero;
    runs += begins ? 1 : 0;
  }
  return std::max<std::size_t>(1, runs) * element_bits(type);
}

bool skips(const Plan& plan) {
  for (const PlanNode& node : plan.nodes)
    if (node.skip != spec::Skip::none) return true;
  for (const Run& run : plan.runs)
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (op.skip != spec::Skip::none) return true;
  return false;
}

std::size_t vectors_of(std::size_t bits, unsigned vector_bits) {
  return (bits + vector_bits - 1) / vector_bits;
}

}  // namespace

unsigned narrowed(unsigned vector_bits, std::size_t lane_bits) {
  return lane_bits < 4 * std::size_t{vector_bits} ? std::min(vector_bits, 256U) : vector_bits;
}

std::size_t loop_bits(const RulePlan& plan, spec::Type type) {
  if (plan.block == 0 || plan.hot.empty()) return 0;
  return started_runs(plan.hot[0]).size() * element_bits(type);
}

// So many that the main loop has about eight independent accumulators. Not more than eight rows:
// they are often a power of two apart, and then fall into the same few sets of the first-level
// cache.
int batch_rows(std::size_t lane_bits, unsigned vector_bits) {
  if (lane_bits == 0) return 0;
  for (const int rows : kBatchRows)
    if (vectors_of(lane_bits, vector_bits) * static_cast<std::size_t>(rows) <= kAccumulators)
      return rows;
  return 0;
}

RowWidth row_width(const Plan& plan, spec::Type type, unsigned vector_bits) {
  if (skips(plan)) return {};
  const std::size_t bits = lane_bits(plan, type);
  RowWidth width{kAccumulators, narrowed(vector_bits, bits)};
  while (width.rows > 1 &&
         vectors_of(bits, width.vector_bits) * static_cast<std::size_t>(width.rows) > kAccumulators)
    width.rows /= 2;
  return width;
}

}  // namespace reprosum::kernels::program
