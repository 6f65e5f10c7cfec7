// Relative paths in variables, for programs that go elsewhere before their first call.
#pragma once

#include <string>

namespace reprosum::blas {

// The path as it was meant when this library was loaded: one that is relative belongs to the working
// directory of then. A program that the process starts has its own.
std::string from_start(const char* path);

}  // namespace reprosum::blas
