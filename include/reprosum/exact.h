/* libreprosum, exact mode: BLAS routines rounded once, and the superaccumulator under them.
 *
 * A result is the exact value of all terms, rounded once. So it depends on the terms alone: not on
 * their order, on threads, processes, addresses or the machine.
 *
 * Rules of reprosum/reprosum.h hold here too: a status is returned and nothing is written unless it
 * is REPROSUM_OK; reprosum_last_error(NULL) says why the latest failing call of this thread failed;
 * the caller's floating-point environment changes no result and is left as it was, flags included.
 *
 * Special values, for sums, dot products and accumulators alike. A product is a term with the value
 * and the sign of its exact product: it neither overflows nor underflows.
 *  - A NaN among the terms, infinity times zero, or infinities of both signs give the quiet NaN
 *    0x7fc00000 or 0x7ff8000000000000. Payloads are not kept.
 *  - Otherwise an infinity among the terms gives that infinity.
 *  - A sum that is exactly zero is -0 if there are terms and all are -0, or, rounded downward, if
 *    there are terms and not all are +0; else it is +0. A sum of no terms is +0.
 *  - A sum beyond the finite numbers rounds to an infinity or, where the mode points back to zero,
 *    to the largest finite number. Intermediate sums cannot overflow.
 *  - Subnormal results are exact or rounded once, as any other. A sum that is not zero keeps its
 *    sign where it rounds to zero.
 */
#ifndef REPROSUM_EXACT_H
#define REPROSUM_EXACT_H

#include <reprosum/reprosum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CBLAS's values, as those of reprosum_layout and reprosum_transpose are. */
typedef enum reprosum_uplo { REPROSUM_UPPER = 121, REPROSUM_LOWER = 122 } reprosum_uplo;
typedef enum reprosum_side { REPROSUM_LEFT = 141, REPROSUM_RIGHT = 142 } reprosum_side;
typedef enum reprosum_diag { REPROSUM_NON_UNIT = 131, REPROSUM_UNIT = 132 } reprosum_diag;

/* ---- sums and dot products ----
 *
 * Rounded once, to nearest even. Pointers and increments are those of reprosum_dsum: any sign, zero
 * too. REPROSUM_BAD_ARGUMENT: out is NULL, n is negative, or, with n > 0, a pointer is NULL or not
 * aligned to its element size, or an increment reaches beyond the address space. n == 0 gives +0.
 */

/* *out = x_0 + x_1 + ... */
REPROSUM_API reprosum_status reprosum_exact_ssum(int64_t n, const float* x, int64_t incx,
                                                 float* out);
REPROSUM_API reprosum_status reprosum_exact_dsum(int64_t n, const double* x, int64_t incx,
                                                 double* out);

/* *out = x_0 * y_0 + x_1 * y_1 + ... */
REPROSUM_API reprosum_status reprosum_exact_sdot(int64_t n, const float* x, int64_t incx,
                                                 const float* y, int64_t incy, float* out);
REPROSUM_API reprosum_status reprosum_exact_ddot(int64_t n, const double* x, int64_t incx,
                                                 const double* y, int64_t incy, double* out);

/* The dot product of floats as a double, and b plus the dot product as a float. */
REPROSUM_API reprosum_status reprosum_exact_dsdot(int64_t n, const float* x, int64_t incx,
                                                  const float* y, int64_t incy, double* out);
REPROSUM_API reprosum_status reprosum_exact_sdsdot(int64_t n, float b, const float* x, int64_t incx,
                                                   const float* y, int64_t incy, float* out);

/* *out = |x_0| + |x_1| + ... */
REPROSUM_API reprosum_status reprosum_exact_sasum(int64_t n, const float* x, int64_t incx,
                                                  float* out);
REPROSUM_API reprosum_status reprosum_exact_dasum(int64_t n, const double* x, int64_t incx,
                                                  double* out);

/* *out = the square root of x_0^2 + x_1^2 + ..., rounded once: neither squares nor sums overflow or
 * underflow. */
REPROSUM_API reprosum_status reprosum_exact_snrm2(int64_t n, const float* x, int64_t incx,
                                                  float* out);
REPROSUM_API reprosum_status reprosum_exact_dnrm2(int64_t n, const double* x, int64_t incx,
                                                  double* out);

