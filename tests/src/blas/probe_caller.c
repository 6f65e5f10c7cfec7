/* probe_caller LIBRARY: what libblastrampoline asks of a library that it loads. isamax_ with an n
 * whose low half alone is 3 tells 32-bit integers; the other results tell how floats and complex
 * numbers are returned. */
#include <complex.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int count, char** arguments) {
  const float x[] = {1, 3, 2}, y[] = {3, 2, 1};
  const float complex xc[] = {1 + 1 * I, 2 + 1 * I}, yc[] = {2 + 1 * I, 3 - 1 * I};
  const double complex xz[] = {1 + 1 * I, 2 + 1 * I}, yz[] = {2 + 1 * I, 3 - 1 * I};
  const int64_t wide_three = (int64_t)((UINT64_C(0xffffffff) << 32) | 3), wide_one = 1;
  const int one = 1, two = 2, three = 3;
  void* const library = count == 2 ? dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL) : NULL;
  if (library == NULL) return puts("no library"), 2;
  {
    int (*const isamax)(const int64_t*, const float*, const int64_t*) =
        (int (*)(const int64_t*, const float*, const int64_t*))dlsym(library, "isamax_");
    float (*const sdot)(const int*, const float*, const int*, const float*, const int*) =
        (float (*)(const int*, const float*, const int*, const float*, const int*))dlsym(library,
                                                                                         "sdot_");
    float complex (*const cdotc)(const int*, const float complex*, const int*, const float complex*,
                                 const int*) =
        (float complex (*)(const int*, const float complex*, const int*, const float complex*,
                           const int*))dlsym(library, "cdotc_");
    double complex (*const zdotc)(const int*, const double complex*, const int*,
                                  const double complex*, const int*) =
        (double complex (*)(const int*, const double complex*, const int*, const double complex*,
                            const int*))dlsym(library, "zdotc_");
    void (*const cblas)(int, const void*, int, const void*, int, void*) =
        (void (*)(int, const void*, int, const void*, int, void*))dlsym(library, "cblas_cdotc_sub");
    float complex c;
    double complex z;
    if (!isamax || !sdot || !cdotc || !zdotc || !cblas) return puts("a symbol is missing"), 3;
    printf("isamax_ %d\n", isamax(&wide_three, x, &wide_one));
    printf("sdot_ %g\n", (double)sdot(&three, x, &one, y, &one));
    c = cdotc(&two, xc, &one, yc, &one);
    printf("cdotc_ %g %g\n", (double)crealf(c), (double)cimagf(c));
    z = zdotc(&two, xz, &one, yz, &one);
    printf("zdotc_ %g %g\n", creal(z), cimag(z));
    cblas(2, xc, 1, yc, 1, &c);
    printf("cdotc_sub %g %g\n", (double)crealf(c), (double)cimagf(c));
  }
  return 0;
}
