// The interpreter of gemv and gemm on operands that are given as doubles, whatever the type is.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/evaluate/evaluate_matrix.h"
#include "spec/spec.h"

namespace reprosum::spec {

// One output of an update order on n logical summands given as doubles, each representable in
// `type`. An order without `out` and scales gives the plain sum, whatever the scalars are (alpha
// != 0).
double replay_update(const Order& order, Type type, std::int64_t n, const double* x,
                     const double* y, const Update<double>& scalars);

// A whole product on logical operands: row i of op(A) at a[i*k], column j of op(B) at b[j*k],
// output (i, j) at c[i + j*m], updated in place.
void replay_matrix(const RegionMap& map, const std::vector<Order>& orders, Routine routine,
                   Type type, const Shape3& shape, double alpha, double beta, const double* a,
                   const double* b, double* c);

}  // namespace reprosum::spec
