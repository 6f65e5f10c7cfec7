// The vector loops of triangular systems, for one instruction set.
#pragma once

#include "src/exact/solve/diagonal_block.h"
#include "src/exact/solve/residuals.h"
#include "src/exact/solve/solves.h"

namespace reprosum::exact {

struct SolveKernels {
  SolveKernel<double> solve;
  AddNorms add_norms;
  SolveKernel<float> float_solve, plain_solve;
  // Plain, with sizes in float; the second one for processors that convert floats, fewer at a time,
  // while they multiply.
  SolveKernel<float> first_solve, first_solve_converting;
  BlockKernel<float> plain_block, float_block;
  BlockKernel<double> block;
  SolveKernel<double> plain_doubles;
  ResidualKernel<double> residual;
  ResidualKernel<float> float_residual;
};

// For kernels of `lanes` doubles; null where there are none.
const SolveKernels* solve_kernels(int lanes);

}  // namespace reprosum::exact
