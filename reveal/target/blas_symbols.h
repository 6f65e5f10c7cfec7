// How a library names its BLAS routines, and how wide the integers are that they are given.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace reprosum::reveal {

// Integers of every call, whether the library takes them of 32 or of 64 bits: no symbol says which.
// In memory, where Fortran's are, one that takes 32 bits reads the lower half. By value, where
// those of CBLAS are, it does so too: the ABIs of x86-64 and AArch64 pass either in a register or a
// slot of 64 bits, of which a narrow argument leaves the upper half open.
using BlasInteger = std::int64_t;
static_assert(std::endian::native == std::endian::little, "the lower half comes first");

// Libraries with 64-bit integers and those that come with a program's package decorate the names,
// so as not to be taken for the system's BLAS.
struct SymbolForm {
  std::string_view prefix, fortran_suffix, suffix;  // the last one is of CBLAS and of all others

  std::string fortran(const std::string& routine) const;
  std::string cblas(const std::string& routine) const;
  std::string other(const std::string& name) const;
};

// The usual form under which the library has the most routines. If two have equally many, the
// plainer one.
SymbolForm symbol_form(void* library);

}  // namespace reprosum::reveal
