/* A BLAS for tests of where its threads run. ddot returns the number of cores that it may run on,
   plus 1000 times that at load time. dgemm gives all zeros, and FAKE_changes: other bits on fewer
   cores; FAKE_dies: does so on fewer; FAKE_spins: takes a hundred times as long on fewer, as threads
   do that wait for each other in loops that never give the core away. What such threads take on
   busy cores is for the scheduler to say, so this one waits by the clock. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static int cores_at_load;
static int cores(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

#if defined(FAKE_spins)
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
#endif

__attribute__((constructor)) static void load(void) {
  cores_at_load = cores();
}

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  (void)x, (void)incx, (void)y, (void)incy;
  if (*n == 99) raise(SIGSEGV);
  return cores() + 1000 * cores_at_load;
}

#if !defined(FAKE_no_gemm)
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc) {
  (void)transa, (void)transb, (void)m, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  (void)beta;
  memset(c, 0, sizeof(double) * (size_t)*n * (size_t)*ldc);
#if defined(FAKE_changes)
  if (cores() < cores_at_load) c[0] = 1;
#elif defined(FAKE_dies)
  if (cores() < cores_at_load) raise(SIGSEGV);
#elif defined(FAKE_spins)
  const double end = seconds() + (cores() < cores_at_load ? 0.2 : 0.002);
  while (seconds() < end) continue;
#endif
}
#endif
