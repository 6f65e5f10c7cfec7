/* fake_caller LIBRARY SYMBOL...: opens the library as libblastrampoline does, calls each symbol
 * with fixed arguments and prints what comes back. FAKE_LOADED names libraries, with colons
 * between them, that are loaded first as what a module needs is; the word "close" closes the last.
 */
#include <complex.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_XERBLA
__attribute__((visibility("default"))) void xerbla_(const char* name, const int* argument,
                                                    size_t length) {
  printf("xerbla %.*s %d\n", (int)length, name, *argument);
}
#endif

static double a[] = {11, 12, 13, 14}, b[] = {21, 22, 23, 24};
static const double alpha = 0.5, beta = 0.25;
static const int one = 1, two = 2, three = 3;
static const int64_t big = INT64_C(0x100000002), one_64 = 1;

static void call(const char* symbol, void* address) {
  typedef double (*dot_)(const int*, const double*, const int*, const double*, const int*);
  typedef double (*dot_64)(const int64_t*, const double*, const int64_t*, const double*,
                           const int64_t*);
  typedef double (*cblas_dot)(int, const double*, int, const double*, int);
  typedef void (*gemv_)(const char*, const int*, const int*, const double*, const double*,
                        const int*, const double*, const int*, const double*, double*, const int*,
                        size_t);
  typedef void (*cblas_gemv)(int, int, int, int, double, const double*, int, const double*, int,
                             double, double*, int);
  typedef void (*gemm_)(const char*, const char*, const int*, const int*, const int*, const double*,
                        const double*, const int*, const double*, const int*, const double*,
                        double*, const int*, size_t, size_t);
  typedef void (*cblas_gemm)(int, int, int, int, int, int, double, const double*, int,
                             const double*, int, double, double*, int);
  typedef void (*trsm_)(const char*, const char*, const char*, const char*, const int*, const int*,
                        const double*, const double*, const int*, double*, const int*, size_t,
                        size_t, size_t, size_t);
  const char* const plain = strncmp(symbol, "scipy_", 6) == 0 ? symbol + 6 : symbol;
  double c[4] = {31, 32, 33, 34};
  if (strcmp(plain, "ddot_") == 0)
    c[0] = ((dot_)address)(&two, a, &one, b, &one);
  else if (strcmp(plain, "ddot_bad") == 0) /* x between two elements */
    c[0] = ((dot_)address)(&two, (const double*)(const void*)((const char*)a + 4), &one, b, &one);
  else if (strcmp(plain, "ddot_64_") == 0 || strcmp(plain, "ddot_64") == 0)
    c[0] = ((dot_64)address)(&big, a, &one_64, b, &one_64);
  else if (strcmp(plain, "cblas_ddot") == 0)
    c[0] = ((cblas_dot)address)(2, a, 1, b, 1);
  else if (strcmp(plain, "dgemv_") == 0)
    ((gemv_)address)("T", &two, &two, &alpha, a, &three, b, &one, &beta, c, &two, 1);
  else if (strcmp(plain, "cblas_dgemv") == 0)
    ((cblas_gemv)address)(101, 112, 2, 2, alpha, a, 3, b, 1, beta, c, 2);
  else if (strcmp(plain, "dgemm_") == 0)
    ((gemm_)address)("N", "t", &two, &one, &two, &alpha, a, &two, b, &three, &beta, c, &two, 1, 1);
  else if (strcmp(plain, "cblas_dgemm") == 0)
    ((cblas_gemm)address)(102, 111, 112, 2, 1, 2, alpha, a, 2, b, 3, beta, c, 2);
  else if (strcmp(plain, "dgemm_bad") == 0) /* ldc, the last argument */
    ((gemm_)address)("N", "N", &two, &one, &two, &alpha, a, &two, b, &three, &beta, c, &one, 1, 1);
  else if (strcmp(plain, "cblas_dgemm_bad") == 0) /* row-major: A has rows of 3 */
    ((cblas_gemm)address)(101, 111, 111, 2, 1, 3, alpha, a, 2, b, 1, beta, c, 1);
  else if (strcmp(plain, "cblas_daxpy") == 0)
    ((void (*)(int, double, const double*, int, double*, int))address)(2, alpha, a, 1, c, 1);
  else if (strcmp(plain, "fake_calls_itself") == 0)
    ((void (*)(void))address)();
  else if (strcmp(plain, "cblas_dtrsv") == 0) { /* x2 = 1 - 3 * x1; then x1 = 1 / 0 */
    double t[] = {3, 3, 0, 1};
    c[0] = c[1] = 1;
    ((void (*)(int, int, int, int, int, const double*, int, double*, int))address)(
        102, 122, 111, 131, 2, t, 2, c, 1);
    printf("%s %g\n", symbol, c[1]);
    t[0] = 0;
    ((void (*)(int, int, int, int, int, const double*, int, double*, int))address)(
        102, 122, 111, 131, 2, t, 2, c, 1);
  } else if (strcmp(plain, "isamax_") == 0) {
    const float x[] = {1, 3, 2};
    c[0] = ((int (*)(const int*, const float*, const int*))address)(&three, x, &one);
  } else if (strcmp(plain, "dasum_") == 0) /* without a vector */
    c[0] = ((double (*)(const int*, const double*, const int*))address)(&two, NULL, &one);
  else if (strcmp(plain, "dgemm_odd") == 0) /* of OpenBLAS's transposes */
    ((gemm_)address)("R", "N", &two, &one, &two, &alpha, a, &two, b, &three, &beta, c, &two, 1, 1);
  else if (strcmp(plain, "drotg_") == 0 || strcmp(plain, "cblas_drotg") == 0) {
    ((void (*)(double*, double*, double*, double*))address)(c, c + 1, c + 2, c + 3);
    printf("%s %g %g %g\n", symbol, c[1], c[2], c[3]);
  } else if (strcmp(plain, "cblas_drotmg") == 0) {
    double parameters[5] = {1, 2, 3, 4, 5};
    ((void (*)(double*, double*, double*, double, double*))address)(c, c + 1, c + 2, 7, parameters);
    printf("%s %g %g %g %g\n", symbol, c[1], c[2], parameters[0], parameters[4]);
  } else if (strcmp(plain, "cblas_zdotu_sub") == 0 || strcmp(plain, "cblas_zdotc_sub64_") == 0) {
    ((void (*)(int64_t, const double*, int64_t, const double*, int64_t, double*))address)(1, a, 1,
                                                                                          b, 1, c);
    printf("%s %g\n", symbol, c[1]);
  } else if (strcmp(plain, "dtrsm_") == 0 || strcmp(plain, "strsm_64_") == 0)
    ((trsm_)address)("L", "U", "N", "D", &two, &one, &alpha, a, &two, b, &two, 1, 1, 1, 1);
  else if (strcmp(plain, "zdotc_") == 0) {
    double complex z = 0;
    ((void (*)(double complex*, const int*))address)(&z, &three);
    printf("%s %g %g\n", symbol, creal(z), cimag(z));
    return;
  } else if (strcmp(plain, "cdotc_") == 0) {
    const float complex z = ((float complex (*)(const int*))address)(&three);
    printf("%s %g %g\n", symbol, (double)crealf(z), (double)cimagf(z));
    return;
  }
  printf("%s %g\n", symbol, c[0]);
}

