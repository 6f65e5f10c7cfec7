/* The public header read by a C89 compiler, and a whole life of a handle in C. */
#include "c_caller.h"

#include <string.h>

#include "reprosum/reprosum.h"

int call_from_c(const char* spec, size_t size, double* result) {
  static const double x[5] = {1, 2, 3, 4, 5};
  reprosum_handle* handle = NULL;
  reprosum_reduction reduction;
  char hash[65];
  int covered = 0;
  if (strncmp(reprosum_version(), "0.1.", 4) != 0) return 1;
  if (reprosum_open_memory(spec, size, &handle) != REPROSUM_OK) return 2;
  memset(&reduction, 0, sizeof reduction);
  reduction.routine = REPROSUM_DOT;
  reduction.type = REPROSUM_F64;
  reduction.n = 5;
  reduction.incx = reduction.incy = 1;
  if (reprosum_covers(handle, &reduction, &covered) != REPROSUM_OK || !covered) return 3;
  if (reprosum_spec_hash(handle, hash) != REPROSUM_OK || strlen(hash) != 64) return 4;
  if (reprosum_ddot(handle, 5, x, 1, x, 1, result) != REPROSUM_OK) return 5;
  reprosum_close(handle);
  return 0;
}
