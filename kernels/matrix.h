// Replaying gemv and gemm: every output by the order of its region.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// A column-major call. gemm: C (m x n) := alpha*op(A)*op(B) + beta*C with leading dimensions.
// gemv: n = 1; `b` points at x's logical first element with stride incb, `c` at y's with stride
// incc (signs included), and A is m x k (trans_a no) or k x m (yes).
template <class T>
struct MatrixArguments {
  spec::Routine routine = spec::Routine::gemm;
  spec::Trans trans_a = spec::Trans::no, trans_b = spec::Trans::no;
  std::int64_t m = 0, n = 0, k = 0;
  T alpha{1}, beta{0};
  const T* a = nullptr;
  std::int64_t lda = 0;
  const T* b = nullptr;
  std::int64_t ldb = 0;  // gemm
  T* c = nullptr;
  std::int64_t ldc = 0;             // gemm
  std::int64_t incb = 1, incc = 1;  // gemv

  // Element (i, p) of op(A) and (p, j) of op(B), output (i, j).
  const T* at_a(std::int64_t i, std::int64_t p) const {
    return trans_a == spec::Trans::no ? a + i + p * lda : a + p + i * lda;
  }
  const T* at_b(std::int64_t p, std::int64_t j) const {
    if (routine == spec::Routine::gemv) return b + p * incb;
    return trans_b == spec::Trans::no ? b + p + j * ldb : b + j + p * ldb;
  }
  T* at_c(std::int64_t i, std::int64_t j) const {
    return routine == spec::Routine::gemv ? c + i * incc : c + i + j * ldc;
  }
};

// The scalars of one output, for evaluate() of an order with `out` and scales.
template <class T>
struct Update {
  T alpha{1}, beta{0}, c{0};
  spec::MatrixClass::BetaZero beta_zero = spec::MatrixClass::BetaZero::store;
  spec::MatrixClass::AlphaZero alpha_zero = spec::MatrixClass::AlphaZero::skip;
};

// One output: `order` over n >= 1 summands. The result is rounded to T. beta == 0 and alpha == 0
// follow the class's rules; c is not read where beta == 0, unless the rule is to multiply.
template <class T>
T evaluate_update(const spec::Order& order, std::int64_t n, const T* x, std::int64_t incx,
                  const T* y, std::int64_t incy, const Update<T>& update);

// Every output by the reference interpreter. k >= 1. @pre map.regime covers the shape.
template <class T>
void interpret_matrix(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                      const MatrixArguments<T>& arguments);

// The kernels of the classes of one region rule. Thread safe: kernels are generated at their first
// use. Holds references to nothing: orders are copied.
template <class T>
class MatrixKernels {
 public:
  virtual ~MatrixKernels() = default;
  // As interpret_matrix, bit for bit, with generated kernels, the outputs spread over `workers`
  // threads (any number gives the same bits).
  virtual void run(const spec::RegionMap& map, const MatrixArguments<T>& arguments,
                   int workers) const = 0;
  // One line per class that has outputs in the map: "<kernel name>: <outputs it computes>", or
  // "interpreter (why)". The code of beta == 0 is another than that of every other beta, and the
  // same for every alpha.
  virtual std::vector<std::string> names(const spec::RegionMap& map, std::int64_t k,
                                         T beta) const = 0;
};

template <class T>
std::shared_ptr<const MatrixKernels<T>> compile_matrix(const spec::Spec& spec,
                                                       const spec::MatrixEntry& entry,
                                                       const CompileOptions& options);

}  // namespace reprosum::kernels