/* ---- vectors ----
 *
 * Every component is rounded once, to nearest even. REPROSUM_BAD_ARGUMENT: as above, or an
 * increment of what is written is 0. n == 0 does nothing.
 */

/* y := alpha * x + y, an exact product and one rounding of the sum. alpha == 0 reads no x and
 * leaves y as it is: then both may be NULL. */
REPROSUM_API reprosum_status reprosum_exact_saxpy(int64_t n, float alpha, const float* x,
                                                  int64_t incx, float* y, int64_t incy);
REPROSUM_API reprosum_status reprosum_exact_daxpy(int64_t n, double alpha, const double* x,
                                                  int64_t incx, double* y, int64_t incy);

/* x := alpha * x; alpha == 0 gives zeros of the products' signs, and NaN for NaN and infinities. */
REPROSUM_API reprosum_status reprosum_exact_sscal(int64_t n, float alpha, float* x, int64_t incx);
REPROSUM_API reprosum_status reprosum_exact_dscal(int64_t n, double alpha, double* x, int64_t incx);

/* x := x / alpha, by division: x times the rounded 1 / alpha would be rounded twice. */
REPROSUM_API reprosum_status reprosum_exact_sinvscal(int64_t n, float alpha, float* x,
                                                     int64_t incx);
REPROSUM_API reprosum_status reprosum_exact_dinvscal(int64_t n, double alpha, double* x,
                                                     int64_t incx);

/* ---- matrices ----
 *
 * Arguments are CBLAS's, and so are the values of the enumerations. An entry of the result is the
 * exact value of its terms, rounded once to nearest even: of alpha * x_i * y_j and a_ij in ger; of
 * all alpha * a_il * b_lj and beta * c_ij in gemv and gemm. The rules for special values are those
 * of sums, with a product of three for a term. m == 0 or n == 0 does nothing.
 *
 * As in BLAS, beta == 0 reads no C and makes it no term; alpha == 0, or a gemm with k == 0, reads
 * neither A nor B: C := beta * C, and C as it was if beta == 1. C must not overlap A or B.
 *
 * REPROSUM_BAD_ARGUMENT: a size is negative or above 2^31, a leading dimension is below what the
 * stored matrix needs (at least 1), an increment is 0, an enumeration has another value, or, where
 * there is anything to do, a pointer is NULL or not aligned to its elements. With alpha == 0 only
 * y of gemv and C of gemm are looked at.
 */

/* A := alpha * x * y' + A; A is m x n. */
REPROSUM_API reprosum_status reprosum_exact_sger(reprosum_layout layout, int64_t m, int64_t n,
                                                 float alpha, const float* x, int64_t incx,
                                                 const float* y, int64_t incy, float* a,
                                                 int64_t lda);
REPROSUM_API reprosum_status reprosum_exact_dger(reprosum_layout layout, int64_t m, int64_t n,
                                                 double alpha, const double* x, int64_t incx,
                                                 const double* y, int64_t incy, double* a,
                                                 int64_t lda);

/* y := alpha * op(A) * x + beta * y; A is m x n. */
REPROSUM_API reprosum_status reprosum_exact_sgemv(reprosum_layout layout, reprosum_transpose trans,
                                                  int64_t m, int64_t n, float alpha, const float* a,
                                                  int64_t lda, const float* x, int64_t incx,
                                                  float beta, float* y, int64_t incy);
REPROSUM_API reprosum_status reprosum_exact_dgemv(reprosum_layout layout, reprosum_transpose trans,
                                                  int64_t m, int64_t n, double alpha,
                                                  const double* a, int64_t lda, const double* x,
                                                  int64_t incx, double beta, double* y,
                                                  int64_t incy);

/* C := alpha * op(A) * op(B) + beta * C; op(A) is m x k, op(B) k x n, C m x n. */
REPROSUM_API reprosum_status reprosum_exact_sgemm(reprosum_layout layout, reprosum_transpose transa,
                                                  reprosum_transpose transb, int64_t m, int64_t n,
                                                  int64_t k, float alpha, const float* a,
                                                  int64_t lda, const float* b, int64_t ldb,
                                                  float beta, float* c, int64_t ldc);
