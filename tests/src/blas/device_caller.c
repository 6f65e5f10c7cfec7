/* device_caller calls ROUNDS | fork | exit MICROSECONDS: BLAS calls through Fortran and CBLAS, on
 * random data and on special values. "calls" prints one line for each: its name, and a hash of the
 * bits of all that it may have written, every NaN being one; or "refused". "fork" prints those of a
 * child that is forked after a first call, and "exit" ends while threads call. */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 20000, ROWS = 101, COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112 };

static int refused;

/* Returns, as OpenBLAS's does. */
__attribute__((visibility("default"))) void xerbla_(const char* name, const int* argument,
                                                    size_t length) {
  (void)name, (void)argument, (void)length;
  refused = 1;
}

static uint64_t hash_bytes(uint64_t hash, const void* bytes, size_t count) {
  const unsigned char* at = bytes;
  size_t i;
  for (i = 0; i < count; ++i) hash = (hash ^ at[i]) * UINT64_C(1099511628211);
  return hash;
}

static void print_line(const char* name, int round, uint64_t hash) {
  if (refused)
    printf("%s %d refused\n", name, round);
  else
    printf("%s %d %016llx\n", name, round, (unsigned long long)hash);
  refused = 0;
}

static uint64_t state;
static double next(int special) {
  static const double specials[] = {INFINITY, -INFINITY, NAN,   -0.0, 0.0,
                                    5e-324,   -1e-310,   1e-40, 1e300};
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  if (special != 0 && (state >> 40) % 37 == 0)
    return specials[(state >> 50) % (special == 1 ? 3 : 9)];
  return ldexp((double)(int64_t)state, (int)((state >> 20) % 25) - 70);
}

#define CALLS(T, p)                                                                                \
  T p##dot_(const int*, const T*, const int*, const T*, const int*);                               \
  T cblas_##p##dot(int, const T*, int, const T*, int);                                             \
  void p##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*,     \
                const int*, const T*, T*, const int*, size_t);                                     \
  void cblas_##p##gemv(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);           \
  void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*,  \
                const int*, const T*, const int*, const T*, T*, const int*, size_t, size_t);       \
  void cblas_##p##gemm(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int); \
  static T p##a[ROOM], p##b[ROOM], p##c[ROOM];                                                     \
                                                                                                   \
  static void p##fill(int seed, int special) {                                                     \
    int i;                                                                                         \
    state = (uint64_t)(seed * 977 + 5);                                                            \
    for (i = 0; i < ROOM; ++i) {                                                                   \
      p##a[i] = (T)next(special);                                                                  \
      p##b[i] = (T)next(special);                                                                  \
      p##c[i] = (T)next(special);                                                                  \
    }                                                                                              \
  }                                                                                                \
  static uint64_t p##hash(const T* values, int count) {                                            \
    uint64_t hash = UINT64_C(14695981039346656037);                                                \
    int i;                                                                                         \
    for (i = 0; i < count; ++i)                                                                    \
      hash = isnan(values[i]) ? hash_bytes(hash, "nan", 3)                                         \
                              : hash_bytes(hash, values + i, sizeof *values);                      \
    return hash;                                                                                   \
  }                                                                                                \
                                                                                                   \
  static void p##dots(int round) {                                                                 \
    static const int sizes[] = {1, 33, 1000, 3001, 0}, incs[] = {1, 2, -1, -3, 1};                 \
    const int n = sizes[round % 5], incx = incs[round % 4], incy = incs[round / 2 % 5];            \
    T out = p##dot_(&n, p##a, &incx, p##b, &incy);                                                 \
    print_line(#p "dot_", round, p##hash(&out, 1));                                                \
    out = cblas_##p##dot(n, p##a, incy, p##b, incx);                                               \
    print_line("cblas_" #p "dot", round, p##hash(&out, 1));                                        \
  }                                                                                                \
  static void p##vectors(int round, T alpha, T beta) {                                             \
    static const int ms[] = {17, 40, 1, 64}, ns[] = {23, 5, 64, 1, 0};                             \
    const int m = ms[round % 4], n = ns[round % 5], lda = 66 + round % 2 * 3;                      \
    const int incx = round % 3 == 2 ? -2 : 1, incy = round % 3 == 1 ? -1 : 1;                      \
    p##gemv_(round % 2 ? "T" : "n", &m, &n, &alpha, p##a, &lda, p##b, &incx, &beta, p##c, &incy,   \
             1);                                                                                   \
    print_line(#p "gemv_", round, p##hash(p##c, ROOM));                                            \
    cblas_##p##gemv(round % 2 ? ROWS : COLUMNS, round % 4 < 2 ? PLAIN : TRANSPOSED, m, n, alpha,   \
                    p##a, lda, p##b, incy, beta, p##c + 200, incx);                                \
    print_line("cblas_" #p "gemv", round, p##hash(p##c, ROOM));                                    \
  }                                                                                                \
  static void p##matrices(int round, T alpha, T beta) {                                            \
    static const int ms[] = {13, 32, 1, 50}, ns[] = {9, 24, 33, 1}, ks[] = {21, 64, 1, 7, 0};      \
    const int m = ms[round % 4], n = ns[round / 2 % 4], k = ks[round % 5], ld = 64 + round % 3;    \
    p##gemm_(round % 2 ? "N" : "T", round % 4 < 2 ? "N" : "C", &m, &n, &k, &alpha, p##a, &ld,      \
             p##b, &ld, &beta, p##c, &ld, 1, 1);                                                   \
    print_line(#p "gemm_", round, p##hash(p##c, ROOM));                                            \
    cblas_##p##gemm(round % 3 ? ROWS : COLUMNS, round % 2 ? PLAIN : TRANSPOSED,                    \
                    round % 4 < 2 ? PLAIN : TRANSPOSED, m, n, k, alpha, p##a, ld, p##b, ld, beta,  \
                    p##c + 5000, ld);                                                              \
    print_line("cblas_" #p "gemm", round, p##hash(p##c, ROOM));                                    \
  }                                                                                                \
  static void p##all(int rounds) {                                                                 \
    static const T alphas[] = {1, (T)0.7, 0}, betas[] = {0, 1, (T)-1.3};                           \
    int round;                                                                                     \
    for (round = 0; round < rounds; ++round) {                                                     \
      p##fill(round, round % 4 == 3 ? 2 : round % 8 == 5 ? 1 : 0);                                 \
      p##dots(round);                                                                              \
      p##vectors(round, alphas[round % 3], betas[round / 2 % 3]);                                  \
      p##matrices(round, alphas[round % 3], betas[round / 2 % 3]);                                 \
    }                                                                                              \
  }
CALLS(float, s)
CALLS(double, d)

static int in_child(void) {
  int status = 0;
  pid_t child;
  const double one = cblas_ddot(3, da, 1, da, 1); /* opens the spec, and the device */
  if (one != 0) return 3;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    alarm(100);
    sall(6);
    dall(6);
    exit(0);
  }
  waitpid(child, &status, 0);
  return status != 0;
}

static void* call_on(void* unused) {
  for (;;) cblas_ddot(3, da, 1, da, 1);
  return unused;
}

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "fork") == 0) return in_child();
  if (count == 3 && strcmp(arguments[1], "exit") == 0) {
    pthread_t threads[3];
    int i;
    for (i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, call_on, NULL);
    usleep((unsigned)atoi(arguments[2]));
    return 0;
  }
  if (count != 3 || strcmp(arguments[1], "calls") != 0) return 2;
  sall(atoi(arguments[2]));
  dall(atoi(arguments[2]));
  return 0;
}
