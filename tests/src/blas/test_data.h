/* The data that blas_caller sums and that its test evaluates: other orders round otherwise. */
#ifndef REPROSUM_TESTS_TEST_DATA_H
#define REPROSUM_TESTS_TEST_DATA_H

enum { DATA_SIZE = 4000 };

static double data_x(int i) { return ((i * 7919) % 1009 - 500) / 3.0 * (i % 5 == 0 ? 1e4 : 1); }
static double data_y(int i) { return ((i * 104729) % 997 - 400) / 7.0; }

#endif
