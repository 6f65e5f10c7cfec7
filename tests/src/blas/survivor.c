/* survivor fork ROUNDS | exit MICROSECONDS | stack LARGEST: a program that forks and ends while
 * other threads call BLAS, or calls it on small stacks. Exit code 0: every result was right, also
 * those of its children. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int);
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                 float*, int);
void cblas_dgemv(int, int, int, int, double, const double*, int, const double*, int, double,
                 double*, int);
void cblas_dtrsv(int, int, int, int, int, const double*, int, double*, int);
void cblas_dtrsm(int, int, int, int, int, int, int, double, const double*, int, double*, int);
void cblas_dtrmm(int, int, int, int, int, int, int, double, const double*, int, double*, int);
void cblas_dsyrk(int, int, int, int, int, double, const double*, int, double, double*, int);
double cblas_ddot(int, const double*, int, const double*, int);
double cblas_dsum(int, const double*, int);

enum { MOST = 150, LEAST_STACK = 80 * 1024, COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112 };

/* Small integers, of which every sum is exact: a(i, p) = i % 5 - p % 3, b(p, j) = 1 + (p + j) % 4.
 */
static double at_a(int i, int p) { return i % 5 - p % 3; }
static double at_b(int p, int j) { return 1 + (p + j) % 4; }

/* Whether the products, the sums and the solution of one size are right. */
static int all_right(int n, int with_solve) {
  double *a = malloc(sizeof *a * (size_t)(n * n)), *b = malloc(sizeof *b * (size_t)(n * n)),
         *c = calloc((size_t)(n * n), sizeof *c), *y = calloc((size_t)n, sizeof *y), dot = 0;
  float *fa = malloc(sizeof *fa * (size_t)(n * n)), *fb = malloc(sizeof *fb * (size_t)(n * n)),
        *fc = calloc((size_t)(n * n), sizeof *fc);
  int i, j, p, transposed, wrong = 0;
  for (i = 0; i < n; ++i)
    for (p = 0; p < n; ++p) fa[i + p * n] = (float)(a[i + p * n] = at_a(i, p));
  for (p = 0; p < n; ++p)
    for (j = 0; j < n; ++j) fb[p + j * n] = (float)(b[p + j * n] = at_b(p, j));
  cblas_dgemm(COLUMNS, PLAIN, PLAIN, n, n, n, 1, a, n, b, n, 0, c, n);
  cblas_sgemm(COLUMNS, PLAIN, PLAIN, n, n, n, 1, fa, n, fb, n, 0, fc, n);
  for (i = 0; i < n; i += 1 + n / 9)
    for (j = 0; j < n; j += 1 + n / 7) {
      double sum = 0;
      for (p = 0; p < n; ++p) sum += at_a(i, p) * at_b(p, j);
      wrong |= c[i + j * n] != sum || fc[i + j * n] != (float)sum;
    }
  for (transposed = 0; transposed < 2; ++transposed) {
    cblas_dgemv(COLUMNS, transposed ? TRANSPOSED : PLAIN, n, n, 1, a, n, b, 1, 0, y, 1);
    for (i = 0; i < n; ++i) {
      double sum = 0;
      for (p = 0; p < n; ++p) sum += (transposed ? at_a(p, i) : at_a(i, p)) * at_b(p, 0);
      wrong |= y[i] != sum;
    }
  }
  for (p = 0; p < n; ++p) dot += at_a(p, 0) * at_b(p, 0);
  wrong |= cblas_ddot(n, a, 1, b, 1) != dot;
  dot = 0;
  for (p = 0; p < n; ++p) dot += at_a(p, 0);
  wrong |= cblas_dsum(n, a, 1) != dot;
  if (with_solve) { /* a lower triangle of ones: differences */
    for (i = 0; i < n * n; ++i) a[i] = 1;
    for (i = 0; i < n; ++i) y[i] = (i + 1) * (i + 2) / 2;
    cblas_dtrsv(COLUMNS, 122, PLAIN, 131, n, a, n, y, 1);
    for (i = 0; i < n; ++i) wrong |= y[i] != i + 1;
    for (i = 0; i < n * n; ++i) b[i] = (i % n + 1) * (i % n + 2) / 2;
    cblas_dtrsm(COLUMNS, 141, 122, PLAIN, 131, n, n, 2, a, n, b, n);
    for (i = 0; i < n * n; ++i) wrong |= b[i] != 2 * (i % n + 1);
    cblas_dtrmm(COLUMNS, 141, 122, PLAIN, 131, n, n, 0.5, a, n, b, n);
    for (i = 0; i < n * n; ++i) wrong |= b[i] != (i % n + 1) * (i % n + 2) / 2;
    cblas_dsyrk(COLUMNS, 122, PLAIN, n, n, 1, a, n, 0, c, n);
    for (i = 0; i < n; ++i) wrong |= c[i] != n;
  }
  free(a), free(b), free(c), free(y), free(fa), free(fb), free(fc);
  return !wrong;
}

