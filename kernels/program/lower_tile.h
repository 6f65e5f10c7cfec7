// The program of a tile: outputs of one class that one function computes together.
#pragma once

#include <string>

#include "kernels/plan/plan.h"
#include "kernels/program/program.h"
#include "kernels/program/tile.h"

namespace reprosum::kernels::program {

// lanes: outputs in a vector. @pre is_tile_plan(); shape.rows == 0 or rows_at_once() > 0.
// first, last: the summands that the operands have.
Program lower_tile(const Plan& plan, spec::Type type, const TileShape& shape,
                   const std::string& name, unsigned vector_bits);

}  // namespace reprosum::kernels::program
