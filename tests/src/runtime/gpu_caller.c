/* The header of devices read by a C89 compiler without any header of OpenCL or CUDA. */
#include "gpu_caller.h"

#include <string.h>

int reduce_from_c(const reprosum_handle* handle, reprosum_gpu_backend backend, double* result) {
  static const double x[5] = {1, 2, 3, 4, 5};
  reprosum_gpu* gpu = NULL;
  reprosum_gpu_reduction call;
  char name[8];
  int count = 0;
  if (reprosum_gpu_device_count(backend, &count) != REPROSUM_OK) return 1;
  if (count == 0) return -1;
  if (reprosum_gpu_open(handle, backend, 0, &gpu) != REPROSUM_OK) return 2;
  if (reprosum_gpu_device_name(gpu, name, sizeof name) != REPROSUM_OK) return 3;
  if (strlen(name) == 0 || strlen(name) > 7) return 4;
  memset(&call, 0, sizeof call);
  call.routine = REPROSUM_DOT;
  call.type = REPROSUM_F64;
  call.n = 5;
  call.rows = 1;
  call.x.memory = call.y.memory = (void*)x;
  call.x.increment = call.y.increment = 1;
  call.out = result;
  if (reprosum_gpu_reduce_host(gpu, &call) != REPROSUM_OK) return 5;
  reprosum_gpu_close(gpu);
  return 0;
}
