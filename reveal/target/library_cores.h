// Where the threads of a probed library run.
#pragma once

#include "reveal/target/blas_matrix_call.h"
#include "reveal/target/core_set.h"

namespace reprosum::reveal {

// Moves the threads of this process, which has loaded a library with this dgemm, to `cores`; back
// again if it then gives other bits, or takes longer than its threads explain: a library that waits
// in a loop for a thread that is on the same core waits for the system to take the core away. Stays
// where it is without a dgemm to try. Only the probed child does this.
void keep_library_to(const CoreSet& cores, const MatrixSymbols& dgemm);

}  // namespace reprosum::reveal
