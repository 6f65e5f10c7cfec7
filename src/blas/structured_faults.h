// What BLAS forbids of the arguments of routines with symmetric and triangular matrices. Letters
// are CBLAS's values; the numbers are those of the reference, which makes a row-major call in
// Fortran with the transposed matrices.
#pragma once

#include <cstdint>

#include "src/blas/fault.h"

namespace reprosum::blas {

Fault fault_in_gemmt(int layout, int uplo, int transa, int transb, std::int64_t n, std::int64_t k,
                     std::int64_t lda, std::int64_t ldb, std::int64_t ldc);
// `second`: the number of syr2k's ldb, 0 in syrk.
Fault fault_in_syrk(int layout, int uplo, int trans, std::int64_t n, std::int64_t k,
                    std::int64_t lda, std::int64_t ldb, int second, std::int64_t ldc);
Fault fault_in_symm(int layout, int side, int uplo, std::int64_t m, std::int64_t n,
                    std::int64_t lda, std::int64_t ldb, std::int64_t ldc);
Fault fault_in_symv(int layout, int uplo, std::int64_t n, std::int64_t lda, std::int64_t incx,
                    std::int64_t incy);
// fault_in_trmm() also serves trsm, and fault_in_trmv() trsv.
Fault fault_in_trmm(int layout, int side, int uplo, int trans, int diag, std::int64_t m,
                    std::int64_t n, std::int64_t lda, std::int64_t ldb);
Fault fault_in_trmv(int layout, int uplo, int trans, int diag, std::int64_t n, std::int64_t lda,
                    std::int64_t incx);

}  // namespace reprosum::blas
