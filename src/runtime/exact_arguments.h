// What must hold of the arguments of exact routines, and their matrices as views.
#pragma once

#include <cstdint>

#include "include/reprosum/exact.h"
#include "src/exact/products/product.h"
#include "src/runtime/arguments.h"
#include "src/runtime/border.h"

namespace reprosum::runtime {

// body() between C++ and C: what it throws becomes a status and a message.
template <class Body>
reprosum_status exact_call(Body&& body) noexcept {
  try {
    body();
    return REPROSUM_OK;
  } catch (...) {
    return status_of_current_exception(nullptr, REPROSUM_BAD_ARGUMENT);
  }
}

// All throw BadArgument with words that name the argument.
void check_size(const char* name, std::int64_t value);
void check_not_zero(const char* name, std::int64_t increment);
void check_matrix_pointer(const char* name, const void* pointer, std::size_t element_size);
bool is_row_major(reprosum_layout layout);
bool is_transposed(reprosum_transpose trans);
bool is_lower(reprosum_uplo uplo);
bool is_unit(reprosum_diag diag);
bool is_right(reprosum_side side);
// rows x columns is what is stored.
void check_leading(const char* name, std::int64_t leading, std::int64_t rows, std::int64_t columns,
                   bool row_major);

// The stored matrix, to be read by (row, column).
template <class T>
exact::View<T> view_of(T* first, std::int64_t leading, bool row_major) {
  return row_major ? exact::View<T>{first, leading, 1} : exact::View<T>{first, 1, leading};
}

// A vector as a column. @pre count > 0
template <class T>
exact::View<T> column_of(T* lowest, std::int64_t count, std::int64_t increment) {
  return {increment < 0 ? lowest + (1 - count) * increment : lowest, increment, 0};
}

// Own threads of exact routines, of the whole process.
int exact_workers();

}  // namespace reprosum::runtime
