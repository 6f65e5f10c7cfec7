// What dot and sum calls share: the replay of one reduction through the C API.
#pragma once

#include <cstdint>
#include <string>

#include "reprosum/reprosum.h"

namespace reprosum::blas {

template <class T>
reprosum_reduction reduction_of(reprosum_routine routine, std::int64_t n, const T* x,
                                std::int64_t incx, const T* y, std::int64_t incy) {
  const auto residue = [](const T* pointer) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(pointer) % 64);
  };
  return {routine,   sizeof(T) == 4 ? REPROSUM_F32 : REPROSUM_F64, n, incx, incy, 0, residue(x),
          residue(y)};
}

// The first argument that the spec does not admit, or that cannot be, in Fortran's numbering: 1 n,
// 2 x, 3 incx, 4 y, 5 incy, 0 none of them.
int reduction_at_fault(const reprosum_handle* handle, const reprosum_reduction& call);

// "ddot_ab12..._avx512 threads=1"
std::string reduction_kernel(const reprosum_handle* handle, const reprosum_reduction& call);

}  // namespace reprosum::blas
