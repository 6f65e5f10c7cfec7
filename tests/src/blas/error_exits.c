/* error_exits: calls that BLAS forbids, with one or two arguments that cannot be. Prints for each
 * what is said, whether the program goes on, and whether the output changed then. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_XERBLA
#include <stdarg.h>
/* A program's own; they return. */
__attribute__((visibility("default"))) void xerbla_(const char* name, const int* argument,
                                                    size_t length) {
  printf("own xerbla %.*s %d\n", (int)length, name, *argument);
}
__attribute__((visibility("default"))) void cblas_xerbla(int argument, const char* name,
                                                         const char* form, ...) {
  (void)form;
  printf("own cblas_xerbla %s %d\n", name, argument);
}
#endif

#define DECLARE(T, p)                                                                              \
  void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*,  \
                const int*, const T*, const int*, const T*, T*, const int*, size_t, size_t);       \
  void p##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*,     \
                const int*, const T*, T*, const int*, size_t);                                     \
  void p##ger_(const int*, const int*, const T*, const T*, const int*, const T*, const int*, T*,   \
               const int*);                                                                        \
  void p##trsv_(const char*, const char*, const char*, const int*, const T*, const int*, T*,       \
                const int*, size_t, size_t, size_t);                                               \
  void p##symv_(const char*, const int*, const T*, const T*, const int*, const T*, const int*,     \
                const T*, T*, const int*, size_t);                                                 \
  void p##trmv_(const char*, const char*, const char*, const int*, const T*, const int*, T*,       \
                const int*, size_t, size_t, size_t);                                               \
  void p##symm_(const char*, const char*, const int*, const int*, const T*, const T*, const int*,  \
                const T*, const int*, const T*, T*, const int*, size_t, size_t);                   \
  void p##syrk_(const char*, const char*, const int*, const int*, const T*, const T*, const int*,  \
                const T*, T*, const int*, size_t, size_t);                                         \
  void p##syr2k_(const char*, const char*, const int*, const int*, const T*, const T*, const int*, \
                 const T*, const int*, const T*, T*, const int*, size_t, size_t);                  \
  void p##trmm_(const char*, const char*, const char*, const char*, const int*, const int*,        \
                const T*, const T*, const int*, T*, const int*, size_t, size_t, size_t, size_t);   \
  void p##trsm_(const char*, const char*, const char*, const char*, const int*, const int*,        \
                const T*, const T*, const int*, T*, const int*, size_t, size_t, size_t, size_t);   \
  void cblas_##p##symv(int, int, int, T, const T*, int, const T*, int, T, T*, int);                \
  void cblas_##p##trmv(int, int, int, int, int, const T*, int, T*, int);                           \
  void cblas_##p##symm(int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);      \
  void cblas_##p##syrk(int, int, int, int, int, T, const T*, int, T, T*, int);                     \
  void cblas_##p##syr2k(int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);     \
  void cblas_##p##trmm(int, int, int, int, int, int, int, T, const T*, int, T*, int);              \
  void cblas_##p##trsm(int, int, int, int, int, int, int, T, const T*, int, T*, int);              \
  void cblas_##p##gemm(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int); \
  void cblas_##p##gemv(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);           \
  void cblas_##p##ger(int, int, int, T, const T*, int, const T*, int, T*, int);                    \
  void cblas_##p##trsv(int, int, int, int, int, const T*, int, T*, int);
DECLARE(float, s)
DECLARE(double, d)

