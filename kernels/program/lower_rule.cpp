#include "kernels/program/lower_rule.h"

#include <algorithm>
#include <vector>

#include "kernels/program/lower_plan.h"

namespace reprosum::kernels::program {
namespace {

std::vector<Operand> operands(const FunctionShape& shape, bool has_y) {
  Operand x{Operand::Name::x, kNeighbours, {}, {}}, y{Operand::Name::y, kNeighbours, {}, {}};
  if (shape.strided) {
    x.summand = {0, Parameter::incx};
    y.summand = {0, Parameter::incy};
  }
  if (shape.rows > 0) {
    x.down = {0, Parameter::ldx};
    if (!shape.shared_y) y.down = {0, Parameter::ldy};
  }
  std::vector<Operand> all{x};
  if (has_y || shape.rows > 0) all.push_back(y);
  if (shape.rows > 0) all.push_back({Operand::Name::out, {}, kNeighbours, {}});
  if (shape.update) all.push_back({Operand::Name::out, {}, {}, {}});
  return all;
}

spec::Domain domain(const RulePlan& plan) {
  spec::Domain all = plan.hot.front().domain;
  for (const auto* plans : {&plan.cold, &plan.hot})
    for (const Plan& p : *plans) {
      all.q_lo = std::min(all.q_lo, p.domain.q_lo);
      all.q_hi = std::max(all.q_hi, p.domain.q_hi);
      all.r_lo = std::min(all.r_lo, p.domain.r_lo);
      all.r_hi = std::max(all.r_hi, p.domain.r_hi);
    }
  return all;
}

class RuleLowering {
 public:
  RuleLowering(const RulePlan& plan, const FunctionShape& shape, const Layout& layout,
               Program& program)
      : plan_(plan), shape_(shape), program_(program), b_(program), values_(b_, layout) {}

  void run() {
    if (plan_.cold.empty()) return hot();
    Choice by_q{true, {}};
    std::vector<std::vector<Plan>> cold;
    for (const Plan& plan : plan_.cold) {
      if (cold.empty() || cold.back().back().domain.q_lo != plan.domain.q_lo) {
        cold.emplace_back();
        by_q.ranges.push_back({plan.domain.q_lo, plan.domain.q_hi});
      }
      cold.back().push_back(plan);
    }
    by_q.ranges.push_back({plan_.first_symbolic, program_.domain.q_hi});
    b_.choose(by_q, [&](std::size_t k) {
      if (k == cold.size()) return hot();
      by_r(cold[k], SharedRuns());
    });
  }

 private:
  // The main loop is the same for most residues: then it is made once, before the choice.
  void hot() {
    std::vector<Run> runs = started_runs(plan_.hot[0]);
    for (const Plan& plan : plan_.hot)
      if (started_runs(plan) != runs) runs.clear();
    if (plan_.block == 0 || plan_.hot.size() < 2 || runs.empty())
      return by_r(plan_.hot, SharedRuns());
    by_r(plan_.hot, SharedRuns(values_, runs));
  }

  void by_r(const std::vector<Plan>& plans, const SharedRuns& shared) {
    Choice choice{false, {}};
    for (const Plan& plan : plans) choice.ranges.push_back({plan.domain.r_lo, plan.domain.r_hi});
    b_.choose(choice, [&](std::size_t k) { finish(plans[k], shared); });
  }

  void finish(const Plan& plan, const SharedRuns& shared) {
    Values root = plan.nodes.empty() ? values_.zeros(1) : lower_plan(values_, plan, shared);
    if (shape_.update && !plan.nodes.empty()) root = values_.taken(root, plan.nodes.back().scale);
    if (shape_.rows == 0)
      b_.give(values_.convert(root, plan_.is_wide).cells[0]);
    else
      values_.store_output(values_.convert(root, false));
  }

  const RulePlan& plan_;
  const FunctionShape& shape_;
  Program& program_;
  Builder b_;
  ValueBuilder values_;
};

}  // namespace

Program lower_rule(const RulePlan& plan, spec::Routine routine, spec::Type type,
                   const FunctionShape& shape, unsigned vector_bits) {
  const bool has_y = routine == spec::Routine::dot;
  Program program;
  program.name = shape.name;
  program.form = shape.rows > 0 ? Form::batch : shape.strided ? Form::strided : Form::single;
  program.type = type;
  program.wide_result = plan.is_wide;
  program.block = plan.block;
  program.domain = domain(plan);
  program.last = {plan.block, 1, -1};
  program.down = std::max(1, shape.rows);
  program.vector_bits = vector_bits;
  program.operands = operands(shape, has_y);
  Layout layout;
  layout.vectors = program.down;
  layout.has_products = has_y;
  layout.unrolled = shape.unrolled;
  RuleLowering(plan, shape, layout, program).run();
  return program;
}

}  // namespace reprosum::kernels::program
