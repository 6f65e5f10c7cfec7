/* A ddot that goes backwards where its operands lie as the environment variable FAKE_HABIT says. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int asks(const char* habit, int n, uintptr_t x, uintptr_t y, int is_cblas) {
  if (strcmp(habit, "bit6") == 0) return (x & 64) != 0;
  if (strcmp(habit, "bit12") == 0) return (y & 4096) != 0;
  if (strcmp(habit, "page") == 0) return x % 4096 == 0;
  if (strcmp(habit, "below") == 0) return y < x;
  if (strcmp(habit, "one") == 0) return y == x;
  if (strcmp(habit, "overlap") == 0)
    return y != x && y < x + 8U * (unsigned)n && x < y + 8U * (unsigned)n;
  if (strcmp(habit, "alias") == 0) return (x - y) % 4096 == 0;
  return strcmp(habit, "cblas") == 0 && is_cblas;
}

static double dot(int n, const double* x, int incx, const double* y, int incy, int is_cblas) {
  static const char* habit;
  if (!habit) habit = getenv("FAKE_HABIT") ? getenv("FAKE_HABIT") : "";
  const int backwards = asks(habit, n, (uintptr_t)x, (uintptr_t)y, is_cblas);
  if (incx < 0) x += (intptr_t)(1 - n) * incx;
  if (incy < 0) y += (intptr_t)(1 - n) * incy;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const intptr_t k = backwards ? n - 1 - i : i;
    const double product = x[k * incx] * y[k * incy];
    sum += product;
  }
  return sum;
}

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  return dot(*n, x, *incx, y, *incy, 0);
}
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy) {
  return dot(n, x, incx, y, incy, 1);
}
