/* blas_caller N INCX INCY: calls every symbol on fixed data and prints the results as hexadecimal
 * floating-point numbers, one a line: ddot_, cblas_ddot, sdot_, cblas_sdot, dsum_, cblas_dsum,
 * ssum_, cblas_ssum. */
#include <stdio.h>
#include <stdlib.h>

#include "test_data.h"

double ddot_(const int*, const double*, const int*, const double*, const int*);
float sdot_(const int*, const float*, const int*, const float*, const int*);
double dsum_(const int*, const double*, const int*);
float ssum_(const int*, const float*, const int*);
double cblas_ddot(int, const double*, int, const double*, int);
float cblas_sdot(int, const float*, int, const float*, int);
double cblas_dsum(int, const double*, int);
float cblas_ssum(int, const float*, int);

#ifdef WITH_XERBLA
/* Returns, as OpenBLAS's does. */
__attribute__((visibility("default"))) void xerbla_(const char* name, const int* argument,
                                                    size_t length) {
  printf("xerbla %.*s %d\n", (int)length, name, *argument);
}
#endif

int main(int count, char** arguments) {
  static double x[DATA_SIZE], y[DATA_SIZE];
  static float xs[DATA_SIZE], ys[DATA_SIZE];
  int n, incx, incy, i;
  if (count != 4) return 2;
  n = atoi(arguments[1]);
  incx = atoi(arguments[2]);
  incy = atoi(arguments[3]);
  setvbuf(stdout, NULL, _IONBF, 0); /* in order with what goes to stderr */
  for (i = 0; i < DATA_SIZE; ++i) {
    x[i] = data_x(i);
    y[i] = data_y(i);
    xs[i] = (float)x[i];
    ys[i] = (float)y[i];
  }
  printf("%a\n", ddot_(&n, x, &incx, y, &incy));
  printf("%a\n", cblas_ddot(n, x, incx, y, incy));
  printf("%a\n", (double)sdot_(&n, xs, &incx, ys, &incy));
  printf("%a\n", (double)cblas_sdot(n, xs, incx, ys, incy));
  printf("%a\n", dsum_(&n, x, &incx));
  printf("%a\n", cblas_dsum(n, x, incx));
  printf("%a\n", (double)ssum_(&n, xs, &incx));
  printf("%a\n", (double)cblas_ssum(n, xs, incx));
  return 0;
}
