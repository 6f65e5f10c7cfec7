#include "kernels/program/lower_tile.h"

#include <algorithm>

#include "kernels/program/lower_plan.h"

namespace reprosum::kernels::program {
namespace {

using spec::NodeFormat;
using spec::Scale;

std::vector<Operand> operands(const TileShape& shape) {
  const Step none;
  if (shape.rows > 0)
    return {{Operand::Name::x, kNeighbours, {0, Parameter::vector_row}, none},
            {Operand::Name::y, kNeighbours, none, none},
            {Operand::Name::out, none, {0, Parameter::c_column}, none}};
  const auto step = [](int constant, Parameter parameter) {
    return constant > 0 ? Step{constant, Parameter::none} : Step{0, parameter};
  };
  return {{Operand::Name::x, step(shape.vector_step, Parameter::vector_step), kNeighbours, none},
          {Operand::Name::y, step(shape.scalar_step, Parameter::scalar_step), none,
           shape.scalar_step > 0 ? kNeighbours : Step{0, Parameter::scalar_column}},
          {Operand::Name::out, none, kNeighbours, {0, Parameter::c_column}}};
}

// What the value becomes: see Ending.
Values ended(ValueBuilder& e, Ending ending, const Values& value) {
  switch (ending) {
    case Ending::store:
      return value;
    case Ending::scaled:
      return e.taken(value, Scale::rounded);
    case Ending::fuse_output:
      return e.fuse_output(value);
    case Ending::scaled_fuse:
      return e.fuse_output(e.taken(value, Scale::rounded));
    case Ending::add:
      return e.add(NodeFormat::narrow, e.sum_so_far(), value);
    case Ending::add_scaled:
      return e.add(NodeFormat::narrow, e.sum_so_far(), value, Scale::rounded);
    case Ending::fuse_scaled:
      return e.add(NodeFormat::narrow, e.sum_so_far(), value, Scale::fused);
  }
  return value;
}

// The summands that the plan names, at their extremes. That they exist was proved where the plan
// was made; here it is what the accesses of the program may not leave.
void set_reach(const Plan& plan, Program& program) {
  program.domain = plan.domain;
  program.first = plan.first;
  program.last = plan.last;
}

}  // namespace

Program lower_tile(const Plan& plan, spec::Type type, const TileShape& shape,
                   const std::string& name, unsigned vector_bits) {
  const int element = spec::is_f32(type) ? 32 : 64;
  Program program;
  program.name = name;
  program.form = Form::tile;
  program.type = type;
  set_reach(plan, program);
  program.vector_bits = vector_bits;
  program.operands = operands(shape);
  Layout layout;
  layout.first_is_x = shape.vector_is_x;
  if (shape.rows > 0) {
    layout.vectors = shape.rows;
    program.repeats = true;
  } else {
    layout.is_tile = true;
    layout.vectors = shape.vectors;
    layout.columns = shape.columns;
    layout.outputs = static_cast<int>(vector_bits) / element;
    layout.masked = shape.masked;
  }
  program.down = layout.vectors * layout.outputs;
  program.across = layout.columns;
  Builder builder(program);
  ValueBuilder values(builder, layout);
  const Values sum = lower_plan(values, plan, SharedRuns());
  values.store_output(ended(values, shape.ending, values.taken(sum, plan.nodes.back().scale)));
  return program;
}

}  // namespace reprosum::kernels::program
