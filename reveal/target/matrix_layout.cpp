#include "reveal/target/matrix_layout.h"

#include <fmt/format.h>

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

void check_edit(const MatrixCall& call, const MatrixEdit& edit) {
  using Operand = MatrixEdit::Operand;
  const std::int64_t rows = edit.operand == Operand::b ? call.k : call.m;
  const std::int64_t columns = edit.operand == Operand::a ? call.k : call.n;
  if (edit.row < 0 || edit.row >= rows || edit.column < 0 || edit.column >= columns) {
    throw InternalError("an edit lies outside the matrix");
  }
}

}  // namespace

MatrixLayouts layouts_of(const MatrixCall& call) {
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

void check(const MatrixCall& call) {
  const bool gemv = call.routine == spec::Routine::gemv;
  if (!gemv && call.routine != spec::Routine::gemm) {
    throw InternalError("a matrix call of a routine that is neither gemv nor gemm");
  }
  if (call.m < 0 || call.n < 0 || call.k < 0) throw InternalError("a matrix has a negative size");
  if (gemv && (call.n != 1 || call.trans_b != spec::Trans::no)) {
    throw InternalError("gemv has n = 1 and no transposition of x");
  }
  if (call.pad_a < 0 || call.pad_b < 0 || call.pad_c < 0) {
    throw InternalError("a leading dimension is less than the least one");
  }
  for (const int align : {call.align_a, call.align_b, call.align_c}) {
    if (align < 0 || align >= 64 || align % element_size(call.type) != 0) {
      throw InternalError("an alignment is not a multiple of the element size in 0..63");
    }
  }
}

void check(const MatrixBatch& batch) {
  const MatrixCall& call = batch.call;
  check(call);
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

void check(const MatrixCall& call, std::span<const UniformProbe> probes) {
  check(call);
  for (const UniformProbe& probe : probes) {
    if (probe.a.size() != static_cast<std::size_t>(call.k) || probe.b.size() != probe.a.size()) {
      throw InternalError("a uniform probe does not hold k values of a and of b");
    }
  }
}

std::string describe(const MatrixCall& call) {
  const auto letter = [](spec::Trans trans) { return trans == spec::Trans::no ? "N" : "T"; };
  const bool gemv = call.routine == spec::Routine::gemv;
  std::string text = spec::blas_name(call.routine, call.type) + " " + letter(call.trans_a);
  if (!gemv) text += letter(call.trans_b);
  const auto number = [&](const char* name, std::int64_t value) {
    text += fmt::format(" {}={}", name, value);
  };
  if (call.m > 0 || call.k > 0) {
    number("m", call.m);
    if (!gemv) number("n", call.n);
    number("k", call.k);
  }
  if (call.incx != 1 || call.incy != 1) {
    number("incx", call.incx);
    number("incy", call.incy);
  }
  const std::pair<const char*, std::int64_t> rare[] = {
      {"pad_a", call.pad_a},     {"pad_b", call.pad_b},     {"pad_c", call.pad_c},
      {"align_a", call.align_a}, {"align_b", call.align_b}, {"align_c", call.align_c}};
  for (const auto& [name, value] : rare)
    if (value != 0) number(name, value);
  return call.row_major ? text + " by rows" : text;
}

}  // namespace reprosum::reveal