static volatile int stop, any_wrong;

static void* call_on(void* first) {
  int round;
  for (round = *(int*)first; !stop; ++round) any_wrong |= !all_right(1 + round * 7 % MOST, 0);
  return NULL;
}

static int forks(int rounds) {
  pthread_t thread;
  int first = 0, bad = 0, round;
  pthread_create(&thread, NULL, call_on, &first);
  for (round = 0; round < rounds; ++round) {
    int status = 0;
    pid_t child;
    usleep((unsigned)(round % 7) * 2000);
    child = fork();
    if (child == 0) {
      alarm(100);
      /* Children of children, and those that end as programs do. */
      if (round % 5 == 0) {
        child = fork();
        if (child != 0) {
          waitpid(child, &status, 0);
          _exit(status != 0);
        }
      }
      if (round % 2 == 0) exit(!all_right(1 + round * 37 % MOST, 0));
      _exit(!all_right(1 + round * 37 % MOST, 0));
    }
    waitpid(child, &status, 0);
    if (status != 0) {
      printf("child %d: %s %d\n", round, WIFSIGNALED(status) ? "signal" : "exit code",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
      ++bad;
    }
  }
  stop = 1;
  pthread_join(thread, NULL);
  return bad + any_wrong;
}

/* Called by the last of all handlers: a program may call BLAS to its very end. */
static void call_at_exit(void) {
  if (!all_right(9, 0)) _exit(9);
}

static void end_while_threads_call(int microseconds) {
  static int firsts[3] = {0, 50, 100};
  pthread_t threads[3];
  int i;
  atexit(call_at_exit);
  for (i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, call_on, &firsts[i]);
  usleep((unsigned)microseconds);
  exit(any_wrong);
}

/* What was kept of this thread is dead when call_at_exit calls. */
static void end_after_calls(void) {
  atexit(call_at_exit);
  exit(!all_right(9, 0));
}

static int largest, with_solve;

static void* call_all(void* unused) {
  int n;
  for (n = 1; n <= largest; n = n * 2 + 1) any_wrong |= !all_right(n, with_solve);
  any_wrong |= !all_right(largest, with_solve);
  return unused;
}

/* On the smallest stack that the system grants a thread: 16 KiB beside what libraries keep of each
 * thread, which is most of 80 KiB where OpenBLAS is one of them. */
static int on_small_stack(void) {
  typedef size_t (*minimum)(const pthread_attr_t*);
  const char* mode = getenv("REPROSUM_MODE");
  const minimum least = (minimum)dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
  pthread_attr_t attributes;
  pthread_t thread;
  int error;
  with_solve = mode != NULL && strcmp(mode, "exact") == 0;
  pthread_attr_init(&attributes);
  error = pthread_attr_setstacksize(&attributes, least != NULL ? least(&attributes) : LEAST_STACK);
  if (!error) error = pthread_create(&thread, &attributes, call_all, NULL);
  if (error) return 3;
  pthread_join(thread, NULL);
  return any_wrong;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  if (strcmp(arguments[1], "fork") == 0) return forks(atoi(arguments[2])) != 0;
  if (strcmp(arguments[1], "end") == 0) end_after_calls();
  if (strcmp(arguments[1], "exit") == 0) end_while_threads_call(atoi(arguments[2]));
  largest = atoi(arguments[2]);
  if (strcmp(arguments[1], "stack") == 0) return on_small_stack();
  return 2;
}
