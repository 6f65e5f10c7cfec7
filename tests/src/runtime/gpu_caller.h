/* What the C side of the test of devices found. */
#ifndef REPROSUM_TESTS_GPU_CALLER_H
#define REPROSUM_TESTS_GPU_CALLER_H

#include "reprosum/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 0; -1 if there is no device; or the number of the first step that went wrong. */
int reduce_from_c(const reprosum_handle* handle, reprosum_gpu_backend backend, double* result);

#ifdef __cplusplus
}
#endif

#endif
