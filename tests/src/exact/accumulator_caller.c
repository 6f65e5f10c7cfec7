/* The public header of exact mode read by a C89 compiler. */
#include <reprosum/exact.h>

double sum_from_c(void) {
  static const float x[3] = {1e30f, 3, -1e30f};
  reprosum_accumulator* sum = NULL;
  double result = -1;
  if (reprosum_accumulator_create(REPROSUM_F32, &sum) != REPROSUM_OK) return -2;
  if (reprosum_accumulator_sadd(sum, 3, x, 1) == REPROSUM_OK)
    (void)reprosum_accumulator_dround(sum, REPROSUM_NEAREST_EVEN, &result);
  reprosum_accumulator_destroy(sum);
  return result;
}
