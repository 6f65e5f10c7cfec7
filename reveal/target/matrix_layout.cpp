#include "reveal/target/matrix_layout.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "reveal/target/layout.h"

namespace reprosum::reveal {
namespace {

OperandLayout stored_matrix(std::int64_t outer, std::int64_t inner, bool inner_contiguous,
                            std::int64_t padding, int align) {
  const std::int64_t line = inner_contiguous ? inner : outer;
  const std::int64_t lines = inner_contiguous ? outer : inner;
  OperandLayout layout;
  layout.outer = outer;
  layout.inner = inner;
  layout.leading = std::max<std::int64_t>(1, line) + padding;
  layout.outer_stride = inner_contiguous ? layout.leading : 1;
  layout.inner_stride = inner_contiguous ? 1 : layout.leading;
  layout.extent = line == 0 || lines == 0 ? 0 : (lines - 1) * layout.leading + line;
  layout.align = align;
  return layout;
}

OperandLayout stored_vector(std::int64_t n, std::int64_t increment, int align) {
  const VectorLayout vector{n, increment};
  OperandLayout layout;
  layout.outer = 1;
  layout.inner = n;
  layout.inner_stride = increment;
  layout.origin = n == 0 ? 0 : vector.position(0);
  layout.leading = increment;
  layout.extent = vector.span();
  layout.align = align;
  return layout;
}

// The product, or the largest number where it does not fit.
std::uint64_t product(std::int64_t x, std::int64_t y) {
  if (x != 0 && y > std::numeric_limits<std::int64_t>::max() / x) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return static_cast<std::uint64_t>(x * y);
}

void check_edit(const Call& call, const MatrixEdit& edit) {
  using Operand = MatrixEdit::Operand;
  const std::int64_t rows = edit.operand == Operand::b ? call.k : call.m;
  const std::int64_t columns = edit.operand == Operand::a ? call.k : call.n;
  if (edit.row < 0 || edit.row >= rows || edit.column < 0 || edit.column >= columns) {
    throw InternalError("an edit lies outside the matrix");
  }
}

void check_matrices(const Call& call) {
  if (!spec::has_matrices(call.routine))
    throw InternalError("a matrix call of a routine that is neither gemv nor gemm");
  check(call);
}

}  // namespace

namespace {

MatrixLayouts layouts_of_lines(const Call& call) {
  using spec::Trans;
  const OperandLayout a = stored_matrix(
      call.m, call.k, (call.trans_a == Trans::yes) != call.row_major, call.pad_a, call.align_a);
  if (call.routine == spec::Routine::gemv) {
    return {a, stored_vector(call.k, call.incx, call.align_b),
            stored_vector(call.m, call.incy, call.align_c)};
  }
  return {a,
          stored_matrix(call.n, call.k, (call.trans_b == Trans::no) != call.row_major, call.pad_b,
                        call.align_b),
          stored_matrix(call.n, call.m, !call.row_major, call.pad_c, call.align_c)};
}

}  // namespace

MatrixLayouts layouts_of(const Call& call) {
  MatrixLayouts layouts = layouts_of_lines(call);
  for (OperandLayout& layout : layouts) layout.modulus = call.place.modulus;
  // Where B is A's memory, that is as long as the longer one.
  if (call.place.shift) layouts[1].align = layouts[0].align;
  return layouts;
}

void check(const MatrixBatch& batch) {
  const Call& call = batch.call;
  check_matrices(call);
  const auto k = static_cast<std::size_t>(call.k);
  if (batch.a.size() != k && batch.a.size() != product(call.m, call.k)) {
    throw InternalError("a of a matrix batch holds neither k nor m * k values");
  }
  if (batch.b.size() != k && batch.b.size() != product(call.n, call.k)) {
    throw InternalError("b of a matrix batch holds neither k nor n * k values");
  }
  const bool no_c = batch.c.empty() && (batch.beta == 0 || call.m == 0 || call.n == 0);
  if (!no_c && batch.c.size() != 1 && batch.c.size() != product(call.m, call.n)) {
    throw InternalError("c of a matrix batch holds neither one nor m * n values");
  }
  for (const auto& probe : batch.probes) {
    for (const MatrixEdit& edit : probe) check_edit(call, edit);
  }
  for (const auto& [i, j] : batch.outputs) {
    if (i < 0 || i >= call.m || j < 0 || j >= call.n) {
      throw InternalError("an output that is asked for lies outside the matrix");
    }
  }
}

void check(const Call& call, std::span<const UniformProbe> probes) {
  check_matrices(call);
  for (const UniformProbe& probe : probes) {
    if (probe.a.size() != static_cast<std::size_t>(call.k) || probe.b.size() != probe.a.size()) {
      throw InternalError("a uniform probe does not hold k values of a and of b");
    }
  }
}

}  // namespace reprosum::reveal
