#include "kernels/replay_matrix.h"

#include <algorithm>
#include <vector>

namespace reprosum::kernels {
namespace {

template <class T>
void replay_as(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
               const spec::Shape3& shape, double alpha, double beta, const T* a, const T* b, T* c) {
  // Rows of op(A) are contiguous, so A is stored transposed; a gemv is the gemm with one column.
  MatrixArguments<T> arguments;
  arguments.trans_a = spec::Trans::yes;
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

void replay_matrix(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                   spec::Routine, spec::Type type, const spec::Shape3& shape, double alpha,
                   double beta, const double* a, const double* b, double* c) {
  if (spec::is_f64(type)) return replay_as<double>(map, orders, shape, alpha, beta, a, b, c);
  const std::vector<float> as(a, a + shape.m * shape.k), bs(b, b + shape.n * shape.k);
  std::vector<float> cs(c, c + shape.m * shape.n);
  replay_as<float>(map, orders, shape, alpha, beta, as.data(), bs.data(), cs.data());
  std::copy(cs.begin(), cs.end(), c);
}

}  // namespace reprosum::kernels
