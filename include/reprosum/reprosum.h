/* clang-format off: a table below */
/* libreprosum: replay a captured accumulation order, bit for bit.
 *
 * A handle holds one spec: the orders that `reprosum capture` found in a BLAS. reprosum_ddot and
 * its kin give the bits which the captured library gave in the same context (increments, threads,
 * addresses), on any host. A call that the spec does not cover is refused, never approximated.
 *
 * Rules that hold for every function:
 *  - It returns a status. When the status is not REPROSUM_OK, nothing was written through any
 *    pointer, and reprosum_last_error says why in words.
 *  - Handles may be shared by any number of threads; only reprosum_close must be the last call.
 *  - The caller's floating-point environment (rounding mode, flush-to-zero, exception masks and
 *    flags) does not change a result and is left as it was.
 *  - Nothing is printed, nothing is read from stdin, nothing aborts, no exception comes out.
 *
 * Environment, read when a handle is opened:
 *
 *  variable            values                       when it is unset
 *  ------------------  ---------------------------  ----------------------------------------------
 *  REPROSUM_ISA        interpreter, avx2, avx512,   the best kernels of this host
 *                      neon, sve: kernels; opencl,  (reprosum_set_isa chooses for one handle)
 *                      cuda: a device
 *  REPROSUM_LONG_SUMS  in_order: a long sum of one  out of order where that is faster, with the
 *                      accumulator is added one     same bits
 *                      summand after the other
 *  REPROSUM_CACHE_DIR  a directory for generated    $XDG_CACHE_HOME/reprosum,
 *                      kernels; empty: none         else $HOME/.cache/reprosum
 */
/* clang-format on */
#ifndef REPROSUM_REPROSUM_H
#define REPROSUM_REPROSUM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define REPROSUM_API __attribute__((visibility("default")))
#else
#define REPROSUM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions and status ---- */

#define REPROSUM_VERSION_MAJOR 0
#define REPROSUM_VERSION_MINOR 1
#define REPROSUM_VERSION_PATCH 0

/* The version of the library that runs, e.g. "0.1.0". */
REPROSUM_API const char* reprosum_version(void);

/* Values are add-only. */
typedef enum reprosum_status {
  REPROSUM_OK = 0,
  REPROSUM_BAD_ARGUMENT = 1, /* null where data is read, an unknown routine, type or ISA, ... */
  REPROSUM_NOT_COVERED = 2,  /* the spec does not say what the captured library does here */
  REPROSUM_BAD_SPEC = 3,     /* malformed or inconsistent spec; the message says where */
  REPROSUM_ENVIRONMENT = 4,  /* no such file, no memory, an ISA that this host lacks */
  REPROSUM_INTERNAL = 5,     /* a bug of the library */
  REPROSUM_CANCELLED = 6     /* the caller's own callback ended the call */
} reprosum_status;

/* "ok", "bad_argument", ...; "unknown_status" for a value that is none. Never NULL. */
REPROSUM_API const char* reprosum_status_string(reprosum_status status);

/* ---- handles ---- */

typedef struct reprosum_handle reprosum_handle;

/* Opens a spec. *handle is written only on success and must then be closed. */
REPROSUM_API reprosum_status reprosum_open_file(const char* path, reprosum_handle** handle);
REPROSUM_API reprosum_status reprosum_open_memory(const void* text, size_t size,
                                                  reprosum_handle** handle);

/* Frees the handle; NULL does nothing. No other call on it may be running or come later. */
REPROSUM_API void reprosum_close(reprosum_handle* handle);

/* Why the latest failing call of this thread on this handle failed; "" if none did. A NULL handle
 * asks for calls that had none (reprosum_open_*, a NULL handle). The text belongs to the library
 * and stays until this thread's next failing call on the handle, or its close. */
REPROSUM_API const char* reprosum_last_error(const reprosum_handle* handle);

/* ---- what a spec covers ---- */

/* Values are add-only. */
typedef enum reprosum_routine {
  REPROSUM_SUM = 0,
  REPROSUM_DOT = 1,
  REPROSUM_GEMV = 2,
  REPROSUM_GEMM = 3
} reprosum_routine;
typedef enum reprosum_type { REPROSUM_F32 = 0, REPROSUM_F64 = 1 } reprosum_type;

/* A reduction and everything that selects its order. align_x and align_y are the addresses x and y
 * as they are passed to a call, modulo 64. threads is a thread count of the captured library; 0 is
 * the one that the handle replays. incy and align_y are ignored by sum. */
typedef struct reprosum_reduction {
  reprosum_routine routine;
  reprosum_type type;
  int64_t n;
  int64_t incx, incy;
  int threads;
  int align_x, align_y;
} reprosum_reduction;

/* Number of entries of the spec: contexts that share an order, or, for gemv and gemm, a rule of
 * regions and orders. */
REPROSUM_API reprosum_status reprosum_entry_count(const reprosum_handle* handle, size_t* count);

