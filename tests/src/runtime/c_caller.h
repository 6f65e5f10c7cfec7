/* What the C side of the header test found. */
#ifndef REPROSUM_TESTS_C_CALLER_H
#define REPROSUM_TESTS_C_CALLER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0, or the number of the first step that went wrong. */
int call_from_c(const char* spec, size_t size, double* result);

#ifdef __cplusplus
}
#endif

#endif
