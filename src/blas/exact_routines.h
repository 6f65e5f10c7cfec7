// REPROSUM_MODE=exact: the routines that no spec replays but that are computed here, rounded once.
// They have trampolines as all that is forwarded, which reach these instead of the backing.
#pragma once

#include <span>
#include <string>

#include "reprosum/reprosum.h"

namespace reprosum::blas {

struct ExactRoutine {
  const char* name;  // "daxpy_64_"
  void* address;     // a function with this symbol's arguments
};

// The routine of that symbol, null if there is none: axpy, scal, asum, nrm2, ger and trsv of both
// types, Fortran, CBLAS and their ILP64 twins.
void* exact_routine(const char* name);
bool has_exact(const char* name);

// Those of ger and trsv.
std::span<const ExactRoutine> exact_matrix_routines();

// Before the first exact call: REPROSUM_NUM_THREADS.
void prepare_exact();

// Whether the result was computed. Any other status than REPROSUM_OK becomes a refusal with
// `arguments`, and if its error exit returns, the caller puts NaN into what it would have written.
bool is_computed(const char* symbol, reprosum_status status, const std::string& arguments);

}  // namespace reprosum::blas
