// REPROSUM_MODE=exact: the routines that no spec replays but that are computed here, rounded once.
// They have trampolines as all that is forwarded, which reach these instead of the backing.
#pragma once

#include <span>
#include <string>

#include "reprosum/reprosum.h"
#include "src/blas/fault.h"
#include "src/blas/refuse.h"

namespace reprosum::blas {

struct ExactRoutine {
  const char* name;  // "daxpy_64_"
  void* address;     // a function with this symbol's arguments
};

// The routine of that symbol, null if there is none: axpy, scal, asum, nrm2, ger, trsv, and the
// products and solves with symmetric and triangular matrices of both types, dsdot and sdsdot;
// Fortran, CBLAS and their ILP64 twins.
void* exact_routine(const char* name);
bool has_exact(const char* name);

// Those of ger and trsv, and those of exact_structured.cpp.
std::span<const ExactRoutine> exact_matrix_routines();
std::span<const ExactRoutine> exact_structured_routines();

// Before the first exact call: REPROSUM_NUM_THREADS.
void prepare_exact();

// Whether the result was computed. Any other status than REPROSUM_OK becomes a refusal with
// `arguments`, and if its error exit returns, the caller puts NaN into what it would have written.
bool is_computed(const char* symbol, reprosum_status status, const std::string& arguments);

// A call with an argument that BLAS forbids: the backing's error exit, as in Dispatch.
template <class Function, class... Arguments>
void leave(const char* symbol, const Fault& fault, Arguments... arguments) {
  if (fault.disputed) {
    const std::string routine = routine_of(symbol);
    return refuse(routine, routine, "computed", disputed_text(), fault.argument);
  }
  if (void* const address = error_exit(symbol, nullptr))
    return reinterpret_cast<Function*>(address)(arguments...);
  report_argument(routine_of(symbol), fault.argument);
}

}  // namespace reprosum::blas
