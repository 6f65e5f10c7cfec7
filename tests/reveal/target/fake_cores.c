/* A BLAS for tests of where its threads run. ddot returns the number of cores that it may run on,
   plus 1000 times that at load time. dgemm gives all zeros, and FAKE_changes: other bits on fewer
   cores; FAKE_dies: does so on fewer; FAKE_spins: hands the call to a second thread and back a few
   times, each waiting in a loop that never gives the core away. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static int cores_at_load;
static int cores(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

#if defined(FAKE_spins)
static atomic_int turn;
static void* helper(void* nothing) {
  for (;;)
    if (atomic_load(&turn) == 1) atomic_store(&turn, 0);
  return nothing;
}
#endif

__attribute__((constructor)) static void load(void) {
  cores_at_load = cores();
#if defined(FAKE_spins)
  pthread_t thread;
  pthread_create(&thread, NULL, helper, NULL);
#endif
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
  for (int round = 0; round < 20; ++round) {
    atomic_store(&turn, 1);
    while (atomic_load(&turn) != 0) continue;
  }
#endif
}
#endif
