/* A program with 64-bit integers under the names without 64, as programs of libblas64.so.3 are.
 * Prints the bits of what it gets by both faces. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

double ddot_(const int64_t*, const double*, const int64_t*, const double*, const int64_t*);
float sdot_(const int64_t*, const float*, const int64_t*, const float*, const int64_t*);
double dasum_(const int64_t*, const double*, const int64_t*);
void dgemv_(const char*, const int64_t*, const int64_t*, const double*, const double*,
            const int64_t*, const double*, const int64_t*, const double*, double*, const int64_t*,
            size_t);
void dgemm_(const char*, const char*, const int64_t*, const int64_t*, const int64_t*, const double*,
            const double*, const int64_t*, const double*, const int64_t*, const double*, double*,
            const int64_t*, size_t, size_t);
void dtrsv_(const char*, const char*, const char*, const int64_t*, const double*, const int64_t*,
            double*, const int64_t*, size_t, size_t, size_t);
double cblas_ddot(int64_t, const double*, int64_t, const double*, int64_t);
void cblas_dgemv(int, int, int64_t, int64_t, double, const double*, int64_t, const double*, int64_t,
                 double, double*, int64_t);
void cblas_dgemm(int, int, int, int64_t, int64_t, int64_t, double, const double*, int64_t,
                 const double*, int64_t, double, double*, int64_t);

static void print(const char* what, const double* values, int count) {
  int i;
  printf("%s", what);
  for (i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, values + i, sizeof bits);
    printf(" %016" PRIx64, bits);
  }
  puts("");
}

int main(void) {
  const int64_t n = 7, one = 1, back = -1;
  const double alpha = 1.1, beta = 0.3;
  double a[49], x[7], y[7], c[49];
  float fx[7];
  int i;
  for (i = 0; i < 49; ++i) a[i] = 1.0 / (i % 11 + 1) + (i % 8 == 0), c[i] = i;
  for (i = 0; i < 7; ++i) x[i] = 0.1 * i + 1, y[i] = 0.7 * i - 2, fx[i] = (float)x[i];
  print("ddot_", (double[]){ddot_(&n, x, &one, y, &back)}, 1);
  print("sdot_", (double[]){(double)sdot_(&n, fx, &one, fx, &back)}, 1);
  print("dasum_", (double[]){dasum_(&n, y, &one)}, 1);
  print("cblas_ddot", (double[]){cblas_ddot(7, x, 1, y, -1)}, 1);
  dgemv_("T", &n, &n, &alpha, a, &n, x, &one, &beta, y, &back, 1);
  print("dgemv_", y, 7);
  cblas_dgemv(101, 111, 7, 7, alpha, a, 7, x, 1, beta, y, 1);
  print("cblas_dgemv", y, 7);
  dgemm_("N", "T", &n, &n, &n, &alpha, a, &n, a, &n, &beta, c, &n, 1, 1);
  print("dgemm_", c, 49);
  cblas_dgemm(101, 112, 111, 7, 7, 7, alpha, a, 7, a, 7, beta, c, 7);
  print("cblas_dgemm", c, 49);
  dtrsv_("U", "N", "N", &n, a, &n, x, &one, 1, 1, 1);
  print("dtrsv_", x, 7);
  return 0;
}