/* *covered = 1 if a call with these arguments would be replayed, else 0, and then
 * reprosum_last_error names the first thing that is not covered. n <= 0 is covered where the spec
 * says what the captured library gives there, whatever the increments and addresses are. */
REPROSUM_API reprosum_status reprosum_covers(const reprosum_handle* handle,
                                             const reprosum_reduction* reduction, int* covered);

/* *n = the largest n covered in this context (reduction->n is ignored); 0 if there is none. */
REPROSUM_API reprosum_status reprosum_largest_n(const reprosum_handle* handle,
                                                const reprosum_reduction* reduction, int64_t* n);

/* Writes the SHA-256 of the spec's meaning, 64 lower-case hexadecimal digits and a null. */
REPROSUM_API reprosum_status reprosum_spec_hash(const reprosum_handle* handle, char hash[65]);

/* ---- which thread count, which kernels ---- */

/* Replays what the captured library does with this many threads. The replay itself needs no
 * threads. At first it is 1 if that was captured, else the smallest captured count.
 * REPROSUM_NOT_COVERED: no entry was captured with that count. */
REPROSUM_API reprosum_status reprosum_set_threads(reprosum_handle* handle, int threads);
REPROSUM_API reprosum_status reprosum_get_threads(const reprosum_handle* handle, int* threads);

/* Forces "interpreter", "avx2" or "avx512"; NULL or "" is the best that the host has. The bits are
 * the same with each. An order that the generator cannot express runs in the interpreter all the
 * same: reprosum_kernel_name tells.
 *
 * "opencl" and "cuda" send the calls below to the first device of that kind: their operands are
 * copied there and the result back. REPROSUM_ENVIRONMENT: there is none, or it fails the self-test
 * of reprosum/gpu.h. What the device does not do is done by the best kernels of the host, with the
 * same bits: orders that devices have no kernels for, doubles where it has none, operands that it
 * has no memory for, a driver that fails, calls of a child of fork, and those that come while the
 * process ends. reprosum_device_calls counts them. Calls without summands need no kernel and are
 * not sent. */
REPROSUM_API reprosum_status reprosum_set_isa(reprosum_handle* handle, const char* isa);

/* Writes the name of the kernel that would run, cut to `size` - 1 characters, and a null; generates
 * it if need be. *isa, unless isa is NULL, is "interpreter", "avx2", "avx512", "opencl" ... */
REPROSUM_API reprosum_status reprosum_kernel_name(const reprosum_handle* handle,
                                                  const reprosum_reduction* reduction, char* name,
                                                  size_t size, const char** isa);

/* *there = the calls that the chosen device has done, *here = those that were sent to it and that
 * this host did in its place. Both are 0 where no device is chosen. */
REPROSUM_API reprosum_status reprosum_device_calls(const reprosum_handle* handle, int64_t* there,
                                                   int64_t* here);

/* Why the device did not do the latest call of this thread on this handle; "" if it did, if the
 * call was not sent to it, or if none is chosen. The text stays until this thread's next call. */
REPROSUM_API const char* reprosum_device_refusal(const reprosum_handle* handle);

/* ---- calls ----
 *
 * Pointers and increments are BLAS's: summand k is x[k * incx] for incx >= 0, and
 * x[(k - n + 1) * incx] for incx < 0, so that x is always the lowest address. n <= 0 gives what
 * the captured library gives, one of the zeros, and reads nothing; a spec that does not say which
 * refuses the call.
 */

/* *out = x[0] + x[1] + ... in the captured order. */
REPROSUM_API reprosum_status reprosum_ssum(const reprosum_handle* handle, int64_t n, const float* x,
                                           int64_t incx, float* out);
REPROSUM_API reprosum_status reprosum_dsum(const reprosum_handle* handle, int64_t n,
                                           const double* x, int64_t incx, double* out);

/* *out = x[0] * y[0] + x[1] * y[1] + ... in the captured order. */
REPROSUM_API reprosum_status reprosum_sdot(const reprosum_handle* handle, int64_t n, const float* x,
                                           int64_t incx, const float* y, int64_t incy, float* out);
REPROSUM_API reprosum_status reprosum_ddot(const reprosum_handle* handle, int64_t n,
                                           const double* x, int64_t incx, const double* y,
                                           int64_t incy, double* out);

/* `rows` independent reductions: out[i] has the bits of the single call with x + i * ldx and
 * y + i * ldy. A leading dimension may be 0 (every row shares the vector) or negative. Either every
 * row is covered and all of out is written, or none is. out must not overlap x or y. Much faster
 * than single calls where the order has few lanes. */
REPROSUM_API reprosum_status reprosum_ssum_batch(const reprosum_handle* handle, int64_t n,
                                                 int64_t rows, const float* x, int64_t incx,
                                                 int64_t ldx, float* out);
