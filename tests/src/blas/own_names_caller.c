/* own_names_caller LIBRARY...: opens each for itself alone, as a Python module is, and lets it
 * call. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  int i;
  setvbuf(stdout, NULL, _IONBF, 0);
  for (i = 1; i < count; ++i) {
    void* const library = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    void (*const call)(void) = library ? (void (*)(void))dlsym(library, "call") : NULL;
    if (call == NULL) return puts(dlerror()), 2;
    call();
  }
  return 0;
}
