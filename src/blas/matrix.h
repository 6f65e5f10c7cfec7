// What gemv and gemm calls share: layouts, transposes, and the arguments that BLAS forbids.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include "reprosum/reprosum.h"
#include "src/blas/counts.h"
#include "src/blas/dispatch.h"

namespace reprosum::blas {

// CBLAS's values, which are the C API's too.
inline constexpr int kRowMajor = 101, kColumnMajor = 102;
inline constexpr int kPlain = 111, kTransposed = 112, kConjugated = 113;

// Also where the caller lets subnormal numbers compare equal to zero.
template <class T>
bool is_zero(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return static_cast<Bits>(std::bit_cast<Bits>(value) << 1) == 0;
}

// CBLAS's value of a Fortran letter, of either case; 0 if it is none.
int transpose_of(char letter);

// The same transpose of the transposed matrix, as a row-major call is made in Fortran; 0 stays.
int swapped(int transpose);

// A forbidden argument in Fortran's numbering, 0: there is none; the arguments are Fortran's, with
// the transposes as CBLAS's values. As the reference checks, in its order.
int forbidden_in_gemv(int trans, std::int64_t m, std::int64_t n, std::int64_t lda,
                      std::int64_t incx, std::int64_t incy);
int forbidden_in_gemm(int transa, int transb, std::int64_t m, std::int64_t n, std::int64_t k,
                      std::int64_t lda, std::int64_t ldb, std::int64_t ldc);

// Reports layout and transposes of a CBLAS call as the reference does; true if all are known.
// transb may be null.
bool known_cblas(Symbol symbol, int layout, int transa, const int* transb);

// Reports argument number `argument` of Fortran's numbering (a CBLAS call has the layout before
// it).
void report_forbidden(Symbol symbol, Face face, int layout, int argument);

// "dgemm_1ab..._avx512: 12 outputs threads=1"
std::string product_kernels(const reprosum_handle* handle, const reprosum_product& product);

}  // namespace reprosum::blas
