/* A sequential BLAS for tests, with one vice chosen by a macro. From n = 13 on (so that a capture
   gets going first): crash, hang, sigill, exit. Always: print, overread, gapread, scribble, wrong,
   one_way (sums with increments of zero or less are none).
   corename says which core it runs, whatever it was told.
   f2c returns doubles from Fortran's functions of floats, and from ssum.
   At load time: load_crash, load_hang. report returns facts about its arguments instead of a
   result. wide takes 64-bit integers, and its names are those of NumPy's wheels. gemv and gemm are
   in fake_matrix.h. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((unused)) static void misbehave(int n) {
  (void)n;
#if defined(FAKE_crash)
  if (n >= 13) raise(SIGSEGV);
#elif defined(FAKE_hang)
  if (n >= 13)
    for (;;) pause();
#elif defined(FAKE_sigill)
  if (n >= 13) raise(SIGILL);
#elif defined(FAKE_exit)
  if (n >= 13) exit(3);
#elif defined(FAKE_print)
  printf("noise on the standard output, n=%d\n", n);
  fflush(stdout);
  fprintf(stderr, "noise on the standard error, n=%d\n", n);
#endif
}

__attribute__((constructor)) static void load(void) {
#if defined(FAKE_load_crash)
  abort();
#elif defined(FAKE_load_hang)
  for (;;) pause();
#elif defined(FAKE_print)
  printf("noise at load time\n");
  fflush(stdout);
#endif
}

/* The arguments of what is exported, and its names. */
#if defined(FAKE_wide)
typedef int64_t integer;
#define FORTRAN_NAME(name) scipy_##name##_64_
#define CBLAS_NAME(name) scipy_cblas_##name##64_
#define OTHER_NAME(name) scipy_##name##64_
#else
typedef int integer;
#define FORTRAN_NAME(name) name##_
#define CBLAS_NAME(name) cblas_##name
#define OTHER_NAME(name) name
#endif

/* Dies of an integer of which only a half was passed. */
__attribute__((unused)) static int whole(integer value) {
  if (value != (int)value) abort();
  return (int)value;
}

static int threads_told;
void OTHER_NAME(fake_set_threads)(int threads) { threads_told = threads; }

/* What report answers: the number of threads if it was told one, else address residues, increments and an environment variable in decimal places.
 */
__attribute__((unused)) static double report(const void* x, int incx, const void* y, int incy) {
  const char* setting = getenv("FAKE_SETTING");
  if (threads_told > 0) return threads_told;
  return (double)((uintptr_t)x % 64) + 100.0 * (double)((uintptr_t)y % 64) + 1e4 * (incx + 10) +
         1e6 * (incy + 10) + 1e8 * (setting ? atoi(setting) : 0);
}

/* What Fortran's functions of floats, and ssum, return. */
#if defined(FAKE_f2c)
typedef double real;
#else
typedef float real;
#endif

#define DEFINE(T, Result, dot, sum, dot_name, sum_name)                                           \
  static T sum(int n, const T* x, int incx) {                                                     \
    misbehave(n);                                                                                 \
    if (ONE_WAY && incx <= 0) return (T)(n > 0 ? n : 0);                                                 \
    if (incx < 0) x += (intptr_t)(1 - n) * incx;                                                  \
    T s = 0;                                                                                      \
    for (int k = 0; k < n; ++k) s += x[(intptr_t)k * incx];                                       \
    return s;                                                                                     \
  }                                                                                               \
  static T dot(int n, const T* x, int incx, const T* y, int incy) {                               \
    misbehave(n);                                                                                 \
    const T* const lowest = x;                                                                    \
    if (REPORT) return (T)report(x, incx, y, incy);                                               \
    if (incx < 0) x += (intptr_t)(1 - n) * incx;                                                  \
    if (incy < 0) y += (intptr_t)(1 - n) * incy;                                                  \
    T s = 0;                                                                                      \
    for (int k = 0; k < n; ++k) {                                                                 \
      const T product = x[(intptr_t)k * incx] * y[(intptr_t)k * incy];                            \
      s += product;                                                                               \
    }                                                                                             \
    (void)lowest;                                                                                 \
    if (OVERREAD) s += x[(intptr_t)n * incx] * 0;                                                 \
    if (GAPREAD && n > 0) s += lowest[1] * 0;                                                     \
    if (SCRIBBLE && n > 0) *(T*)(uintptr_t)lowest = 0;                                            \
    if (WRONG) s = (T)(n % 7) - 3;                                                                \
    return s;                                                                                     \
  }                                                                                               \
  FORTRAN(Result FORTRAN_NAME(dot_name)(const integer* n, const T* x, const integer* incx, const T* y,  \
                                   const integer* incy) {                                         \
    return dot(whole(*n), x, whole(*incx), y, whole(*incy));                                      \
  })                                                                                              \
  CBLAS(T CBLAS_NAME(dot_name)(integer n, const T* x, integer incx, const T* y, integer incy) {   \
    return dot(whole(n), x, whole(incx), y, whole(incy));                                         \
  })                                                                                              \
  Result CBLAS_NAME(sum_name)(integer n, const T* x, integer incx) {                                   \
    return sum(whole(n), x, whole(incx));                                                         \
  }

#if defined(FAKE_report)
#define REPORT 1
#else
#define REPORT 0
#endif
#if defined(FAKE_one_way)
#define ONE_WAY 1
#else
#define ONE_WAY 0
#endif
#if defined(FAKE_overread)
#define OVERREAD 1
#else
#define OVERREAD 0
#endif
#if defined(FAKE_gapread)
#define GAPREAD 1
#else
#define GAPREAD 0
#endif
#if defined(FAKE_scribble)
#define SCRIBBLE 1
#else
#define SCRIBBLE 0
#endif
#if defined(FAKE_wrong)
#define WRONG 1
#else
#define WRONG 0
#endif

#if defined(FAKE_fortran_only)
#define CBLAS(...)
#else
#define CBLAS(...) __VA_ARGS__
#endif
#if defined(FAKE_cblas_only)
#define FORTRAN(...)
#else
#define FORTRAN(...) __VA_ARGS__
#endif

#if !defined(FAKE_no_symbols)
#include "fake_matrix.h"
DEFINE(float, real, dot_f32, sum_f32, sdot, ssum)
DEFINE(double, double, dot_f64, sum_f64, ddot, dsum)
#endif

#if defined(FAKE_corename)
const char* openblas_get_corename(void) { return "Haswell"; }
#endif
const char* OTHER_NAME(fake_name)(void) { return "fake blas 1.0"; }
const char* fake_null(void) { return NULL; }
