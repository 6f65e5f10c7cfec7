/* The whole job from C: capture a library, store, verify, compare and show its spec, and replay it.
 * Compiled as C89, so that the header is known to be C. */
#include "capture_caller.h"

#include <reprosum/capture.h>
#include <string.h>

static int count_and_go_on(void* user, const reprosum_progress* progress) {
  if (progress->stage != NULL && progress->calls >= 0 && progress->seconds >= 0) ++*(int*)user;
  return 0;
}

const char* whole_job(const char* target, double* dot) {
  static const char* const capture[] = {"routines", "ddot", "increments", "1:1", "n-max", "2k",
                                        "vectors",  "50",   "timeout",    "60",  NULL};
  static const char* const few[] = {"vectors", "50", NULL};
  static const char* const tree[] = {"routine", "ddot", "n", "3", NULL};
  static const double x[] = {1e16, 1, -1e16};
  static const double ones[] = {1, 1, 1};
  reprosum_spec *spec = NULL, *again = NULL;
  reprosum_handle* handle = NULL;
  char *report = NULL, *json = NULL, *text = NULL;
  int told = 0, holds = 0, same = 0;

  if (reprosum_capture(target, capture, count_and_go_on, &told, &spec, &report) != REPROSUM_OK)
    return reprosum_capture_last_error();
  if (told == 0) return "no progress was told";
  if (strstr(report, "reprosum-capture/1") == NULL) return report;
  reprosum_text_free(report);
  if (reprosum_spec_json(spec, &json) != REPROSUM_OK) return reprosum_capture_last_error();
  if (reprosum_spec_parse(json, strlen(json), &again) != REPROSUM_OK)
    return reprosum_capture_last_error();
  if (reprosum_diff(spec, again, NULL, &same, NULL) != REPROSUM_OK)
    return reprosum_capture_last_error();
  if (!same) return "a spec differs from its own document";
  if (reprosum_verify(again, target, few, NULL, NULL, &holds, &report) != REPROSUM_OK)
    return reprosum_capture_last_error();
  if (!holds || strstr(report, "reprosum-verify/1") == NULL) return report;
  reprosum_text_free(report);
  if (reprosum_show(spec, tree, &text) != REPROSUM_OK) return reprosum_capture_last_error();
  if (strstr(text, "0 + 1 + 2") == NULL) return text;
  reprosum_text_free(text);
  if (reprosum_open_memory(json, strlen(json), &handle) != REPROSUM_OK)
    return reprosum_last_error(NULL);
  if (reprosum_ddot(handle, 3, x, 1, ones, 1, dot) != REPROSUM_OK)
    return reprosum_last_error(handle);
  reprosum_close(handle);
  reprosum_text_free(json);
  reprosum_spec_free(again);
  reprosum_spec_free(spec);
  return NULL;
}
