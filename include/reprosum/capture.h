/* libreprosum_capture: capture, verify, compare and show specs from a program.
 *
 * What `reprosum capture`, `verify`, `diff` and `show` do, without a command line. A spec that was
 * captured here is replayed by libreprosum: reprosum_spec_json gives the document that
 * reprosum_open_memory reads. Link with reprosum::capture; libreprosum and libreprosum_blas do not
 * load this library.
 *
 * Rules that hold for every function:
 *  - It returns a status. When the status is not REPROSUM_OK, nothing was written through any
 *    pointer, and reprosum_capture_last_error says why in words.
 *  - Options are pairs of a name and a value, ended by NULL: {"routines", "sdot,ddot", "threads",
 *    "1,2", NULL}. Names, values and defaults are those of the command's options, without dashes
 *    ("n-max"); NULL in place of the list is all defaults. An unknown name is
 *    REPROSUM_BAD_ARGUMENT.
 *  - Reports are JSON objects with a "schema", the same as those of the command's --json.
 *  - Text that is given out is zero-terminated and freed by reprosum_text_free.
 *  - A spec may be read by any number of threads; only reprosum_spec_free must be the last call.
 *  - The caller's floating-point environment does not change a result and is left as it was. Work
 *    runs on threads of the library, with stacks of their own and all signals blocked.
 *  - Nothing is printed, nothing is read from stdin, nothing aborts, no exception comes out.
 *
 * A target is probed in a process of its own, the program reprosum-target: beside this library, or
 * where it was installed. It gets the variables of this process, unless that has more rights than
 * who started it (set-uid): then it gets none of them.
 */
#ifndef REPROSUM_CAPTURE_H
#define REPROSUM_CAPTURE_H

#include <reprosum/reprosum.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why the latest failing call of this thread failed; "" if none did. The text belongs to the
 * library and stays until this thread's next failing call. */
REPROSUM_API const char* reprosum_capture_last_error(void);

/* Frees what a function here gave out; NULL does nothing. */
REPROSUM_API void reprosum_text_free(char* text);

/* ---- specs ---- */

typedef struct reprosum_spec reprosum_spec;

/* Reads and checks a document. *spec is written only on success and must then be freed.
 * REPROSUM_ENVIRONMENT: the file cannot be read. REPROSUM_BAD_SPEC: the message says where. */
REPROSUM_API reprosum_status reprosum_spec_read(const char* path, reprosum_spec** spec);
REPROSUM_API reprosum_status reprosum_spec_parse(const void* text, size_t size,
                                                 reprosum_spec** spec);

/* Frees the spec; NULL does nothing. */
REPROSUM_API void reprosum_spec_free(reprosum_spec* spec);

/* *json = the document: what `reprosum capture -o` writes, and any function here reads. */
REPROSUM_API reprosum_status reprosum_spec_json(const reprosum_spec* spec, char** json);

/* ---- progress ---- */

/* What a run is at. The stage is for people ("ddot incx=1 threads=1: infer") and lasts for the
 * call; calls counts those of the target so far. */
typedef struct reprosum_progress {
  const char* stage;
  int64_t calls;
  double seconds;
} reprosum_progress;

/* Called at each step and some ten times a second between steps, by any thread of the library, one
 * at a time. Anything but 0 ends the run soon: within one probe, 20 seconds at most. So does a C++
 * exception, which goes no further. It must return: neither longjmp nor pthread_exit. */
typedef int (*reprosum_progress_function)(void* user, const reprosum_progress* progress);

/* ---- the four jobs ---- */

/* Probes a target, such as "blas:FILE_OR_SONAME" or "exec:COMMAND", and gives the certified spec.
 * Options: routines, threads, increments, n-max, reach, small-products, transposes, alpha-one
 * ("1"), timeout, seed, vectors. `progress`, `report` and the list of options may be NULL. *report
 * lists what was captured and what was refused, with the reason.
 *
 * A run that is ended, by its timeout or by `progress`, gives what it has captured by then; the
 * rest is refused as "not_reached". REPROSUM_NOT_COVERED: nothing could be certified; the message
 * has the reasons. REPROSUM_CANCELLED: `progress` ended the run before anything was.
 * REPROSUM_ENVIRONMENT: the target cannot be used. */
REPROSUM_API reprosum_status reprosum_capture(const char* target, const char* const* options,
                                              reprosum_progress_function progress, void* user,
                                              reprosum_spec** spec, char** report);

/* A function of this process that is probed: a sum, a dot product or both, of one or both types. */
typedef struct reprosum_function {
  const char* name;  /* for messages and provenance, such as "numpy.sum" */
  const char* facts; /* lines of NAME=VALUE for provenance; may be NULL */
  int sums, dots;    /* of which types: 1 floats, 2 doubles, 3 both, 0 none */
  void* user;
  /* *out = the reduction of one call; x, y (NULL for a sum) and out are floats or doubles as
   * call->type says. Pointers and increments are BLAS's, and each operand begins at
   * a multiple of 64 bytes: whether other addresses change the order is not asked.
   * What lies outside them must not be read. 0: done. 1: this is a call that the function does not
   * make (an increment, say); the spec then says nothing of such calls. Anything else: it failed,
   * and what needed the call is refused. */
  int (*call)(void* user, const reprosum_reduction* call, const void* x, const void* y, void* out);
} reprosum_function;

/* The same for a function, which the calling thread alone runs, one call at a time. Options: those
 * of reprosum_capture but threads. A function that does not come back is not ended: there is no
 * process to end. */
REPROSUM_API reprosum_status reprosum_capture_function(const reprosum_function* function,
                                                       const char* const* options,
                                                       reprosum_progress_function progress,
                                                       void* user, reprosum_spec** spec,
                                                       char** report);
REPROSUM_API reprosum_status reprosum_verify_function(const reprosum_spec* spec,
                                                      const reprosum_function* function,
                                                      const char* const* options,
                                                      reprosum_progress_function progress,
                                                      void* user, int* holds, char** report);

/* Replays random data of held-out sizes on the target, and asks what calls without summands give:
 * *holds = 1 if all bits are those of the spec, else 0, and *report has the first mismatch of each
 * entry and each rule. Options: timeout, seed, vectors.
 * REPROSUM_NOT_COVERED: the spec covers nothing. REPROSUM_CANCELLED: `progress` ended the run. */
REPROSUM_API reprosum_status reprosum_verify(const reprosum_spec* spec, const char* target,
                                             const char* const* options,
                                             reprosum_progress_function progress, void* user,
                                             int* holds, char** report);

/* *same = 1 if both specs have the same orders and coverage in the same contexts, else 0, and
 * *report says where each pair of contexts parts first. Options: threads ("1:2"). `report` may be
 * NULL. */
REPROSUM_API reprosum_status reprosum_diff(const reprosum_spec* a, const reprosum_spec* b,
                                           const char* const* options, int* same, char** report);

/* *text = the rules and the evidence or, with sizes, one tree or one region map. Options: routine,
 * n, m, k, trans, class, at, gaps, threads, inc, align, format ("text", "svg", "dot", "json").
 * REPROSUM_NOT_COVERED: the spec does not say what is asked for. */
REPROSUM_API reprosum_status reprosum_show(const reprosum_spec* spec, const char* const* options,
                                           char** text);

#ifdef __cplusplus
}
#endif

#endif