REPROSUM_API reprosum_status reprosum_exact_dgemm(reprosum_layout layout, reprosum_transpose transa,
                                                  reprosum_transpose transb, int64_t m, int64_t n,
                                                  int64_t k, double alpha, const double* a,
                                                  int64_t lda, const double* b, int64_t ldb,
                                                  double beta, double* c, int64_t ldc);

/* ---- symmetric and triangular matrices ----
 *
 * Entries are those of gemv and gemm: the exact value of all terms, rounded once. Only the
 * triangle that uplo names is read and written (of A, and of the C of syrk, syr2k and gemmt), and
 * the diagonal of a unit triangular matrix is not read. An entry of trmv and trmm has a term for each element
 * of the triangle and none for the zeros beside it. */

/* C := alpha * op(A) * op(A)' + beta * C; op(A) is n x k. */
REPROSUM_API reprosum_status reprosum_exact_ssyrk(reprosum_layout layout, reprosum_uplo uplo,
                                                  reprosum_transpose trans, int64_t n, int64_t k,
                                                  float alpha, const float* a, int64_t lda,
                                                  float beta, float* c, int64_t ldc);
REPROSUM_API reprosum_status reprosum_exact_dsyrk(reprosum_layout layout, reprosum_uplo uplo,
                                                  reprosum_transpose trans, int64_t n, int64_t k,
                                                  double alpha, const double* a, int64_t lda,
                                                  double beta, double* c, int64_t ldc);
/* C := alpha * (op(A) * op(B)' + op(B) * op(A)') + beta * C; op(A) and op(B) are n x k.
 * REPROSUM_ENVIRONMENT: no memory for copies of both; so do symm, symv, trmm and trmv say. */
REPROSUM_API reprosum_status reprosum_exact_ssyr2k(reprosum_layout layout, reprosum_uplo uplo,
                                                   reprosum_transpose trans, int64_t n, int64_t k,
                                                   float alpha, const float* a, int64_t lda,
                                                   const float* b, int64_t ldb, float beta,
                                                   float* c, int64_t ldc);
REPROSUM_API reprosum_status reprosum_exact_dsyr2k(reprosum_layout layout, reprosum_uplo uplo,
                                                   reprosum_transpose trans, int64_t n, int64_t k,
                                                   double alpha, const double* a, int64_t lda,
                                                   const double* b, int64_t ldb, double beta,
                                                   double* c, int64_t ldc);
/* C := alpha * op(A) * op(B) + beta * C; op(A) is n x k, op(B) k x n. */
REPROSUM_API reprosum_status reprosum_exact_sgemmt(reprosum_layout layout, reprosum_uplo uplo,
                                                   reprosum_transpose transa,
                                                   reprosum_transpose transb, int64_t n, int64_t k,
                                                   float alpha, const float* a, int64_t lda,
                                                   const float* b, int64_t ldb, float beta,
                                                   float* c, int64_t ldc);
REPROSUM_API reprosum_status reprosum_exact_dgemmt(reprosum_layout layout, reprosum_uplo uplo,
                                                   reprosum_transpose transa,
                                                   reprosum_transpose transb, int64_t n, int64_t k,
                                                   double alpha, const double* a, int64_t lda,
                                                   const double* b, int64_t ldb, double beta,
                                                   double* c, int64_t ldc);
/* C := alpha * A * B + beta * C with A on the left, or alpha * B * A + beta * C; C is m x n. */
REPROSUM_API reprosum_status reprosum_exact_ssymm(reprosum_layout layout, reprosum_side side,
                                                  reprosum_uplo uplo, int64_t m, int64_t n,
                                                  float alpha, const float* a, int64_t lda,
                                                  const float* b, int64_t ldb, float beta, float* c,
                                                  int64_t ldc);
REPROSUM_API reprosum_status reprosum_exact_dsymm(reprosum_layout layout, reprosum_side side,
                                                  reprosum_uplo uplo, int64_t m, int64_t n,
                                                  double alpha, const double* a, int64_t lda,
                                                  const double* b, int64_t ldb, double beta,
                                                  double* c, int64_t ldc);
/* y := alpha * A * x + beta * y; A is n x n. */
REPROSUM_API reprosum_status reprosum_exact_ssymv(reprosum_layout layout, reprosum_uplo uplo,
                                                  int64_t n, float alpha, const float* a,
                                                  int64_t lda, const float* x, int64_t incx,
                                                  float beta, float* y, int64_t incy);
