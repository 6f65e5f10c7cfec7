// What a call of the C API says, as Python's exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include "reprosum/reprosum.h"

namespace reprosum::python {

// Makes the exceptions of the package and puts them into the module: reprosum.Error and its kinds.
void add_faults(nanobind::module_& module);

// @throws an exception of the package unless the status is REPROSUM_OK; `message` is what the
// library says of it.
void check(reprosum_status status, const char* message);

}  // namespace reprosum::python
