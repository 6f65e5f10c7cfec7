// What calls with a matrix share: layouts, transposes, and the arguments that BLAS forbids.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include "reprosum/reprosum.h"
#include "src/blas/dispatch.h"
#include "src/blas/fault.h"

namespace reprosum::blas {

// CBLAS's values, which are the C API's too.
inline constexpr int kRowMajor = 101, kColumnMajor = 102;
inline constexpr int kPlain = 111, kTransposed = 112, kConjugated = 113;
inline constexpr int kConjugatedPlain = 114;  // 'R', which OpenBLAS has and the standard has not

// Asked of the bits, in the caller's floating-point environment: a comparison would raise flags, or
// a trap, for a subnormal number or a signalling NaN, and may take subnormal numbers for zero.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
bool is_zero(T value) {
  return static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(value) << 1) == 0;
}
template <class T>
bool is_one(T value) {
  return std::bit_cast<BitsOf<T>>(value) == std::bit_cast<BitsOf<T>>(T(1));
}

inline constexpr int kUpper = 121, kLower = 122, kNonUnit = 131, kUnit = 132;
inline constexpr int kLeft = 141, kRight = 142;

bool is_layout(int layout);
bool is_known(int transpose, Rules rules);
inline constexpr Fault kNoLayout{true, 0, false};

// CBLAS's value of a Fortran letter, of either case; 0 if it is none.
int transpose_of(char letter);

int uplo_of(char letter);
int diag_of(char letter);
int side_of(char letter);

// The same transpose of the transposed matrix, as a row-major call is made in Fortran; 0 stays.
int swapped(int transpose);

// What the reference forbids, in its order; the transposes are CBLAS's values.
Fault fault_in_gemv(int layout, int trans, std::int64_t m, std::int64_t n, std::int64_t lda,
                    std::int64_t incx, std::int64_t incy);
Fault fault_in_gemm(int layout, int transa, int transb, std::int64_t m, std::int64_t n,
                    std::int64_t k, std::int64_t lda, std::int64_t ldb, std::int64_t ldc);

// "dgemm_1ab..._avx512: 12 outputs; beta = 0: dgemm_9cd..._avx512: 12 outputs threads=1"
std::string product_kernels(const reprosum_handle* handle, const reprosum_product& product);

}  // namespace reprosum::blas
