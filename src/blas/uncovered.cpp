#include "src/blas/uncovered.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "src/blas/shared_handle.h"

// Weak: the BLAS or the program that is in the process has one, or nobody has. It is not ours to
// export, since a second xerbla_ would hide the program's own.
extern "C" __attribute__((weak)) void xerbla_(const char* name, const int* argument,
                                              std::size_t name_length);

namespace reprosum::blas {
namespace {

// The first argument that the spec does not admit, in Fortran's numbering.
int argument_at_fault(const reprosum_reduction& call) {
  reprosum_handle* const handle = shared_handle().handle;
  if (handle == nullptr) return 0;
  const auto largest = [&](const reprosum_reduction& asked) {
    std::int64_t n = 0;
    return reprosum_largest_n(handle, &asked, &n) == REPROSUM_OK ? n : 0;
  };
  if (largest(call) > 0) return 1;  // the context is covered, only not up to this n
  reprosum_reduction unit = call;
  unit.incx = unit.incy = 1;
  if (largest(unit) == 0) return 0;
  unit.incx = call.incx;
  return largest(unit) == 0 ? 3 : 5;
}

}  // namespace

void uncovered(const reprosum_reduction& call, const char* why) {
  const bool sum = call.routine == REPROSUM_SUM;
  const std::string name =
      std::string(call.type == REPROSUM_F32 ? "S" : "D") + (sum ? "SUM  " : "DOT  ");
  std::string line = "libreprosum_blas: " + name.substr(0, 4) + "(n = " + std::to_string(call.n) +
                     ", incx = " + std::to_string(call.incx);
  if (!sum) line += ", incy = " + std::to_string(call.incy);
  line += std::string(") cannot be replayed: ") + why + "\n";
  std::fputs(line.c_str(), stderr);
  if (xerbla_ == nullptr) std::exit(EXIT_FAILURE);
  const int argument = argument_at_fault(call);
  xerbla_(name.c_str(), &argument, name.size());
}

}  // namespace reprosum::blas
