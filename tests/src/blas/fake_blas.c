/* A BLAS that says how it was called: each function prints its name and what it got, and gives
 * something recognisable. Its zdotc_ returns through a hidden first argument, as f2c and ifort do.
 */
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef WITH_WIDE_INTEGERS
#define FAKE "wide"
#else
#define FAKE "fake"
#endif

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  printf("fake ddot_ %d %d %d %g %g\n", *n, *incx, *incy, x[0], y[0]);
  return 101;
}
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy) {
  printf("fake cblas_ddot\n");
  return ddot_(&n, x, &incx, y, &incy);
}
double ddot_64(const int64_t* n, const double* x, const int64_t* incx, const double* y,
               const int64_t* incy) {
  printf("fake ddot_64 %ld %ld %ld %g %g\n", (long)*n, (long)*incx, (long)*incy, x[0], y[0]);
  return 102;
}
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* x, const int* incx, const double* beta, double* y,
            const int* incy, size_t length) {
  printf("fake dgemv_ %c %d %d %g %g %d %g %d %g %d length %d\n", *trans, *m, *n, *alpha, a[0],
         *lda, x[0], *incx, *beta, *incy, (int)length);
  y[0] = 103;
}
void cblas_dgemv(int layout, int trans, int m, int n, double alpha, const double* a, int lda,
                 const double* x, int incx, double beta, double* y, int incy) {
  printf("fake cblas_dgemv %d %d %d %d %g %g %d %g %d %g %d\n", layout, trans, m, n, alpha, a[0],
         lda, x[0], incx, beta, incy);
  y[0] = 104;
}
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc, size_t length_a, size_t length_b) {
  printf("fake dgemm_ %c %c %d %d %d %g %g %d %g %d %g %d lengths %d %d\n", *transa, *transb, *m,
         *n, *k, *alpha, a[0], *lda, b[0], *ldb, *beta, *ldc, (int)length_a, (int)length_b);
  c[0] = 105;
}
void cblas_dgemm(int layout, int transa, int transb, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c,
                 int ldc) {
  printf("fake cblas_dgemm %d %d %d %d %d %d %g %g %d %g %d %g %d\n", layout, transa, transb, m, n,
         k, alpha, a[0], lda, b[0], ldb, beta, ldc);
  c[0] = 106;
}
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb, size_t l1, size_t l2, size_t l3, size_t l4) {
  printf(FAKE " dtrsm_ %c%c%c%c %d %d %g %g %d %g %d lengths %d %d %d %d\n", *side, *uplo, *trans,
         *diag, *m, *n, *alpha, a[0], *lda, b[0], *ldb, (int)l1, (int)l2, (int)l3, (int)l4);
}
/* As a module that needs this BLAS would: by the name, which a preloaded library may have. */
void fake_calls_itself(void) {
  const int two = 2, one = 1;
  const double alpha = 0.5, a[] = {11, 12, 13, 14};
  double b[] = {21, 22};
  dtrsm_("L", "U", "N", "D", &two, &one, &alpha, a, &two, b, &two, 1, 1, 1, 1);
}
void zdotc_(double complex* out, const int* n) { *out = *n * (1 + 2 * I); }
float complex cdotc_(const int* n) { return *n * (3 + 4 * I); }

/* As in a real BLAS: what tells the width of the integers. The wide one asks another of its names,
 * which a preloaded library may have. */
#ifdef WITH_WIDE_INTEGERS
typedef int64_t integer;
#else
typedef int integer;
#endif
static integer largest(integer n, const float* x, integer incx) {
  integer i, best = 0;
  if (n < 1 || incx != 1) return 0;
  for (i = 1; i < n; ++i)
    if (x[i] > x[best]) best = i;
  return best + 1;
}
#ifdef WITH_WIDE_INTEGERS
size_t cblas_isamax(integer n, const float* x, integer incx) {
  return (size_t)largest(n, x, incx) - 1;
}
integer isamax_(const integer* n, const float* x, const integer* incx) {
  return *n < 1 ? 0 : (integer)cblas_isamax(*n, x, *incx) + 1;
}
#else
integer isamax_(const integer* n, const float* x, const integer* incx) {
  return largest(*n, x, *incx);
}
#endif
