// What a call that is not served leaves in its outputs: NaN, which shows. The values from before
// would pass for a result once the error exit has returned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/blas/matrix.h"

namespace reprosum::blas {

// Stored as bits: no arithmetic, and no trap, in the caller's floating-point environment.
template <class T>
void put_nan(T* place) {
  constexpr BitsOf<T> kBits = sizeof(T) == 8 ? static_cast<BitsOf<T>>(0x7FF8000000000000)
                                             : static_cast<BitsOf<T>>(0x7FC00000);
  *place = std::bit_cast<T>(kBits);
}

// The n elements of a BLAS vector, each of `parts` numbers (2: complex).
template <class T>
void put_nan(T* vector, std::int64_t n, std::int64_t increment, int parts = 1) {
  if (n <= 0 || vector == nullptr) return;
  std::ptrdiff_t at = increment < 0 ? (1 - n) * increment : 0;
  for (std::int64_t i = 0; i < n; ++i, at += increment)
    for (int part = 0; part < parts; ++part) put_nan(vector + at * parts + part);
}

// m x n elements, column by column `ld` apart.
template <class T>
void put_nan_in_matrix(T* matrix, std::int64_t m, std::int64_t n, std::int64_t ld, int parts = 1) {
  if (matrix == nullptr) return;
  for (std::int64_t j = 0; j < n; ++j) put_nan(matrix + j * ld * parts, m, 1, parts);
}

// One triangle, with the diagonal, of an n x n matrix stored by columns.
template <class T>
void put_nan_in_triangle(T* matrix, bool upper, std::int64_t n, std::int64_t ld, int parts = 1) {
  if (matrix == nullptr) return;
  for (std::int64_t j = 0; j < n; ++j) {
    const std::int64_t first = upper ? 0 : j;
    put_nan(matrix + (j * ld + first) * parts, upper ? j + 1 : n - j, 1, parts);
  }
}

}  // namespace reprosum::blas
