// The parts of the extension module reprosum._core.
#pragma once

#include <nanobind/nanobind.h>

namespace reprosum::python {

void add_exact(nanobind::module_& module);   // exact sums and the accumulator
void add_replay(nanobind::module_& module);  // open specs, and calls in their orders
// Captures, verification and what else libreprosum_capture does; not in exact-only wheels.
void add_capture(nanobind::module_& module);

}  // namespace reprosum::python