/* The arguments of all routines, and what each can be wrongly; `letters` of Fortran. */
enum { LAYOUT, TRANSA, TRANSB, UPLO, DIAG, M, N, K, LDA, LDB, LDC, INCX, INCY, SIDE, COUNT };
static const int right[COUNT] = {102, 111, 112, 121, 131, 3, 4, 5, 7, 7, 7, 1, 2, 141};
static const int wrong[COUNT] = {100, 0, 99, 120, 7, -1, -2, -1, 1, 0, 2, 0, 0, 1};
enum { ROUTINES = 11 };
static const int applies[ROUTINES][COUNT] = {
    {1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0}, /* gemm */
    {1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, /* gemv */
    {1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0}, /* ger */
    {1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0}, /* trsv */
    {1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0}, /* symv */
    {1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0}, /* trmv */
    {1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1}, /* symm */
    {1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0}, /* syrk */
    {1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0}, /* syr2k */
    {1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1}, /* trmm */
    {1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1}, /* trsm */
};

static char letter(int value) {
  switch (value) {
    case 111:
      return 'N';
    case 112:
      return 't';
    case 121:
      return 'U';
    case 131:
      return 'n';
    case 141:
      return 'L';
    default:
      return 'x';
  }
}

#define CALL(T, p)                                                                                 \
  static int call_##p(int routine, int cblas, const int* v) {                                      \
    const T alpha = 2, beta = 3;                                                                   \
    const char ta = letter(v[TRANSA]), tb = letter(v[TRANSB]), up = letter(v[UPLO]),               \
               unit = letter(v[DIAG]), side = letter(v[SIDE]);                                     \
    T a[60], b[60], c[60], before[60];                                                             \
    int i;                                                                                         \
    for (i = 0; i < 60; ++i) a[i] = (T)(i % 7 + 1), b[i] = (T)(i % 5 - 2), c[i] = (T)(i % 3 + 1);  \
    memcpy(before, c, sizeof c);                                                                   \
    switch (2 * routine + cblas) {                                                                 \
      case 0:                                                                                      \
        p##gemm_(&ta, &tb, v + M, v + N, v + K, &alpha, a, v + LDA, b, v + LDB, &beta, c, v + LDC, \
                 1, 1);                                                                            \
        break;                                                                                     \
      case 1:                                                                                      \
        cblas_##p##gemm(v[LAYOUT], v[TRANSA], v[TRANSB], v[M], v[N], v[K], alpha, a, v[LDA], b,    \
                        v[LDB], beta, c, v[LDC]);                                                  \
        break;                                                                                     \
      case 2:                                                                                      \
        p##gemv_(&ta, v + M, v + N, &alpha, a, v + LDA, b, v + INCX, &beta, c, v + INCY, 1);       \
        break;                                                                                     \
      case 3:                                                                                      \
        cblas_##p##gemv(v[LAYOUT], v[TRANSA], v[M], v[N], alpha, a, v[LDA], b, v[INCX], beta, c,   \
                        v[INCY]);                                                                  \
        break;                                                                                     \
      case 4:                                                                                      \
        p##ger_(v + M, v + N, &alpha, a, v + INCX, b, v + INCY, c, v + LDA);                       \
        break;                                                                                     \
      case 5:                                                                                      \
        cblas_##p##ger(v[LAYOUT], v[M], v[N], alpha, a, v[INCX], b, v[INCY], c, v[LDA]);           \
        break;                                                                                     \
      case 6:                                                                                      \
        p##trsv_(&up, &ta, &unit, v + N, a, v + LDA, c, v + INCX, 1, 1, 1);                        \
        break;                                                                                     \
      case 7:                                                                                      \
        cblas_##p##trsv(v[LAYOUT], v[UPLO], v[TRANSA], v[DIAG], v[N], a, v[LDA], c, v[INCX]);      \
        break;                                                                                     \
      case 8:                                                                                      \
        p##symv_(&up, v + N, &alpha, a, v + LDA, b, v + INCX, &beta, c, v + INCY, 1);              \
        break;                                                                                     \
      case 9:                                                                                      \
        cblas_##p##symv(v[LAYOUT], v[UPLO], v[N], alpha, a, v[LDA], b, v[INCX], beta, c, v[INCY]); \
        break;                                                                                     \
      case 10:                                                                                     \
        p##trmv_(&up, &ta, &unit, v + N, a, v + LDA, c, v + INCX, 1, 1, 1);                        \
        break;                                                                                     \
      case 11:                                                                                     \
        cblas_##p##trmv(v[LAYOUT], v[UPLO], v[TRANSA], v[DIAG], v[N], a, v[LDA], c, v[INCX]);      \
        break;                                                                                     \
      case 12:                                                                                     \
        p##symm_(&side, &up, v + M, v + N, &alpha, a, v + LDA, b, v + LDB, &beta, c, v + LDC, 1,   \
                 1);                                                                               \
        break;                                                                                     \
      case 13:                                                                                     \
        cblas_##p##symm(v[LAYOUT], v[SIDE], v[UPLO], v[M], v[N], alpha, a, v[LDA], b, v[LDB],      \
                        beta, c, v[LDC]);                                                          \
        break;                                                                                     \
      case 14:                                                                                     \
        p##syrk_(&up, &ta, v + N, v + K, &alpha, a, v + LDA, &beta, c, v + LDC, 1, 1);             \
        break;                                                                                     \
      case 15:                                                                                     \
        cblas_##p##syrk(v[LAYOUT], v[UPLO], v[TRANSA], v[N], v[K], alpha, a, v[LDA], beta, c,      \
                        v[LDC]);                                                                   \
        break;                                                                                     \
      case 16:                                                                                     \
        p##syr2k_(&up, &ta, v + N, v + K, &alpha, a, v + LDA, b, v + LDB, &beta, c, v + LDC, 1,    \
                  1);                                                                              \
        break;                                                                                     \
      case 17:                                                                                     \
        cblas_##p##syr2k(v[LAYOUT], v[UPLO], v[TRANSA], v[N], v[K], alpha, a, v[LDA], b, v[LDB],   \
                         beta, c, v[LDC]);                                                         \
        break;                                                                                     \
      case 18:                                                                                     \
        p##trmm_(&side, &up, &ta, &unit, v + M, v + N, &alpha, a, v + LDA, c, v + LDB, 1, 1, 1,    \
                 1);                                                                               \
        break;                                                                                     \
      case 19:                                                                                     \
        cblas_##p##trmm(v[LAYOUT], v[SIDE], v[UPLO], v[TRANSA], v[DIAG], v[M], v[N], alpha, a,     \
                        v[LDA], c, v[LDB]);                                                        \
        break;                                                                                     \
      case 20:                                                                                     \
        p##trsm_(&side, &up, &ta, &unit, v + M, v + N, &alpha, a, v + LDA, c, v + LDB, 1, 1, 1,    \
                 1);                                                                               \
        break;                                                                                     \
      case 21:                                                                                     \
        cblas_##p##trsm(v[LAYOUT], v[SIDE], v[UPLO], v[TRANSA], v[DIAG], v[M], v[N], alpha, a,     \
                        v[LDA], c, v[LDB]);                                                        \
        break;                                                                                     \
    }                                                                                              \
    return memcmp(before, c, sizeof c) != 0;                                                       \
  }
