/* A BLAS that has every name of symbols.txt, and keeps what it was called with: one function for
 * all, since it reads what the widest signature would pass. Its integers are those of
 * WITH_WIDE_INTEGERS. */
#include <stdint.h>
#include <string.h>

enum { WHOLE = 14, REAL = 8 };
struct call {
  const char* name;
  int64_t whole[WHOLE];
  double real[REAL];
};
struct call every_name_last;

static double keep(const char* name, const int64_t* whole, const double* real) {
  every_name_last.name = name;
  memcpy(every_name_last.whole, whole, sizeof every_name_last.whole);
  memcpy(every_name_last.real, real, sizeof every_name_last.real);
  return 1.25;
}

#ifdef WITH_WIDE_INTEGERS
typedef int64_t integer;
#else
typedef int integer;
#endif
/* What tells the width of the integers. */
integer isamax_(const integer* n, const float* x, const integer* incx);
integer isamax_(const integer* n, const float* x, const integer* incx) {
  integer i, best = 0;
  if (*n < 1 || *incx != 1) return 0;
  for (i = 1; i < *n; ++i)
    if (x[i] > x[best]) best = i;
  return best + 1;
}
#define isamax_ every_name_isamax

#define DEFINE(name, kept)                                                                     \
  double name(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, double p,      \
              double q, double r, double s, double t, double u, double v, double w, int64_t g, \
              int64_t h, int64_t i, int64_t j, int64_t k, int64_t l, int64_t m, int64_t n);    \
  double name(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, double p,      \
              double q, double r, double s, double t, double u, double v, double w, int64_t g, \
              int64_t h, int64_t i, int64_t j, int64_t k, int64_t l, int64_t m, int64_t n) {   \
    const int64_t whole[] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n};                        \
    const double real[] = {p, q, r, s, t, u, v, w};                                            \
    return keep(kept, whole, real);                                                            \
  }
#define TWIN(name, kept) DEFINE(name, kept)
#define NAME(name) DEFINE(name, #name)
#include EVERY_NAME
