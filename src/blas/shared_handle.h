// The one spec of the process: what REPROSUM_SPEC names, opened at the first call that needs it.
#pragma once

#include <string>

#include "reprosum/reprosum.h"

namespace reprosum::blas {

struct SharedHandle {
  reprosum_handle* handle = nullptr;  // null: there is no usable spec, and `why` says why
  std::string why;
  bool none_named = false;  // REPROSUM_SPEC is not set: nothing is covered
};

// Thread safe. The handle is never closed: a program may call BLAS from its last destructor.
const SharedHandle& shared_handle();
// The same if it was opened, else nullptr.
const SharedHandle* opened_handle();

}  // namespace reprosum::blas
