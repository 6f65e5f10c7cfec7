/* Replay on a GPU: the bits of a captured spec, computed by an OpenCL device or a CUDA GPU. C and
 * C++; no header of OpenCL or CUDA is needed, and no driver until a device is opened.
 *
 * The rules of reprosum.h hold here as well: a status is returned, nothing is written unless it is
 * REPROSUM_OK, a call that the spec does not cover is refused (REPROSUM_NOT_COVERED), and so is an
 * order that no device has kernels for. A failure of the device is REPROSUM_ENVIRONMENT.
 *
 * A device is trusted after a self-test: every operation of the kernels is compared with this
 * processor on hostile operands. One that flushes subnormal numbers, fuses what must not be fused,
 * or rounds otherwise is not opened, and the message says what it did.
 *
 * Programs that only know reprosum.h send their calls to a device by reprosum_set_isa().
 *
 * Drivers' threads do not survive fork: a child of fork is told so (REPROSUM_ENVIRONMENT), also
 * where it opens a device anew that its parent looked for. A process with more rights than its
 * starter opens no device.
 */
#ifndef REPROSUM_GPU_H
#define REPROSUM_GPU_H

#include <reprosum/reprosum.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are add-only. */
typedef enum reprosum_gpu_backend { REPROSUM_OPENCL = 0, REPROSUM_CUDA = 1 } reprosum_gpu_backend;

/* The orders of one handle on one device. */
typedef struct reprosum_gpu reprosum_gpu;

/* *count = the devices of this host. Where it is 0, reprosum_gpu_last_error(NULL) says what is
 * missing. OpenCL: GPUs first, then accelerators, then processors; CUDA: as the driver counts. */
REPROSUM_API reprosum_status reprosum_gpu_device_count(reprosum_gpu_backend backend, int* count);

/* Opens a device for the spec of the handle, which must not be closed before *gpu is. Compiled
 * kernels are kept where those of the handle are. CUDA: the device's primary context, which is that
 * of the CUDA runtime. */
REPROSUM_API reprosum_status reprosum_gpu_open(const reprosum_handle* handle,
                                               reprosum_gpu_backend backend, int device,
                                               reprosum_gpu** gpu);

/* The same in a cl_context and for a cl_device_id of it, so that its cl_mem can be operands. */
REPROSUM_API reprosum_status reprosum_gpu_open_opencl(const reprosum_handle* handle, void* context,
                                                      void* device, reprosum_gpu** gpu);

/* Frees it; NULL does nothing. What was enqueued must be done. */
REPROSUM_API void reprosum_gpu_close(reprosum_gpu* gpu);

/* As reprosum_last_error. NULL asks for calls that had no reprosum_gpu. */
REPROSUM_API const char* reprosum_gpu_last_error(const reprosum_gpu* gpu);

/* Writes the name of the device, cut to `size` - 1 characters, and a null. */
REPROSUM_API reprosum_status reprosum_gpu_device_name(const reprosum_gpu* gpu, char* name,
                                                      size_t size);

/* ---- sums and dot products ----
 *
 * `rows` independent reductions of n summands. Increments and leading dimensions are those of
 * reprosum_ddot_batch: row i begins `leading` elements behind row i - 1, 0 shares the vector, and
 * for a negative increment a vector begins at its lowest address. The thread count is the handle's.
 */

/* Vectors in the device's memory: a CUDA device pointer, or a cl_mem. The first one begins `first`
 * elements behind it; where an order depends on addresses, those of OpenCL count from the beginning
 * of the cl_mem. */
typedef struct reprosum_gpu_vectors {
  void* memory;
  int64_t first, increment, leading;
} reprosum_gpu_vectors;

typedef struct reprosum_gpu_reduction {
  reprosum_routine routine; /* REPROSUM_SUM, REPROSUM_DOT */
  reprosum_type type;
  int64_t n, rows;
  reprosum_gpu_vectors x, y; /* y is ignored by a sum */
  void* out;                 /* memory of the device; row i gives element out_first + i */
  int64_t out_first;
} reprosum_gpu_reduction;

/* Enqueues the reductions on a CUstream (that of the CUDA runtime is one; NULL is the default
 * stream) or an in-order cl_command_queue, behind what is enqueued there. It may return before they
 * are done, or wait for them and for what is enqueued before: where that waits for an event of the
 * caller's, another thread has to set it. Operands must be whole and inside their memory; what
 * reaches beyond is REPROSUM_BAD_ARGUMENT. out must not overlap x or y. All rows must follow one
 * order: where the spec tells addresses apart, rows may have to be called apart
 * (REPROSUM_NOT_COVERED). */
REPROSUM_API reprosum_status reprosum_gpu_reduce(const reprosum_gpu* gpu, void* queue,
                                                 const reprosum_gpu_reduction* reduction);

/* The same with operands in the process's own memory (`memory` and `out` are pointers to floats or
 * doubles), which are copied to the device; *out is there when it returns. */
REPROSUM_API reprosum_status reprosum_gpu_reduce_host(const reprosum_gpu* gpu,
                                                      const reprosum_gpu_reduction* reduction);

/* ---- gemv and gemm ----
 *
 * Arguments are those of reprosum_dgemv and reprosum_dgemm: layout, transposes, m x n of a gemv's
 * A, m, n, k of a gemm. `batch` products differ in where their operands begin: `stride` elements
 * from one to the next. Outputs of different products must not overlap, nor A or B.
 */

typedef struct reprosum_gpu_matrix {
  void* memory;    /* as of reprosum_gpu_vectors; A and B may be NULL where the call reads none */
  int64_t first;   /* elements from there to BLAS's pointer */
  int64_t leading; /* leading dimension; of a gemv's x and y the increment */
  int64_t stride;  /* to the next product of a batch */
} reprosum_gpu_matrix;

typedef struct reprosum_gpu_product {
  reprosum_routine routine; /* REPROSUM_GEMV, REPROSUM_GEMM */
  reprosum_type type;
  reprosum_layout layout;
  reprosum_transpose transa, transb; /* transb: gemm */
  int64_t m, n, k;                   /* k: gemm */
  int64_t batch;
  double alpha, beta;          /* of floats: a float's value */
  reprosum_gpu_matrix a, b, c; /* gemv: a, x, y */
} reprosum_gpu_product;

/* Enqueues the products as reprosum_gpu_reduce does. An entry of the spec that covers certain data
 * only (no Inf or NaN, no zero factors) covers no such call, because the data are not looked at.
 * Without summands, C is changed by this processor, and the call waits. */
REPROSUM_API reprosum_status reprosum_gpu_multiply(const reprosum_gpu* gpu, void* queue,
                                                   const reprosum_gpu_product* product);

/* The same with operands in the process's own memory; C is there when it returns. */
REPROSUM_API reprosum_status reprosum_gpu_multiply_host(const reprosum_gpu* gpu,
                                                        const reprosum_gpu_product* product);

#ifdef __cplusplus
}
#endif

#endif /* REPROSUM_GPU_H */