int main(int count, char** arguments) {
  int i;
  void* loaded = NULL;
  char* const first = getenv("FAKE_LOADED");
  char* name_of_first = first == NULL ? NULL : strtok(first, ":");
  for (; name_of_first != NULL; name_of_first = strtok(NULL, ":"))
    if ((loaded = dlopen(name_of_first, RTLD_LAZY | RTLD_LOCAL)) == NULL) return puts(dlerror()), 2;
  void* const library = dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
  setvbuf(stdout, NULL, _IONBF, 0); /* in order with what goes to stderr */
  if (library == NULL) return puts(dlerror()), 2;
  for (i = 2; i < count; ++i) {
    char name[64];
    size_t length;
    void* address;
    if (strcmp(arguments[i], "close") == 0) {
      if (dlclose(loaded) != 0) return 4;
      continue;
    }
    if (strcmp(arguments[i], "chdir") == 0) {
      if (chdir("/") != 0) return 4;
      continue;
    }
    snprintf(name, sizeof name, "%s", arguments[i]);
    length = strlen(name);
    if (length > 4 &&
        (strcmp(name + length - 4, "_bad") == 0 || strcmp(name + length - 4, "_odd") == 0))
      name[length - (name[0] == 'c' ? 4 : 3)] = '\0'; /* dgemm_bad tests dgemm_ */
    address = dlsym(library, name);
    if (address == NULL) return printf("no %s\n", name), 3;
    call(arguments[i], address);
  }
  return 0;
}
