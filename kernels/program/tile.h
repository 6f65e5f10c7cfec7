// A tile: outputs of one class that one generated function computes together.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "kernels/plan/plan.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// What becomes of the value v of a piece. The output c is read only where it is named.
enum class Ending : std::uint8_t {
  store,        // v
  scaled,       // alpha*v rounded
  fuse_output,  // fma(beta, c, v)
  scaled_fuse,  // fma(beta, c, alpha*v rounded)
  add,          // c + v
  add_scaled,   // c + alpha*v rounded
  fuse_scaled,  // fma(alpha, v, c)
};

// vectors * lanes outputs down, `columns` across. "Down" is the side whose operand is read in
// vectors; the other operand is broadcast.
struct TileShape {
  int vectors = 1, columns = 1;
  bool masked = false;      // the last vector may be incomplete
  bool vector_is_x = true;  // which operand Scale::x means
  int vector_step = 0;      // elements from one summand to the next; 0: TileCall says
  int scalar_step = 0;      // the same; then the columns are neighbours
  int rows = 0;             // by rows: outputs at a time, the lanes of the order as vectors
  Ending ending = Ending::store;
  auto operator<=>(const TileShape&) const = default;
  std::string text() const;  // for names and keys
};

// What a tile function is called with: offsets are those of the fields, every field is 8 bytes.
// A float scalar occupies the first half of its field.
template <class T>
struct TileCall {
  const T* vector = nullptr;  // output 0, summand 0 of the piece
  std::int64_t vector_step = 0;
  const T* scalar = nullptr;
  std::int64_t scalar_step = 0, scalar_column = 1;
  std::int64_t q = 0, r = 0;  // of the plan
  T* c = nullptr;
  std::int64_t c_column = 0;
  std::int64_t down = 0;        // outputs down: (vectors - 1) * lanes < down <= vectors * lanes
  std::int64_t vector_row = 0;  // by rows: from one output to the next
  alignas(8) T alpha{1};
  alignas(8) T beta{0};
};
static_assert(sizeof(TileCall<float>) == sizeof(TileCall<double>));

using TileFunction = void (*)(const void*);

}  // namespace reprosum::kernels
