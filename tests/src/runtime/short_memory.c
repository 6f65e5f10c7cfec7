/* short_memory LIBRARY SPEC: opens SPEC by LIBRARY, loaded by dlopen(), in children that may have
 * little memory besides what they have then, from none to enough of it. Each open ends in a status.
 *
 * In C, since a C++ program has its own C++ runtime: this one comes with the library, so that what
 * a thread needs for exceptions is made when it is needed first. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int open_function(const char* path, void** handle);

/* What the process has of the address space. */
static rlim_t in_use(void) {
  unsigned long pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == 0) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static int open_with(const char* library, const char* spec, rlim_t more) {
  void *handle = 0, *const loaded = dlopen(library, RTLD_NOW);
  if (loaded == 0) return 9;
  void* const symbol = dlsym(loaded, "reprosum_open_file");
  open_function* open_file;
  memcpy(&open_file, &symbol, sizeof open_file);
  const rlim_t bytes = in_use() + more;
  const struct rlimit limit = {bytes, bytes};
  if (symbol == 0 || bytes == more || setrlimit(RLIMIT_AS, &limit) != 0) return 9;
  const int status = open_file(spec, &handle);
  return status == 0 ? 0 : status == 4 /* REPROSUM_ENVIRONMENT */ ? 1 : 8;
}

int main(int count, char** words) {
  int opened = 0, refused = 0, wrong = 0;
  if (count != 3) return 2;
  for (int mebibytes = 0; mebibytes <= 240; mebibytes += mebibytes < 40 ? 2 : 20) {
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) _exit(open_with(words[1], words[2], (rlim_t)mebibytes << 20));
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 2;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 0) ++opened;
    if (code == 1) ++refused;
    if (code != 0 && code != 1) {
      printf("with %d MiB the child ended with %d (wait status %#x)\n", mebibytes, code, status);
      ++wrong;
    }
  }
  printf("%d opened, %d were told that memory is short, %d ended otherwise\n", opened, refused,
         wrong);
  return wrong == 0 && opened > 0 && refused > 0 ? 0 : 1;
}
