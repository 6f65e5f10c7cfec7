#include "src/runtime/matrix_arguments.h"

#include <algorithm>
#include <string>
#include <utility>

#include "src/runtime/arguments.h"
#include "src/runtime/errors.h"

namespace reprosum::runtime {
namespace {

constexpr std::int64_t kMaxSize = std::int64_t{1} << 31;

[[noreturn]] void fail(const std::string& what) { throw BadArgument(what); }

// BLAS may be called so, but no spec speaks of it: products of two of them stay in 64 bits.
void check_limit(const char* name, std::int64_t value) {
  if (value > kMaxSize)
    throw NotCovered(std::string(name) + " = " + std::to_string(value) + " is larger than 2^31");
}

void check_size(const char* name, std::int64_t value) {
  if (value < 0) fail(std::string(name) + " = " + std::to_string(value) + " is negative");
  check_limit(name, value);
}

template <class T>
void check_pointer(const char* name, const T* pointer) {
  if (pointer == nullptr) fail(std::string(name) + " is null");
  if (reinterpret_cast<std::uintptr_t>(pointer) % sizeof(T) != 0)
    fail(std::string(name) + " is not aligned to its elements");
}

// `rows` x `columns` is what is stored.
void check_leading(const char* name, std::int64_t leading, std::int64_t rows, std::int64_t columns,
                   Layout layout) {
  const std::int64_t least =
      std::max<std::int64_t>(layout == Layout::column_major ? rows : columns, 1);
  if (leading < least)
    fail(std::string(name) + " = " + std::to_string(leading) + " is less than " +
         std::to_string(least));
  check_limit(name, leading);
}

spec::Trans flipped(spec::Trans trans) {
  return trans == spec::Trans::no ? spec::Trans::yes : spec::Trans::no;
}

// BLAS passes the lowest address; summand 0 of a vector with a negative increment is its last.
template <class T>
T* first_element(T* vector, std::int64_t count, std::int64_t increment) {
  if (vector == nullptr || count < 1) return vector;
  return increment < 0 ? vector + (1 - count) * increment : vector;
}

template <class T>
spec::MatrixArguments<T> column_major_gemv(const MatrixCall<T>& call) {
  spec::MatrixArguments<T> out;
  out.routine = spec::Routine::gemv;
  const bool rows = call.layout == Layout::row_major;
  out.trans_a = rows ? flipped(call.trans_a) : call.trans_a;
  out.m = call.trans_a == spec::Trans::no ? call.m : call.n;
  out.n = 1;
  out.k = call.trans_a == spec::Trans::no ? call.n : call.m;
  out.a = call.a;
  out.lda = call.lda;
  out.b = first_element(call.b, out.k, call.ldb);
  out.incb = call.ldb;
  out.c = first_element(call.c, out.m, call.ldc);
  out.incc = call.ldc;
  return out;
}

}  // namespace

template <class T>
void check_arguments(const MatrixCall<T>& call) {
  const bool gemv = call.routine == spec::Routine::gemv;
  check_size("m", call.m);
  check_size("n", call.n);
  if (!gemv) check_size("k", call.k);
  if (gemv) {
    check_leading("lda", call.lda, call.m, call.n, call.layout);
    if (call.ldb == 0) fail("incx is 0");
    if (call.ldc == 0) fail("incy is 0");
    const bool plain = call.trans_a == spec::Trans::no;
    const std::int64_t summands = plain ? call.n : call.m, outputs = plain ? call.m : call.n;
    if (summands > 0) check_reach({"x", call.b, call.ldb, 0}, summands, 1, sizeof(T));
    if (outputs > 0) check_reach({"y", call.c, call.ldc, 0}, outputs, 1, sizeof(T));
    return;
  }
  const auto stored = [](spec::Trans trans, std::int64_t rows, std::int64_t columns) {
    return trans == spec::Trans::no ? std::pair{rows, columns} : std::pair{columns, rows};
  };
  const auto [a_rows, a_columns] = stored(call.trans_a, call.m, call.k);
  const auto [b_rows, b_columns] = stored(call.trans_b, call.k, call.n);
  check_leading("lda", call.lda, a_rows, a_columns, call.layout);
  check_leading("ldb", call.ldb, b_rows, b_columns, call.layout);
  check_leading("ldc", call.ldc, call.m, call.n, call.layout);
}

template <class T>
void check_factors(const MatrixCall<T>& call) {
  check_pointer("a", call.a);
  if (call.routine == spec::Routine::gemm) return check_pointer("b", call.b);
  check_vector("x", call.b, call.ldb, call.trans_a == spec::Trans::no ? call.n : call.m);
}

template <class T>
void check_output(const MatrixCall<T>& call) {
  if (call.routine == spec::Routine::gemm) return check_pointer("c", call.c);
  check_vector("y", call.c, call.ldc, call.trans_a == spec::Trans::no ? call.m : call.n);
}

template <class T>
spec::MatrixArguments<T> column_major(const MatrixCall<T>& call) {
  spec::MatrixArguments<T> out;
  if (call.routine == spec::Routine::gemv) {
    out = column_major_gemv(call);
  } else {
    out.routine = spec::Routine::gemm;
    out.trans_a = call.trans_a;
    out.trans_b = call.trans_b;
    out.m = call.m;
    out.n = call.n;
    out.k = call.k;
    out.a = call.a;
    out.lda = call.lda;
    out.b = call.b;
    out.ldb = call.ldb;
    out.c = call.c;
    out.ldc = call.ldc;
    if (call.layout == Layout::row_major) {
      std::swap(out.a, out.b);
      std::swap(out.lda, out.ldb);
      std::swap(out.trans_a, out.trans_b);
      std::swap(out.m, out.n);
    }
  }
  out.alpha = call.alpha;
  out.beta = call.beta;
  return out;
}

template <class T>
void update_without_summands(const spec::EmptyRule& rule, const spec::MatrixArguments<T>& call) {
  for (std::int64_t j = 0; j < call.n; ++j)
    for (std::int64_t i = 0; i < call.m; ++i) {
      T* const c = call.at_c(i, j);
      *c = spec::value_of(rule, call.alpha, call.beta, *c);
    }
}

template void check_arguments(const MatrixCall<float>&);
template void check_arguments(const MatrixCall<double>&);
template spec::MatrixArguments<float> column_major(const MatrixCall<float>&);
template spec::MatrixArguments<double> column_major(const MatrixCall<double>&);
template void check_factors(const MatrixCall<float>&);
template void check_factors(const MatrixCall<double>&);
template void check_output(const MatrixCall<float>&);
template void check_output(const MatrixCall<double>&);
template void update_without_summands(const spec::EmptyRule&, const spec::MatrixArguments<float>&);
template void update_without_summands(const spec::EmptyRule&, const spec::MatrixArguments<double>&);

}  // namespace reprosum::runtime
