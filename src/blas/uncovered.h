// A call that cannot be replayed. BLAS has no status to return; it has xerbla_.
#pragma once

#include "reprosum/reprosum.h"

namespace reprosum::blas {

// Writes one line to stderr (routine, n, increments and why) and calls the process's xerbla_ with
// the routine's name and the number of the argument at fault (0: none is). If there is no xerbla_,
// the process exits with a failure, as the reference implementation stops. If xerbla_ returns,
// so does this, and the caller has no result to give.
void uncovered(const reprosum_reduction& call, const char* why);

}  // namespace reprosum::blas
