/* set_uid_program TARGET: a program with more rights than who starts it, which makes them its own
 * and captures a target. */
#include <reprosum/capture.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** arguments) {
  const char* const options[] = {"routines", "ddot", "timeout", "60", NULL};
  reprosum_spec* spec = NULL;
  if (count < 2) return 2;
  printf("uid %d euid %d\n", (int)getuid(), (int)geteuid());
  if (setreuid(geteuid(), geteuid()) != 0) return 2;
  if (reprosum_capture(arguments[1], options, NULL, NULL, &spec, NULL) != REPROSUM_OK)
    printf("%s\n", reprosum_capture_last_error());
  reprosum_spec_free(spec);
  return 0;
}
