/* A ddot that says where its operands lie, and through which face it was called; and adds x and y
   at the places that the call names, so that these must hold what the caller says. */
#include <stdint.h>

static double where(int n, const double* x, int incx, const double* y, int incy, int face) {
  const uintptr_t a = (uintptr_t)x, b = (uintptr_t)y;
  const double distance = b - a < 65536 || a - b < 65536 ? (double)((intptr_t)(b - a) / 8) : 9999;
  double last = 0;
  if (incx < 0) x += (intptr_t)(1 - n) * incx;
  if (incy < 0) y += (intptr_t)(1 - n) * incy;
  for (int k = 0; k < n; ++k) last += x[(intptr_t)k * incx] + 2 * y[(intptr_t)k * incy];
  return (double)(a % 8192) + 1e4 * (double)(b % 8192) + 1e8 * (b < a) + 1e9 * face +
         1e10 * (distance + 100) + last / 1024;
}

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  return where(*n, x, *incx, y, *incy, 1);
}
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy) {
  return where(n, x, incx, y, incy, 2);
}
