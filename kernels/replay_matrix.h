// The interpreter of gemv and gemm in the shapes that reveal/capture.h asks for.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/matrix.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// One output of an update order on n logical summands given as doubles, each representable in
// `type`. Scalars is reveal's UpdateScalars (alpha, beta, c, beta_zero, alpha_zero).
template <class Scalars>
double replay_update(const spec::Order& order, spec::Type type, std::int64_t n, const double* x,
                     const double* y, const Scalars& scalars) {
  if (spec::is_f64(type))
    return evaluate_update<double>(
        order, n, x, 1, y, 1,
        {scalars.alpha, scalars.beta, scalars.c, scalars.beta_zero, scalars.alpha_zero});
  const std::vector<float> xs(x, x + n), ys(y, y + n);
  return static_cast<double>(evaluate_update<float>(
      order, n, xs.data(), 1, ys.data(), 1,
      {static_cast<float>(scalars.alpha), static_cast<float>(scalars.beta),
       static_cast<float>(scalars.c), scalars.beta_zero, scalars.alpha_zero}));
}

// A whole product on logical operands: row i of op(A) at a[i*k], column j of op(B) at b[j*k],
// output (i, j) at c[i + j*m], updated in place.
void replay_matrix(const spec::RegionMap& map, const std::vector<spec::Order>& orders,
                   spec::Routine routine, spec::Type type, const spec::Shape3& shape, double alpha,
                   double beta, const double* a, const double* b, double* c);

}  // namespace reprosum::kernels
