#include "spec/evaluate/replay_matrix.h"

#include <algorithm>
#include <vector>

namespace reprosum::spec {
namespace {

template <class T>
void replay_as(const RegionMap& map, const std::vector<Order>& orders, const Shape3& shape,
               double alpha, double beta, const T* a, const T* b, T* c) {
  // Rows of op(A) are contiguous, so A is stored transposed; a gemv is the gemm with one column.
  MatrixArguments<T> arguments;
  arguments.trans_a = Trans::yes;
  arguments.m = shape.m;
  arguments.n = shape.n;
  arguments.k = shape.k;
  arguments.alpha = static_cast<T>(alpha);
  arguments.beta = static_cast<T>(beta);
  arguments.a = a;
  arguments.lda = shape.k;
  arguments.b = b;
  arguments.ldb = shape.k;
  arguments.c = c;
  arguments.ldc = shape.m;
  interpret_matrix(map, orders, arguments);
}

}  // namespace

double replay_update(const Order& order, Type type, std::int64_t n, const double* x,
                     const double* y, const Update<double>& scalars) {
  if (is_f64(type)) return evaluate_update<double>(order, n, x, 1, y, 1, scalars);
  const std::vector<float> xs(x, x + n), ys(y, y + n);
  return static_cast<double>(evaluate_update<float>(
      order, n, xs.data(), 1, ys.data(), 1,
      {static_cast<float>(scalars.alpha), static_cast<float>(scalars.beta),
       static_cast<float>(scalars.c), scalars.beta_zero, scalars.alpha_zero}));
}

void replay_matrix(const RegionMap& map, const std::vector<Order>& orders, Routine, Type type,
                   const Shape3& shape, double alpha, double beta, const double* a, const double* b,
                   double* c) {
  if (is_f64(type)) return replay_as<double>(map, orders, shape, alpha, beta, a, b, c);
  const std::vector<float> as(a, a + shape.m * shape.k), bs(b, b + shape.n * shape.k);
  std::vector<float> cs(c, c + shape.m * shape.n);
  replay_as<float>(map, orders, shape, alpha, beta, as.data(), bs.data(), cs.data());
  std::copy(cs.begin(), cs.end(), c);
}

}  // namespace reprosum::spec