/* clang-format off */
CALL(float, s)
CALL(double, d)
/* clang-format on */

static const char* const names[] = {"gemm", "gemv", "ger",   "trsv", "symv", "trmv",
                                    "symm", "syrk", "syr2k", "trmm", "trsm"};

static void one(int routine, int cblas, int is_double, int row_major, int first, int second) {
  int v[COUNT];
  memcpy(v, right, sizeof v);
  if (row_major) v[LAYOUT] = 101;
  v[first] = wrong[first];
  v[second] = wrong[second];
  printf("%s%c%s%s arguments %d and %d: ", cblas ? "cblas_" : "", is_double ? 'd' : 's',
         names[routine], row_major ? " row-major" : "", first, second);
  printf("%s\n", (is_double ? call_d : call_s)(routine, cblas, v) ? "goes on, changed" : "goes on");
}

/* All cases from number *next on, which tells how far it came if one of them ends the process. */
static void all_from(int* next) {
  int routine, cblas, is_double, row_major, first, second, number = 0;
  for (routine = 0; routine < ROUTINES; ++routine)
    for (cblas = 0; cblas < 2; ++cblas)
      for (is_double = 0; is_double < 2; ++is_double)
        for (row_major = 0; row_major <= cblas; ++row_major)
          for (first = cblas ? LAYOUT : TRANSA; first < COUNT; ++first)
            for (second = first; second < COUNT; ++second) {
              if (!applies[routine][first] || !applies[routine][second]) continue;
              /* Of the newer routines, one type shows the order of the checks. */
              if (routine > 3 && !is_double && first != second) continue;
#ifdef WITH_XERBLA
              /* The reference's goes on with a letter that it never set. */
              if (routine == 1 && cblas && first == TRANSA) continue;
#endif
              if (++number <= *next) continue;
              *next = number;
              one(routine, cblas, is_double, row_major, first, second);
            }
  *next = -number;
}

int main(void) {
  int* const next =
      mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  setvbuf(stdout, NULL, _IONBF, 0); /* in order with what goes to stderr */
  while (*next >= 0) {
    int status;
    const pid_t child = fork();
    if (child == 0) {
      all_from(next);
      exit(0);
    }
    if (waitpid(child, &status, 0) < 0) return 2;
    printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  }
  printf("%d cases\n", -*next);
  return 0;
}
