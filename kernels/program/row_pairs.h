// Two rows of a batch side by side in one vector, for lanes of half a vector.
//
// A row of four floats per iteration costs two loads of 16 bytes per fma, and loads bound the loop.
// Here two rows are read in whole vectors, two iterations of a row at a time; the halves are then
// swapped so that each vector holds one iteration of both rows.
#pragma once

#include "kernels/program/runs.h"

namespace reprosum::kernels::program {

// Whether the lanes are read and added as add_pair() does, and gain by it: an even number of rows,
// each with its own y, one narrow product per lane and iteration, iterations side by side.
bool can_pair_rows(const ValueBuilder& values, const RunLanes& lanes);

// Cells 2k and 2k + 1 become cell k, of twice the width; and back.
Values join_rows(ValueBuilder& values, const Values& rows);
Values split_rows(ValueBuilder& values, const Values& pairs);

// Two iterations from `place` on, added to one joined cell. @pre can_pair_rows()
Id add_pair(ValueBuilder& values, const RunLanes& lanes, const Place& place, std::size_t pair,
            Id sum);

}  // namespace reprosum::kernels::program
