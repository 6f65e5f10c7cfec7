/* The trampolines alone: every argument register, stack arguments, and results pass through, also
 * while the resolver destroys all registers that a call may change. The symbols are in
 * trampoline_test.def; what stands in for forwarded.cpp is here. Exit code 0: all passed. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern void* reprosum_blas_slots[];
extern uint64_t reprosum_blas_calls[];
void reprosum_blas_refused(void);

struct large { /* too large for registers on either processor */
  double values[5];
};

/* The symbols that are under test. */
double many_(long, long, long, long, long, long, long, long, double, double, double, double, double,
             double, double, double, long, double);
double complex zdotc_(const int*, double complex);
double complex zdotc_64(const int*, double complex);
struct large hidden_(double);
float complex refused_(void);
int refused_index_(void);

static double many(long a, long b, long c, long d, long e, long f, long g, long h, double i,
                   double j, double k, double l, double m, double n, double o, double p, long q,
                   double r) {
  const int right = a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 &&
                    i == .1 && j == .2 && k == .3 && l == .4 && m == .5 && n == .6 && o == .7 &&
                    p == .8 && q == 9 && r == .9;
  return right ? 42.5 : -1;
}
static double complex zdotc(const int* n, double complex z) { return *n * z; }
static struct large hidden(double x) {
  const struct large made = {{x, 2 * x, 3 * x, 4 * x, 5 * x}};
  return made;
}

static int resolved;

/* Overwrites what the calling convention lets a callee overwrite. */
static void destroy_registers(void) {
#if defined(__x86_64__)
  __asm__ volatile(
      "mov $-1, %%rax\n mov $-1, %%rcx\n mov $-1, %%rdx\n mov $-1, %%rsi\n mov $-1, %%rdi\n"
      "mov $-1, %%r8\n mov $-1, %%r9\n mov $-1, %%r10\n mov $-1, %%r11\n"
      "pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n pcmpeqd %%xmm2, %%xmm2\n"
      "pcmpeqd %%xmm3, %%xmm3\n pcmpeqd %%xmm4, %%xmm4\n pcmpeqd %%xmm5, %%xmm5\n"
      "pcmpeqd %%xmm6, %%xmm6\n pcmpeqd %%xmm7, %%xmm7\n" ::
          : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
            "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#elif defined(__aarch64__)
  __asm__ volatile(
      "mov x0, #-1\n mov x1, #-1\n mov x2, #-1\n mov x3, #-1\n mov x4, #-1\n mov x5, #-1\n"
      "mov x6, #-1\n mov x7, #-1\n mov x8, #-1\n mov x15, #-1\n mov x16, #-1\n mov x17, #-1\n"
      "movi v0.2d, #-1\n movi v1.2d, #-1\n movi v2.2d, #-1\n movi v3.2d, #-1\n"
      "movi v4.2d, #-1\n movi v5.2d, #-1\n movi v6.2d, #-1\n movi v7.2d, #-1\n" ::
          : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x15", "x16", "x17", "v0", "v1",
            "v2", "v3", "v4", "v5", "v6", "v7");
#endif
}

int main(void);
static int from_main;

/* The arguments of many_, which the resolver is told of. */
static void read_arguments(const uint64_t* whole, const char* real, const uint64_t* stack);

void* reprosum_blas_target(unsigned number, const void* caller, const uint64_t* whole,
                           const char* real, const uint64_t* stack) {
  void* const targets[] = {(void*)many, (void*)zdotc, (void*)hidden, (void*)reprosum_blas_refused,
                           (void*)reprosum_blas_refused};
  ++resolved;
  from_main += (uintptr_t)caller - (uintptr_t)main < 1 << 16;
  if (number == 0) read_arguments(whole, real, stack);
  destroy_registers();
  if (number < 3) reprosum_blas_slots[number] = targets[number];
  return targets[number];
}

static int failed;
static void expect(int condition, const char* what) {
  if (condition) return;
  printf("failed: %s\n", what);
  failed = 1;
}

static void read_arguments(const uint64_t* whole, const char* real, const uint64_t* stack) {
#if defined(__x86_64__)
  enum { registers = 6 };
#else
  enum { registers = 8 };
#endif
  double values[8];
  int i;
  for (i = 0; i < 8; ++i) {
    expect((i < registers ? whole[i] : stack[i - registers]) == (uint64_t)i + 1, "an integer");
    memcpy(&values[i], real + 16 * i, sizeof values[i]);
  }
  expect(values[0] == .1 && values[1] == .2 && values[7] == .8, "the real arguments");
  expect(stack[8 - registers] == 9, "the stack");
}

int main(void) {
  const int three = 3;
  int round;
  for (round = 0; round < 2; ++round) { /* resolved, then straight from the slot */
    struct large made;
    expect(many_(1, 2, 3, 4, 5, 6, 7, 8, .1, .2, .3, .4, .5, .6, .7, .8, 9, .9) == 42.5, "many_");
    expect(zdotc_(&three, 1.5 + 2.5 * I) == 4.5 + 7.5 * I, "zdotc_");
    made = hidden_(1.25);
    expect(made.values[0] == 1.25 && made.values[4] == 6.25, "hidden_");
    expect(resolved == 3, "resolved once each");
  }
  expect(zdotc_64(&three, 1 + 1 * I) == 3 + 3 * I, "the twin");
  expect(resolved == 3, "the twin has the same slot");
  expect(reprosum_blas_calls[0] == 2 && reprosum_blas_calls[1] == 3 && reprosum_blas_calls[2] == 2,
         "counts");
  expect(isnan(crealf(refused_())) && isnan(cimagf(refused_())), "a refused result is NaN");
  expect(refused_index_() == 0, "a refused index is 0");
  expect(resolved == 6, "a refusal is never kept");
  expect(from_main == resolved, "the caller is told");
  if (!failed) puts("passed");
  return failed;
}
