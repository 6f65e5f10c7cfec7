/* set_uid_program SPEC: a program with more rights than who starts it. It opens a spec of its own
 * choice through the C API, and calls BLAS. */
#include <reprosum/reprosum.h>
#include <stdio.h>
#include <unistd.h>

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy);
void drot_(const int* n, double* x, const int* incx, double* y, const int* incy, const double* c,
           const double* s);
/* Returns, so that the program goes on. */
__attribute__((visibility("default"))) void xerbla_(const char* name, const int* argument,
                                                    size_t length) {
  (void)name, (void)argument, (void)length;
}

int main(int count, char** arguments) {
  double x[] = {1, 2, 3}, turned[] = {1, 2, 3}, dot;
  const double one = 1, zero = 0;
  const int n = 3, inc = 1;
  reprosum_handle* handle = NULL;
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("uid %d euid %d\n", (int)getuid(), (int)geteuid());
  printf("ddot %g\n", ddot_(&n, x, &inc, x, &inc));
  drot_(&n, turned, &inc, turned, &inc, &one, &zero); /* refused, it leaves NaN */
  if (count < 2) return 0;
  printf("open %s\n", reprosum_status_string(reprosum_open_file(arguments[1], &handle)));
  if (handle != NULL && reprosum_ddot(handle, n, x, 1, x, 1, &dot) == REPROSUM_OK)
    printf("replayed %g\n", dot);
  reprosum_close(handle);
  return 0;
}
