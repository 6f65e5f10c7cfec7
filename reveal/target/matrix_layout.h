// Where the operands of a gemv or gemm lie in memory.
#pragma once

#include <array>
#include <cstdint>

#include "reveal/target.h"

namespace reprosum::reveal {

// One operand as a grid of `outer` times `inner` elements. outer counts what the compact data of a
// MatrixBatch repeat: rows of op(A), columns of op(B) and of C; so inner is k, k and m. Positions
// are elements from the first one in memory, which is the pointer that the routine gets.
struct OperandLayout {
  std::int64_t outer = 0, inner = 0;
  std::int64_t outer_stride = 0, inner_stride = 1;
  std::int64_t origin = 0;   // position of (0, 0); not 0 for a negative increment
  std::int64_t leading = 1;  // leading dimension, or increment of a vector
  std::int64_t extent = 0;   // elements from the first to the last one in memory, both included
  int align = 0, modulus = 64;

  std::int64_t position(std::int64_t at_outer, std::int64_t at_inner) const {
    return origin + at_outer * outer_stride + at_inner * inner_stride;
  }
  // The place of row r, column c of op(A), op(B) or C.
  std::int64_t place(MatrixEdit::Operand operand, std::int64_t r, std::int64_t c) const {
    return operand == MatrixEdit::Operand::a ? position(r, c) : position(c, r);
  }
  bool has_gaps() const { return extent != outer * inner; }
};

// A, B (or x), C (or y).
using MatrixLayouts = std::array<OperandLayout, 3>;
// @pre check(call) passed, and no dimension, padding or increment exceeds 2^31.
MatrixLayouts layouts_of(const Call& call);

// Throw InternalError when the preconditions of Target::run_matrix() and signatures() do not hold.
void check(const MatrixBatch& batch);
void check(const Call& call, std::span<const UniformProbe> probes);

}  // namespace reprosum::reveal
