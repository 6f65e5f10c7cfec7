// Two rows of a batch side by side in one vector, for lanes of half a vector.
//
// A row of four floats per iteration costs two loads of 16 bytes per fma, and loads bound the loop.
// Here two rows are read in whole vectors, two iterations of a row at a time; the halves are then
// swapped so that each vector holds one iteration of both rows.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "kernels/llvm/emit_runs.h"
#include "kernels/llvm/emit_values.h"

namespace reprosum::kernels {

// Whether the lanes are read and added as accumulate_pairs() does, and gain by it: an even number
// of rows, each with its own y, one narrow product per lane and iteration, iterations side by side.
bool can_pair_rows(const ValueEmitter& emitter, const RunLanes& lanes);

// Rows 2k and 2k + 1 become row k, of twice the width; and back.
Values join_rows(ValueEmitter& emitter, const Values& values);
Values split_rows(ValueEmitter& emitter, const Values& values);

// Two iterations from `index` on, added to one joined row. @pre can_pair_rows()
void accumulate_pair(ValueEmitter& emitter, const RunLanes& lanes, llvm::Value* index,
                     std::size_t pair, Values& sums);

}  // namespace reprosum::kernels
