// A call that is not served. BLAS has no status to return; it has xerbla_.
#pragma once

#include <cstdint>
#include <string>

namespace reprosum::blas {

// "DDOT" of ddot_, cblas_ddot, ddot_64_ ...
std::string routine_of(const char* symbol);

// Writes one line to stderr, "libreprosum_blas: CALL cannot be DONE: WHY", and calls the process's
// xerbla_ with the routine's name and the number of the argument at fault (0: none is). If nobody
// has an xerbla_, the process exits with a failure, as the reference implementation stops. If
// xerbla_ returns, so does this, and the caller has no result to give. REPROSUM_ON_REFUSED=abort
// aborts the process in place of all that.
void refuse(const std::string& routine, const std::string& call, const char* done,
            const std::string& why, int argument);

// An argument that BLAS itself forbids, where no BLAS stands behind that would say so: xerbla_ gets
// its number in the Fortran call.
void report_argument(const std::string& routine, int argument);

}  // namespace reprosum::blas
