// The CBLAS symbols, 32-bit integers. cblas_?sum is OpenBLAS's extension.
#include "src/blas/replay.h"

#define REPROSUM_BLAS extern "C" __attribute__((visibility("default")))

using reprosum::blas::replay;

REPROSUM_BLAS float cblas_sdot(int n, const float* x, int incx, const float* y, int incy) {
  return replay<float>(REPROSUM_DOT, n, x, incx, y, incy);
}

REPROSUM_BLAS double cblas_ddot(int n, const double* x, int incx, const double* y, int incy) {
  return replay<double>(REPROSUM_DOT, n, x, incx, y, incy);
}

REPROSUM_BLAS float cblas_ssum(int n, const float* x, int incx) {
  return replay<float>(REPROSUM_SUM, n, x, incx, nullptr, 0);
}

REPROSUM_BLAS double cblas_dsum(int n, const double* x, int incx) {
  return replay<double>(REPROSUM_SUM, n, x, incx, nullptr, 0);
}
