/* gpu_sums opencl|cuda SPEC: dot products of many rows on a device, compared with this processor. */
#include <reprosum/gpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, ROWS = 500 };

static int failed(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 2;
}

int main(int count, char** words) {
  static double x[N * ROWS], y[N], here[ROWS], there[ROWS];
  reprosum_handle* spec = NULL;
  reprosum_gpu* gpu = NULL;
  reprosum_gpu_reduction dots;
  reprosum_gpu_backend backend;
  char name[100] = "";
  int i;
  if (count != 3) return failed("usage", "gpu_sums opencl|cuda SPEC");
  backend = strcmp(words[1], "cuda") == 0 ? REPROSUM_CUDA : REPROSUM_OPENCL;
  for (i = 0; i < N * ROWS; ++i) x[i] = 1.0 / (i % 977 + 1) - 0.004;
  for (i = 0; i < N; ++i) y[i] = 1.0 / (i % 101 + 1);

  if (reprosum_open_file(words[2], &spec) != REPROSUM_OK)
    return failed(words[2], reprosum_last_error(NULL));
  if (reprosum_gpu_open(spec, backend, 0, &gpu) != REPROSUM_OK)
    return failed("no device", reprosum_gpu_last_error(NULL));
  reprosum_gpu_device_name(gpu, name, sizeof name);

  memset(&dots, 0, sizeof dots);
  dots.routine = REPROSUM_DOT;
  dots.type = REPROSUM_F64;
  dots.n = N;
  dots.rows = ROWS;
  dots.x.memory = x;
  dots.x.increment = 1;
  dots.x.leading = N;
  dots.y.memory = y;
  dots.y.increment = 1; /* and leading 0: all rows share y */
  dots.out = there;
  if (reprosum_gpu_reduce_host(gpu, &dots) != REPROSUM_OK)
    return failed("on the device", reprosum_gpu_last_error(gpu));
  if (reprosum_ddot_batch(spec, N, ROWS, x, 1, N, y, 1, 0, here) != REPROSUM_OK)
    return failed("on the processor", reprosum_last_error(spec));
  printf("%s: %d dot products, %s\n", name, (int)ROWS,
         memcmp(here, there, sizeof here) == 0 ? "the same bits" : "OTHER BITS");
  reprosum_gpu_close(gpu);
  reprosum_close(spec);
  return memcmp(here, there, sizeof here) != 0;
}
