/* Kernels that a program brings along: code made ahead of time by `reprosum gen --emit object`,
 * whose dispatcher source calls this. C and C++.
 *
 * What is added here is taken before code is generated, by the hash of an order, so a spec that was
 * opened may find all of its kernels here, or some, or none; the bits are the same. A library built
 * without LLVM has no other code: what is not here it interprets. */
#ifndef REPROSUM_KERNELS_H
#define REPROSUM_KERNELS_H

#include <reprosum/reprosum.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*reprosum_code)(void); /* stands for a function of any type */

typedef struct reprosum_linked_function {
  const char* name;
  reprosum_code code;
} reprosum_linked_function;

typedef struct reprosum_linked_object {
  const char* backend; /* that it was made for, such as "avx2" */
  const char* request; /* what it is the code of: order, routine, part */
  const char* remark;  /* what of it is left to the interpreter; "" if nothing is */
  const reprosum_linked_function* functions;
  size_t count;
} reprosum_linked_object;

/* Adds `count` objects; of what is there already the first stays. The tables are copied. The code
 * must stay in the process: a shared library that has it is not unloaded by dlclose() any more.
 * Call it before a spec is opened: a handle chooses its backend then. `generator` is what the
 * objects were made with; REPROSUM_ENVIRONMENT, and nothing is added, if this library takes those
 * of another. Thread safe. */
REPROSUM_API reprosum_status reprosum_add_linked_kernels(int generator,
                                                         const reprosum_linked_object* objects,
                                                         size_t count);

/* How many objects that were added have been taken by calls in this process. */
REPROSUM_API size_t reprosum_linked_kernels_taken(void);

#ifdef __cplusplus
}
#endif

#endif
