/* The least a program does with the installed library. */
#include <reprosum/reprosum.h>
#include <string.h>

int main(void) {
  reprosum_handle* handle = NULL;
  if (strcmp(reprosum_version(), "0.1.0") != 0) return 1;
  if (reprosum_open_memory("no spec", 7, &handle) != REPROSUM_BAD_SPEC) return 2;
  if (reprosum_last_error(NULL)[0] == '\0') return 3;
  return 0;
}
