// Enumerations of the C API as values: a C caller can put any integer in one.
#pragma once

#include <cstring>
#include <string>

#include "reprosum/reprosum.h"
#include "spec/spec.h"
#include "src/runtime/errors.h"
#include "src/runtime/products.h"

namespace reprosum::runtime {

// Read as an integer: a switch may assume too much.
template <class Enum>
int number_of(const Enum& wild) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &wild, sizeof number);
  return number;
}

// Each throws BadArgument for a value that is none.
inline Layout layout_of(reprosum_layout layout) {
  switch (number_of(layout)) {
    case REPROSUM_COLUMN_MAJOR:
      return Layout::column_major;
    case REPROSUM_ROW_MAJOR:
      return Layout::row_major;
    default:
      throw BadArgument("unknown layout " + std::to_string(number_of(layout)));
  }
}

inline spec::Trans trans_of(reprosum_transpose trans) {
  switch (number_of(trans)) {
    case REPROSUM_NO_TRANS:
      return spec::Trans::no;
    case REPROSUM_TRANS:
    case REPROSUM_CONJ_TRANS:
      return spec::Trans::yes;
    default:
      throw BadArgument("unknown transpose " + std::to_string(number_of(trans)));
  }
}

inline spec::Type type_of(reprosum_type type) {
  switch (number_of(type)) {
    case REPROSUM_F32:
      return spec::Type::f32;
    case REPROSUM_F64:
      return spec::Type::f64;
    default:
      throw BadArgument("unknown type " + std::to_string(number_of(type)));
  }
}

}  // namespace reprosum::runtime
