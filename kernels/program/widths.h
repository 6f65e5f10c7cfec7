// How wide the vectors of a function are, and how many rows it does at a time.
#pragma once

#include <cstddef>

#include "kernels/plan/plan.h"
#include "spec/spec.h"

namespace reprosum::kernels::program {

// Bits of the vectors of a loop whose lanes have `lane_bits`, on a machine with vectors of
// `vector_bits`. A loop of few lanes waits for its additions, however wide its vectors are: then
// vectors of half a cache line are better than whole ones, which mostly lie across two lines.
unsigned narrowed(unsigned vector_bits, std::size_t lane_bits);

// Bits of all lanes of the main loop; 0 if there is none.
std::size_t loop_bits(const RulePlan& plan, spec::Type type);

// Rows that a batch may interleave, widest first. A kernel has the narrower ones too, for the rows
// that remain.
inline constexpr int kBatchRows[] = {8, 4, 2};

// Most rows of a batch to interleave; 0: the order is wide enough alone.
int batch_rows(std::size_t lane_bits, unsigned vector_bits);

// The width of a tile by rows (TileShape::rows).
struct RowWidth {
  int rows = 0;  // outputs at a time; 0: the plan cannot be done so
  unsigned vector_bits = 0;
};
RowWidth row_width(const Plan& plan, spec::Type type, unsigned vector_bits);

}  // namespace reprosum::kernels::program