REPROSUM_API reprosum_status reprosum_exact_dsymv(reprosum_layout layout, reprosum_uplo uplo,
                                                  int64_t n, double alpha, const double* a,
                                                  int64_t lda, const double* x, int64_t incx,
                                                  double beta, double* y, int64_t incy);
/* B := alpha * op(A) * B with A on the left, or alpha * B * op(A); B is m x n. alpha == 0: B := 0,
 * and neither is read. */
REPROSUM_API reprosum_status reprosum_exact_strmm(reprosum_layout layout, reprosum_side side,
                                                  reprosum_uplo uplo, reprosum_transpose transa,
                                                  reprosum_diag diag, int64_t m, int64_t n,
                                                  float alpha, const float* a, int64_t lda,
                                                  float* b, int64_t ldb);
REPROSUM_API reprosum_status reprosum_exact_dtrmm(reprosum_layout layout, reprosum_side side,
                                                  reprosum_uplo uplo, reprosum_transpose transa,
                                                  reprosum_diag diag, int64_t m, int64_t n,
                                                  double alpha, const double* a, int64_t lda,
                                                  double* b, int64_t ldb);
/* x := op(A) * x. */
REPROSUM_API reprosum_status reprosum_exact_strmv(reprosum_layout layout, reprosum_uplo uplo,
                                                  reprosum_transpose trans, reprosum_diag diag,
                                                  int64_t n, const float* a, int64_t lda, float* x,
                                                  int64_t incx);
REPROSUM_API reprosum_status reprosum_exact_dtrmv(reprosum_layout layout, reprosum_uplo uplo,
                                                  reprosum_transpose trans, reprosum_diag diag,
                                                  int64_t n, const double* a, int64_t lda,
                                                  double* x, int64_t incx);

/* ---- solvers ----
 *
 * Substitution and elimination, every result of a step rounded once, to nearest even, from the
 * exact value of that step. So the bits depend on the arguments alone. They are not the rounded
 * solution of the system, since later steps use the rounded results of earlier ones; only the
 * certified solve gives that. A division by zero
 * gives infinities or NaN as in IEEE arithmetic.
 */

/* x := the solution of op(A) * x = b, b given in x; A is n x n and triangular, its other triangle
 * is not read, nor its diagonal if diag is REPROSUM_UNIT. x_i is the exact (b_i - sum of a_ij *
 * x_j) / a_ii with the x_j found so far, rounded once; ExBLAS rounds twice here. A product also
 * counts where x_j is 0: beside a NaN or an infinity in A it is NaN. (The reference passes over such
 * a column if A is not transposed; OpenBLAS and BLIS do not.) */
REPROSUM_API reprosum_status reprosum_exact_strsv(reprosum_layout layout, reprosum_uplo uplo,
                                                  reprosum_transpose trans, reprosum_diag diag,
                                                  int64_t n, const float* a, int64_t lda, float* x,
                                                  int64_t incx);
REPROSUM_API reprosum_status reprosum_exact_dtrsv(reprosum_layout layout, reprosum_uplo uplo,
                                                  reprosum_transpose trans, reprosum_diag diag,
                                                  int64_t n, const double* a, int64_t lda,
                                                  double* x, int64_t incx);

/* The same system, but each x_i is the true solution's x_i, rounded once to nearest even, ties
 * included, whatever the condition number; a component that is zero is +0. Works with numbers of as
 * many bits as that takes: time grows with the condition number, and for a tie with n.
 * REPROSUM_BAD_ARGUMENT: also a zero on the diagonal, or a NaN or an infinity where it is read:
 * then there is no such solution. REPROSUM_ENVIRONMENT: no memory. */
REPROSUM_API reprosum_status reprosum_exact_strsv_certified(
    reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans, reprosum_diag diag,
    int64_t n, const float* a, int64_t lda, float* x, int64_t incx);
REPROSUM_API reprosum_status reprosum_exact_dtrsv_certified(
    reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans, reprosum_diag diag,
    int64_t n, const double* a, int64_t lda, double* x, int64_t incx);

