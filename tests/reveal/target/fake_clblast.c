// A CLBlast whose dot products are made by the host. "sequential" adds one product after the other
// and fails where x has a 666; "fickle" begins somewhere else in each call, as sums do that
// work-groups add to one number whenever they are ready.
#include <stdlib.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static size_t begin_of(size_t n) {
#ifdef FAKE_fickle
  static size_t calls = 0;
  return (++calls * 2654435761u >> 7) % n;
#else
  (void)n;
  return 0;
#endif
}

#define DOT(NAME, T)                                                                              \
  int NAME(size_t n, cl_mem dot, size_t dot_offset, cl_mem x, size_t x_offset, size_t incx,       \
           cl_mem y, size_t y_offset, size_t incy, cl_command_queue* queue, cl_event* event) {    \
    T *a = malloc(((n - 1) * incx + 1) * sizeof(T)),                                              \
      *b = malloc(((n - 1) * incy + 1) * sizeof(T));                                              \
    T sum = 0;                                                                                    \
    int status = 0;                                                                               \
    (void)event;                                                                                  \
    clEnqueueReadBuffer(*queue, x, CL_TRUE, x_offset * sizeof(T),                                 \
                        ((n - 1) * incx + 1) * sizeof(T), a, 0, NULL, NULL);                      \
    clEnqueueReadBuffer(*queue, y, CL_TRUE, y_offset * sizeof(T),                                 \
                        ((n - 1) * incy + 1) * sizeof(T), b, 0, NULL, NULL);                      \
    const size_t begin = begin_of(n);                                                             \
    for (size_t k = 0; k < n; ++k) {                                                              \
      const size_t at = (begin + k) % n;                                                          \
      if (a[at * incx] == 666) status = -5;                                                       \
      const T product = a[at * incx] * b[at * incy];                                              \
      sum = sum + product;                                                                        \
    }                                                                                             \
    clEnqueueWriteBuffer(*queue, dot, CL_TRUE, dot_offset * sizeof(T), sizeof sum, &sum, 0, NULL, \
                         NULL);                                                                   \
    free(a);                                                                                      \
    free(b);                                                                                      \
    return status;                                                                                \
  }

DOT(CLBlastSdot, float)
DOT(CLBlastDdot, double)
