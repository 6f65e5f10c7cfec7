/* What the C file gives to the C++ test. */
#ifndef REPROSUM_TESTS_CAPTURE_CALLER_H
#define REPROSUM_TESTS_CAPTURE_CALLER_H

#ifdef __cplusplus
extern "C" {
#endif

/* NULL, or what went wrong. *dot: 1e16 + 1 - 1e16 in the order of the target. */
const char* whole_job(const char* target, double* dot);

#ifdef __cplusplus
}
#endif

#endif
