/* every_name_caller: calls every name of symbols.txt as whoever is first has it, with arguments
 * that do not fit 32 bits, and looks whether the library behind (every_name.c) got them. Prints
 * what did not arrive, and how many did. Exit code 0: all. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE = 14, REAL = 8 };
struct call {
  const char* name;
  int64_t whole[WHOLE];
  double real[REAL];
};

static const struct {
  const char *name, *kept;
} names[] = {
#define TWIN(name, kept) {#name, kept},
#define NAME(name) {#name, #name},
#include EVERY_NAME
};

typedef double (*any)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, double, double,
                      double, double, double, double, double, int64_t, int64_t, int64_t, int64_t,
                      int64_t, int64_t, int64_t, int64_t);

int main(void) {
  struct call* const last = dlsym(RTLD_DEFAULT, "every_name_last");
  int64_t cells[WHOLE], w[WHOLE];
  const double real[REAL] = {.1, .2, .3, .4, .5, .6, .7, .8};
  size_t i, arrived = 0;
  int p, round;
  if (last == NULL) return puts("every_name.c is not loaded"), 2;
  for (i = 0; i < sizeof names / sizeof *names; ++i)
    for (round = 0; round < 2; ++round) { /* the first time it is looked up */
      const any call = (any)dlsym(RTLD_DEFAULT, names[i].name);
      double got;
      if (strcmp(names[i].name, "isamax_") == 0) continue; /* is asked for the width */
      if (call == NULL) return printf("no %s\n", names[i].name), 3;
      for (p = 0; p < WHOLE; ++p) {
        cells[p] = (INT64_C(7) << 33) + 3 + p;
        /* Fortran passes addresses, CBLAS numbers. */
        w[p] = strstr(names[i].name, "cblas_") == NULL ? (int64_t)(uintptr_t)&cells[p] : cells[p];
      }
      memset(last, 0, sizeof *last);
      got = call(w[0], w[1], w[2], w[3], w[4], w[5], real[0], real[1], real[2], real[3], real[4],
                 real[5], real[6], real[7], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13]);
      if (last->name != NULL && strcmp(last->name, names[i].kept) == 0 && got == 1.25 &&
          memcmp(last->whole, w, sizeof w) == 0 && memcmp(last->real, real, sizeof real) == 0)
        ++arrived;
      else
        printf("%s: %s\n", names[i].name, last->name == NULL ? "no call" : last->name);
    }
  printf("%zu of %zu arrived\n", arrived, 2 * i - 2);
  return arrived != 2 * i - 2;
}