REPROSUM_API reprosum_status reprosum_dsum_batch(const reprosum_handle* handle, int64_t n,
                                                 int64_t rows, const double* x, int64_t incx,
                                                 int64_t ldx, double* out);
REPROSUM_API reprosum_status reprosum_sdot_batch(const reprosum_handle* handle, int64_t n,
                                                 int64_t rows, const float* x, int64_t incx,
                                                 int64_t ldx, const float* y, int64_t incy,
                                                 int64_t ldy, float* out);
REPROSUM_API reprosum_status reprosum_ddot_batch(const reprosum_handle* handle, int64_t n,
                                                 int64_t rows, const double* x, int64_t incx,
                                                 int64_t ldx, const double* y, int64_t incy,
                                                 int64_t ldy, double* out);

/* ---- gemv and gemm ----
 *
 * Arguments are CBLAS's, and so are the values of the enumerations. The bits are those that the
 * captured library gave for the same call: which output follows which order depends on transposes,
 * sizes, threads and increments, and all that is the spec's. So is what becomes of C without
 * summands (k == 0; of a gemv n == 0, or m == 0 with a transposed A): libraries leave it, scale it,
 * or add alpha * 0 to it. A spec that does not say refuses the call. Where alpha is 0, A and B are
 * read as far as the captured library reads them; they may be NULL where it does not, and without
 * summands. A call without outputs does nothing. C must not overlap A or B.
 */

typedef enum reprosum_layout {
  REPROSUM_ROW_MAJOR = 101,
  REPROSUM_COLUMN_MAJOR = 102
} reprosum_layout;
typedef enum reprosum_transpose {
  REPROSUM_NO_TRANS = 111,
  REPROSUM_TRANS = 112,
  REPROSUM_CONJ_TRANS = 113 /* of real data: the same as REPROSUM_TRANS */
} reprosum_transpose;

/* What products write is as it was unless the status is REPROSUM_OK, or REPROSUM_ENVIRONMENT for
 * memory or a thread that was not to be had midway: then outputs may be partly done, and the call
 * must not be repeated on them.
 * Sizes and leading dimensions above 2^31 are not covered. */

/* y := alpha * op(A) * x + beta * y; A is m x n. */
REPROSUM_API reprosum_status reprosum_sgemv(const reprosum_handle* handle, reprosum_layout layout,
                                            reprosum_transpose trans, int64_t m, int64_t n,
                                            float alpha, const float* a, int64_t lda,
                                            const float* x, int64_t incx, float beta, float* y,
                                            int64_t incy);
REPROSUM_API reprosum_status reprosum_dgemv(const reprosum_handle* handle, reprosum_layout layout,
                                            reprosum_transpose trans, int64_t m, int64_t n,
                                            double alpha, const double* a, int64_t lda,
                                            const double* x, int64_t incx, double beta, double* y,
                                            int64_t incy);

/* C := alpha * op(A) * op(B) + beta * C; op(A) is m x k, op(B) k x n, C m x n. */
REPROSUM_API reprosum_status reprosum_sgemm(const reprosum_handle* handle, reprosum_layout layout,
                                            reprosum_transpose transa, reprosum_transpose transb,
                                            int64_t m, int64_t n, int64_t k, float alpha,
                                            const float* a, int64_t lda, const float* b,
                                            int64_t ldb, float beta, float* c, int64_t ldc);
REPROSUM_API reprosum_status reprosum_dgemm(const reprosum_handle* handle, reprosum_layout layout,
                                            reprosum_transpose transa, reprosum_transpose transb,
                                            int64_t m, int64_t n, int64_t k, double alpha,
                                            const double* a, int64_t lda, const double* b,
                                            int64_t ldb, double beta, double* c, int64_t ldc);

/* Own threads of gemv and gemm on this handle; at first 1. They never change a bit.
 * REPROSUM_BAD_ARGUMENT: below 1 or above 1024. */
REPROSUM_API reprosum_status reprosum_set_workers(reprosum_handle* handle, int workers);

/* Writes which kernels would compute the outputs of this call, column-major and for any alpha,
 * separated by "; ", cut to `size` - 1 characters, and a null: "<kernel>: <outputs>" for each order
 * that the regions of the result have, and "beta = 0: <kernel>: <outputs>" where another one
 * computes them without C. routine is REPROSUM_GEMV or REPROSUM_GEMM; for a gemv m counts outputs
 * and n is 1. */
typedef struct reprosum_product {
  reprosum_routine routine;
  reprosum_type type;
  reprosum_transpose transa, transb;
  int64_t m, n, k;
  int64_t incx, incy; /* gemv */
  int threads;        /* of the captured library; 0: the one that the handle replays */
} reprosum_product;
REPROSUM_API reprosum_status reprosum_product_kernels(const reprosum_handle* handle,
                                                      const reprosum_product* product, char* names,
                                                      size_t size);

#ifdef __cplusplus
}
#endif

#endif /* REPROSUM_REPROSUM_H */
