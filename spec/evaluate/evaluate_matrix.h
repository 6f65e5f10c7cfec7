// gemv and gemm by the reference interpreter: every output by the order of its region.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/spec.h"

namespace reprosum::spec {

// A column-major call. gemm: C (m x n) := alpha*op(A)*op(B) + beta*C with leading dimensions.
// gemv: n = 1; `b` points at x's logical first element with stride incb, `c` at y's with stride
// incc (signs included), and A is m x k (trans_a no) or k x m (yes).
template <class T>
struct MatrixArguments {
  Routine routine = Routine::gemm;
  Trans trans_a = Trans::no, trans_b = Trans::no;
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
    return trans_a == Trans::no ? a + i + p * lda : a + p + i * lda;
  }
  const T* at_b(std::int64_t p, std::int64_t j) const {
    if (routine == Routine::gemv) return b + p * incb;
    return trans_b == Trans::no ? b + p + j * ldb : b + j + p * ldb;
  }
  T* at_c(std::int64_t i, std::int64_t j) const {
    return routine == Routine::gemv ? c + i * incc : c + i + j * ldc;
  }
};

// The scalars of one output, for evaluate() of an order with `out` and scales.
template <class T>
struct Update {
  T alpha{1}, beta{0}, c{0};
  MatrixClass::BetaZero beta_zero = MatrixClass::BetaZero::store;
  MatrixClass::AlphaZero alpha_zero = MatrixClass::AlphaZero::skip;
};

// One output: `order` over n >= 1 summands. The result is rounded to T. beta == 0 and alpha == 0
// follow the class's rules; c is not read where beta == 0, unless the rule is to multiply.
template <class T>
T evaluate_update(const Order& order, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                  std::int64_t incy, const Update<T>& update);

// Every output by the reference interpreter. k >= 1. @pre map.regime covers the shape.
template <class T>
void interpret_matrix(const RegionMap& map, const std::vector<Order>& orders,
                      const MatrixArguments<T>& arguments);

}  // namespace reprosum::spec