/* B := X of op(A) * X = alpha * B with A on the left, or of X * op(A) = alpha * B; B is m x n. Each
 * column, or row, as by trsv: a component is the exact (alpha * b_i - sum of a_ij * x_j) / a_ii,
 * rounded once. alpha == 0: B := 0, and neither is read. */
REPROSUM_API reprosum_status reprosum_exact_strsm(reprosum_layout layout, reprosum_side side,
                                                  reprosum_uplo uplo, reprosum_transpose transa,
                                                  reprosum_diag diag, int64_t m, int64_t n,
                                                  float alpha, const float* a, int64_t lda,
                                                  float* b, int64_t ldb);
REPROSUM_API reprosum_status reprosum_exact_dtrsm(reprosum_layout layout, reprosum_side side,
                                                  reprosum_uplo uplo, reprosum_transpose transa,
                                                  reprosum_diag diag, int64_t m, int64_t n,
                                                  double alpha, const double* a, int64_t lda,
                                                  double* b, int64_t ldb);

/* The first solution, then `steps` times: r := b - op(A) * x rounded once, d := the first solution
 * for r, x := x + d (Iakymchuk et al., reproducible LU factorization, Algorithm 6). For comparison:
 * it is reproducible, and better than the first while the condition number is far below
 * 1 / epsilon, but not the rounded true solution. REPROSUM_BAD_ARGUMENT: also steps < 0.
 * REPROSUM_ENVIRONMENT: no memory. */
REPROSUM_API reprosum_status reprosum_exact_strsv_refined(
    reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans, reprosum_diag diag,
    int64_t n, const float* a, int64_t lda, float* x, int64_t incx, int64_t steps);
REPROSUM_API reprosum_status reprosum_exact_dtrsv_refined(
    reprosum_layout layout, reprosum_uplo uplo, reprosum_transpose trans, reprosum_diag diag,
    int64_t n, const double* a, int64_t lda, double* x, int64_t incx, int64_t steps);

/* P * A = L * U with partial pivoting, as LAPACK's getrf: A is m x n and becomes L (unit diagonal,
 * not stored) and U; ipiv has min(m, n) rows, counted from 1, that row j + 1 changed places with.
 * Each u_ij, and each l_ij with its division, is rounded once. A pivot is the largest rounded sum
 * of its column, the first of equals. *info = 0, or the number of the first u_jj that is zero,
 * from 1. ipiv must not overlap A. REPROSUM_ENVIRONMENT: no memory.
 */
REPROSUM_API reprosum_status reprosum_exact_sgetrf(reprosum_layout layout, int64_t m, int64_t n,
                                                   float* a, int64_t lda, int64_t* ipiv,
                                                   int64_t* info);
REPROSUM_API reprosum_status reprosum_exact_dgetrf(reprosum_layout layout, int64_t m, int64_t n,
                                                   double* a, int64_t lda, int64_t* ipiv,
                                                   int64_t* info);

/* B := the solution of op(A) * X = B with A and ipiv of getrf, n x n; B is n x nrhs. Two
 * substitutions as in trsv for each column. B must not overlap A or ipiv. REPROSUM_BAD_ARGUMENT:
 * also an ipiv that is no row. REPROSUM_ENVIRONMENT: no memory. */
REPROSUM_API reprosum_status reprosum_exact_sgetrs(reprosum_layout layout, reprosum_transpose trans,
                                                   int64_t n, int64_t nrhs, const float* a,
                                                   int64_t lda, const int64_t* ipiv, float* b,
                                                   int64_t ldb);
REPROSUM_API reprosum_status reprosum_exact_dgetrs(reprosum_layout layout, reprosum_transpose trans,
                                                   int64_t n, int64_t nrhs, const double* a,
                                                   int64_t lda, const int64_t* ipiv, double* b,
                                                   int64_t ldb);

/* Own threads of sums, dot products, products of matrices, trsm, getrf and getrs, of the whole
 * process; at first 1. They never change a bit. REPROSUM_BAD_ARGUMENT: below 1 or above 1024. */
REPROSUM_API reprosum_status reprosum_exact_set_workers(int workers);

/* ---- superaccumulator ----
 *
 * Holds the exact sum of any finite values and products of two, up to 2^64 terms. Equal terms give
 * equal accumulators and equal saved bytes, in whatever order and grouping they came. One thread at
 * a time may use an accumulator.
 */

