/* thread_caller LIBRARY THREADS CALLS: every thread calls the same symbols, whose first calls meet.
 * Exit code 0: every result was right. */
#include <complex.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void* library;
static pthread_barrier_t start;
static int calls;

static void* work(void* wrong) {
  typedef float complex (*cdotc)(const int*);
  typedef void (*zdotc)(double complex*, const int*);
  const cdotc c = (cdotc)dlsym(library, "cdotc_");
  const zdotc z = (zdotc)dlsym(library, "zdotc_");
  int i;
  pthread_barrier_wait(&start);
  for (i = 0; i < calls; ++i) {
    double complex out = 0;
    if (c(&i) != i * (3 + 4 * I)) *(int*)wrong = 1;
    z(&out, &i);
    if (out != i * (1 + 2 * I)) *(int*)wrong = 1;
  }
  return NULL;
}

int main(int count, char** arguments) {
  enum { MOST = 64 };
  pthread_t threads[MOST];
  int wrong[MOST] = {0}, number, i, any = 0;
  if (count != 4) return 2;
  number = atoi(arguments[2]);
  calls = atoi(arguments[3]);
  library = dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL || number > MOST) return 2;
  pthread_barrier_init(&start, NULL, (unsigned)number);
  for (i = 0; i < number; ++i) pthread_create(&threads[i], NULL, work, &wrong[i]);
  for (i = 0; i < number; ++i) {
    pthread_join(threads[i], NULL);
    any |= wrong[i];
  }
  return any;
}
