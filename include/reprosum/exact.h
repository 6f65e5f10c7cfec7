/* libreprosum, exact mode: sums and dot products rounded once, and the superaccumulator under them.
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
