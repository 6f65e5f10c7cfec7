// A program as a C11 function.
#pragma once

#include <string>

#include "kernels/program/program.h"

namespace reprosum::kernels::text {

// The type of the elements and the function that fuses them.
inline const char* c_type(spec::Type type) { return spec::is_f32(type) ? "float" : "double"; }

// static inline double NAME(int64_t n, const T *x, int64_t incx, const T *y, int64_t incy)
// for a program of form `strided`. A sum has no y; an update has T alpha, T beta, T c behind these.
// The value is returned as a double, which holds it exactly. Lanes are small arrays with loops of
// constant length, which compilers turn into vectors; a value that is used once stands where it is
// used. Throws InternalError where verify() objects, UserError for another form.
std::string c_function(const program::Program& program);

}  // namespace reprosum::kernels::text
