/* Replays a dot product and a matrix times a vector by kernels that are linked into the program. */
#include <dot_kernels.h>
#include <reprosum/reprosum.h>
#include <stdio.h>

enum { N = 1000, M = 37 };

static int failed(const char* what, const reprosum_handle* handle) {
  fprintf(stderr, "%s: %s\n", what, reprosum_last_error(handle));
  return 1;
}

int main(void) {
  static double a[M * N], x[N], y[M];
  double sum = 0;
  char name[100] = "";
  const reprosum_reduction ddot = {REPROSUM_DOT, REPROSUM_F64, N, 1, 1, 0, 0, 0};
  reprosum_handle* spec = NULL;
  int i;
  for (i = 0; i < N; ++i) x[i] = 1.0 / (i + 1);
  for (i = 0; i < M * N; ++i) a[i] = 1.0 / (i % 101 + 1);

  /* Done before main(); its status says whether the library takes these kernels. */
  if (dot_kernels_add() != REPROSUM_OK) return failed("dot_kernels", NULL);
  if (reprosum_open_file(SPEC_FILE, &spec) != REPROSUM_OK) return failed(SPEC_FILE, NULL);
  if (reprosum_ddot(spec, N, x, 1, x, 1, &sum) != REPROSUM_OK) return failed("ddot", spec);
  if (reprosum_dgemv(spec, REPROSUM_COLUMN_MAJOR, REPROSUM_NO_TRANS, M, N, 1, a, M, x, 1, 0, y, 1) !=
      REPROSUM_OK)
    return failed("dgemv", spec);
  if (reprosum_kernel_name(spec, &ddot, name, sizeof name, NULL) != REPROSUM_OK)
    return failed("the kernel's name", spec);
  printf("ddot %a by %s, dgemv[%d] %a, %lu linked objects taken\n", sum, name, M - 1, y[M - 1],
         (unsigned long)reprosum_linked_kernels_taken());
  reprosum_close(spec);
  return 0;
}
