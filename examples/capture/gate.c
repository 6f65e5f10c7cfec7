/* gate TARGET SPEC [ROUTINES]: captures the target if there is no such spec yet, else verifies it.
 * Exit code 0: captured, or the bits are those of the spec; 1: they are not; 2: trouble. */
#include <reprosum/capture.h>
#include <stdio.h>
#include <string.h>

static int show_progress(void* user, const reprosum_progress* progress) {
  (void)user;
  fprintf(stderr, "\r%6.1f s  %9lld calls  %.60s\033[K", progress->seconds,
          (long long)progress->calls, progress->stage);
  return 0; /* anything else ends the run */
}

static int trouble(void) {
  fprintf(stderr, "\n%s\n", reprosum_capture_last_error());
  return 2;
}

static int capture(const char* target, const char* path, const char* routines) {
  const char* const options[] = {"routines", routines, NULL};
  reprosum_spec* spec = NULL;
  char* json = NULL;
  FILE* file;
  int is_written;
  if (reprosum_capture(target, options, show_progress, NULL, &spec, NULL) != REPROSUM_OK ||
      reprosum_spec_json(spec, &json) != REPROSUM_OK)
    return trouble();
  file = fopen(path, "w");
  is_written = file != NULL && fputs(json, file) >= 0;
  if (file != NULL && fclose(file) != 0) is_written = 0;
  reprosum_text_free(json);
  reprosum_spec_free(spec);
  fprintf(stderr, "\n%s %s\n", is_written ? "captured into" : "cannot write", path);
  return is_written ? 0 : 2;
}

int main(int count, char** arguments) {
  reprosum_spec* spec = NULL;
  char* report = NULL;
  int holds = 0;
  reprosum_status status;
  if (count < 3) {
    fprintf(stderr, "usage: gate TARGET SPEC [ROUTINES]\n");
    return 2;
  }
  status = reprosum_spec_read(arguments[2], &spec);
  if (status == REPROSUM_ENVIRONMENT)
    return capture(arguments[1], arguments[2], count > 3 ? arguments[3] : "ddot");
  if (status != REPROSUM_OK) return trouble();
  if (reprosum_verify(spec, arguments[1], NULL, show_progress, NULL, &holds, &report) !=
      REPROSUM_OK)
    return trouble();
  fputs("\n", stderr);
  puts(report); /* JSON: the first mismatch of each entry */
  reprosum_text_free(report);
  reprosum_spec_free(spec);
  return holds ? 0 : 1;
}
