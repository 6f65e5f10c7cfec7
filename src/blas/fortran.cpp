// The Fortran symbols, 32-bit integers. ?sum is OpenBLAS's extension.
#include "src/blas/replay.h"

#define REPROSUM_BLAS extern "C" __attribute__((visibility("default")))

using reprosum::blas::replay;

REPROSUM_BLAS float sdot_(const int* n, const float* x, const int* incx, const float* y,
                          const int* incy) {
  return replay<float>(REPROSUM_DOT, *n, x, *incx, y, *incy);
}

REPROSUM_BLAS double ddot_(const int* n, const double* x, const int* incx, const double* y,
                           const int* incy) {
  return replay<double>(REPROSUM_DOT, *n, x, *incx, y, *incy);
}

REPROSUM_BLAS float ssum_(const int* n, const float* x, const int* incx) {
  return replay<float>(REPROSUM_SUM, *n, x, *incx, nullptr, 0);
}

REPROSUM_BLAS double dsum_(const int* n, const double* x, const int* incx) {
  return replay<double>(REPROSUM_SUM, *n, x, *incx, nullptr, 0);
}
