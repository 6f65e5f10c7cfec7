/* linked_caller SPEC [LIBRARY]: sums and products of many sizes, as bits; on stderr how many linked
 * objects were taken. The library is opened, and closed again, before anything else. */
#include <dlfcn.h>
#include <reprosum/kernels.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1100 };

static double value(unsigned i) { /* signs, wide exponents, zeros */
  unsigned h = i * 2654435761u;
  double v = (double)(int)(h ^ (h >> 15)) / 65536.0;
  return h % 17 == 0 ? 0.0 : h % 3 == 0 ? v * 1e-9 : v;
}

static void refused(const char* what, const reprosum_handle* handle) {
  fprintf(stderr, "%s: %s\n", what, reprosum_last_error(handle));
  exit(1);
}

int main(int argc, char** argv) {
  static double x[2 * MOST], y[2 * MOST], a[300 * 300], b[300 * 300], c[300 * 300];
  static const int sizes[][3] = {{1, 1, 1},    {2, 3, 7},    {17, 5, 31},  {33, 1, 100},
                                 {64, 64, 64}, {100, 33, 9}, {7, 100, 16}, {129, 12, 257}};
  reprosum_handle* spec = NULL;
  double out = 0;
  int n, s, i;
  if (argc == 3) {
    void* const library = dlopen(argv[2], RTLD_NOW);
    if (library == NULL || dlclose(library) != 0) refused(argv[2], NULL);
  }
  if (argc < 2 || reprosum_open_file(argv[1], &spec) != REPROSUM_OK) refused("open", NULL);
  for (i = 0; i < 2 * MOST; ++i) x[i] = value(i + 1), y[i] = value(i + 7777);
  for (i = 0; i < 300 * 300; ++i) a[i] = value(i + 31), b[i] = value(i + 99991);
  for (n = 1; n <= MOST; n += n < 70 ? 1 : 103) {
    if (reprosum_ddot(spec, n, x, 1, y, 1, &out) != REPROSUM_OK) refused("ddot", spec);
    printf("ddot %d %a\n", n, out);
    if (reprosum_ddot(spec, n, x, 2, y, -1, &out) == REPROSUM_OK) printf("ddot2 %d %a\n", n, out);
  }
  for (s = 0; s < (int)(sizeof sizes / sizeof sizes[0]); ++s) {
    const int m = sizes[s][0], w = sizes[s][1], k = sizes[s][2];
    for (i = 0; i < m * w; ++i) c[i] = value(i + 5);
    if (reprosum_dgemm(spec, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, REPROSUM_NO_TRANS, m, w, k,
                       1.25, a, m, b, k, s % 2, c, m) != REPROSUM_OK)
      refused("dgemm", spec);
    for (i = 0; i < m * w; ++i) printf("dgemm %d %d %a\n", s, i, c[i]);
  }
  reprosum_close(spec);
  fprintf(stderr, "%lu\n", (unsigned long)reprosum_linked_kernels_taken());
  return 0;
}
