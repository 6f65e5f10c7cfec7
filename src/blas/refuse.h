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
// xerbla_ returns, so does this, and the caller has no result to give.
void refuse(const std::string& routine, const std::string& call, const char* done,
            const std::string& why, int argument);

// An argument that BLAS itself forbids, as the reference reports it to xerbla_.
void report_fortran(const std::string& routine, int argument);

// The same of a CBLAS call. `argument` is CBLAS's number in the Fortran call that the reference
// makes, which for row-major matrices has m and n, and A and B, swapped. Its cblas_xerbla swaps
// back if its RowMajorStrg says so; where there is no such variable, this does. `form` (with one
// %d for `value`) is the reference's text. Without a cblas_xerbla, xerbla_ gets Fortran's number.
void report_cblas(const std::string& routine, int argument, bool row_major, const char* form,
                  int value);

}  // namespace reprosum::blas