typedef struct reprosum_accumulator reprosum_accumulator;

/* Values are add-only. */
typedef enum reprosum_rounding {
  REPROSUM_NEAREST_EVEN = 0,
  REPROSUM_TOWARD_ZERO = 1,
  REPROSUM_UPWARD = 2,
  REPROSUM_DOWNWARD = 3
} reprosum_rounding;

/* An empty accumulator, to be destroyed. REPROSUM_F32 covers floats and products of two floats;
 * REPROSUM_F64 covers doubles, floats and products of two of the same type.
 * REPROSUM_BAD_ARGUMENT: an unknown type. REPROSUM_ENVIRONMENT: no memory. */
REPROSUM_API reprosum_status reprosum_accumulator_create(reprosum_type type,
                                                         reprosum_accumulator** accumulator);

/* NULL does nothing. */
REPROSUM_API void reprosum_accumulator_destroy(reprosum_accumulator* accumulator);

REPROSUM_API reprosum_status reprosum_accumulator_type(const reprosum_accumulator* accumulator,
                                                       reprosum_type* type);

/* Empties it. */
REPROSUM_API reprosum_status reprosum_accumulator_clear(reprosum_accumulator* accumulator);

/* Adds n values; BLAS's pointers and increments, as in reprosum_ssum. n == 0 adds nothing.
 * REPROSUM_BAD_ARGUMENT: doubles for an accumulator of REPROSUM_F32. */
REPROSUM_API reprosum_status reprosum_accumulator_sadd(reprosum_accumulator* accumulator, int64_t n,
                                                       const float* x, int64_t incx);
REPROSUM_API reprosum_status reprosum_accumulator_dadd(reprosum_accumulator* accumulator, int64_t n,
                                                       const double* x, int64_t incx);

/* Adds n exact products x_i * y_i. */
REPROSUM_API reprosum_status reprosum_accumulator_sadd_products(reprosum_accumulator* accumulator,
                                                                int64_t n, const float* x,
                                                                int64_t incx, const float* y,
                                                                int64_t incy);
REPROSUM_API reprosum_status reprosum_accumulator_dadd_products(reprosum_accumulator* accumulator,
                                                                int64_t n, const double* x,
                                                                int64_t incx, const double* y,
                                                                int64_t incy);

/* The accumulator of the negated terms: the sum and the signs of infinities and zeros turn. */
REPROSUM_API reprosum_status reprosum_accumulator_negate(reprosum_accumulator* accumulator);

/* Adds the terms of `other`, which is not changed and may be the same accumulator.
 * REPROSUM_BAD_ARGUMENT: another type, or a sum that 2^64 terms cannot reach. */
REPROSUM_API reprosum_status reprosum_accumulator_merge(reprosum_accumulator* accumulator,
                                                        const reprosum_accumulator* other);

/* *out = the sum, rounded once. Either type of result can be asked of either accumulator. */
REPROSUM_API reprosum_status reprosum_accumulator_sround(const reprosum_accumulator* accumulator,
                                                         reprosum_rounding mode, float* out);
REPROSUM_API reprosum_status reprosum_accumulator_dround(const reprosum_accumulator* accumulator,
                                                         reprosum_rounding mode, double* out);

/* Bytes of a saved accumulator: 88 for REPROSUM_F32, 544 for REPROSUM_F64. */
REPROSUM_API reprosum_status reprosum_accumulator_size(const reprosum_accumulator* accumulator,
                                                       size_t* size);

/* Writes the bytes, the same on every machine; src/exact/README.md has their layout.
 * REPROSUM_BAD_ARGUMENT: size is less than reprosum_accumulator_size says. */
REPROSUM_API reprosum_status reprosum_accumulator_save(const reprosum_accumulator* accumulator,
                                                       void* bytes, size_t size);

/* A new accumulator from saved bytes, of the type that they say. Bytes from anywhere are safe.
 * REPROSUM_BAD_ARGUMENT: bytes that no accumulator saves; the message says why. */
REPROSUM_API reprosum_status reprosum_accumulator_load(const void* bytes, size_t size,
                                                       reprosum_accumulator** accumulator);

#ifdef __cplusplus
}
#endif

#endif /* REPROSUM_EXACT_H */
