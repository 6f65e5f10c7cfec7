/* blas_caller N INCX INCY: calls every symbol on fixed data and prints the results as hexadecimal
 * floating-point numbers, one a line: ddot_, cblas_ddot, sdot_, cblas_sdot, dsum_, cblas_dsum,
 * ssum_, cblas_ssum; or their twins with 64-bit integers; or either under the names of wheels. */
#include <stdio.h>
#include <stdlib.h>

#include "test_data.h"

#ifdef WITH_WIDE_INTEGERS
#include <stdint.h>
typedef int64_t integer;
#else
typedef int integer;
#endif
#if defined(WITH_WIDE_INTEGERS) && defined(LIKE_A_WHEEL)
#define FORTRAN(name) scipy_##name##_64_
#define CBLAS(name) scipy_cblas_##name##64_
#elif defined(WITH_WIDE_INTEGERS)
#define FORTRAN(name) name##_64_
#define CBLAS(name) cblas_##name##_64
#elif defined(LIKE_A_WHEEL)
#define FORTRAN(name) scipy_##name##_
#define CBLAS(name) scipy_cblas_##name
#else
#define FORTRAN(name) name##_
#define CBLAS(name) cblas_##name
#endif

double FORTRAN(ddot)(const integer*, const double*, const integer*, const double*, const integer*);
float FORTRAN(sdot)(const integer*, const float*, const integer*, const float*, const integer*);
double FORTRAN(dsum)(const integer*, const double*, const integer*);
float FORTRAN(ssum)(const integer*, const float*, const integer*);
double CBLAS(ddot)(integer, const double*, integer, const double*, integer);
float CBLAS(sdot)(integer, const float*, integer, const float*, integer);
double CBLAS(dsum)(integer, const double*, integer);
float CBLAS(ssum)(integer, const float*, integer);

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
  integer n, incx, incy;
  int i;
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
  printf("%a\n", FORTRAN(ddot)(&n, x, &incx, y, &incy));
  printf("%a\n", CBLAS(ddot)(n, x, incx, y, incy));
  printf("%a\n", (double)FORTRAN(sdot)(&n, xs, &incx, ys, &incy));
  printf("%a\n", (double)CBLAS(sdot)(n, xs, incx, ys, incy));
  printf("%a\n", FORTRAN(dsum)(&n, x, &incx));
  printf("%a\n", CBLAS(dsum)(n, x, incx));
  printf("%a\n", (double)FORTRAN(ssum)(&n, xs, &incx));
  printf("%a\n", (double)CBLAS(ssum)(n, xs, incx));
  return 0;
}
