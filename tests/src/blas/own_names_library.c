/* A library that has functions of its own under names of BLAS's extensions, and calls them; with
 * PLAIN one that has none and means BLAS. */
#include <stdio.h>

#ifdef PLAIN
double dsum_(const int* n, const double* x, const int* incx);
void call(void);
void call(void) {
  const double x[] = {1, 2, 4};
  const int n = 3, inc = 1;
  printf("BLAS's dsum %g\n", dsum_(&n, x, &inc));
}
#else
double dsum_(const double* x, const int* n);
double many(double, int, double, int, double, int, int, int, int, int, int, double);
#define many cblas_daxpby
void saxpby_(int* a, int* b);
const char* idmin_(void);
void call(void);

double dsum_(const double* x, const int* n) {
  double sum = 0;
  int i;
  for (i = 0; i < *n; ++i) sum += x[i];
  return sum;
}
double many(double a, int b, double c, int d, double e, int f, int g, int h, int i, int j, int k,
            double l) {
  return a + b + c + d + e + f + g + h + i + j + k + l;
}
void saxpby_(int* a, int* b) { *b = *a + 1; }
const char* idmin_(void) { return "text"; }

void call(void) {
  const double x[] = {1, 2, 3};
  int n = 3, b = 0, again;
  for (again = 0; again < 2; ++again) {
    saxpby_(&n, &b);
    printf("own %g %g %d %s\n", dsum_(x, &n), many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), b,
           idmin_());
  }
}
#endif
