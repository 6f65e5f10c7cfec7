#include "kernels/replay_matrix.h"

#include <algorithm>

namespace reprosum::kernels {
namespace {

template <class T>
void replay_as(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
               const spec::Shape3& shape, double alpha, double beta, const double* a,
               const double* b, double* c) {
  const std::vector<T> as(a, a + shape.m * shape.k), bs(b, b + shape.n * shape.k);
  std::vector<T> cs(c, c + shape.m * shape.n);
  // Rows of op(A) are contiguous, so A is stored transposed; a gemv is the gemm with one column.
  MatrixArguments<T> arguments;
  arguments.trans_a = spec::Trans::yes;
  arguments.m = shape.m;
  arguments.n = shape.n;
  arguments.k = shape.k;
  arguments.alpha = static_cast<T>(alpha);
  arguments.beta = static_cast<T>(beta);
  arguments.a = as.data();
  arguments.lda = shape.k;
  arguments.b = bs.data();
  arguments.ldb = shape.k;
  arguments.c = cs.data();
  arguments.ldc = shape.m;
  interpret_matrix(map, orders, arguments);
  std::copy(cs.begin(), cs.end(), c);
}

}  // namespace

void replay_matrix(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                   spec::Routine, spec::Type type, const spec::Shape3& shape, double alpha,
                   double beta, const double* a, const double* b, double* c) {
  if (type == spec::Type::f64)
    replay_as<double>(map, orders, shape, alpha, beta, a, b, c);
  else
    replay_as<float>(map, orders, shape, alpha, beta, a, b, c);
}

}  // namespace reprosum::kernels
