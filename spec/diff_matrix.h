// Where two entries of gemv or gemm part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spec/spec.h"

namespace reprosum::spec {

// One side: an entry and the spec whose orders its classes name.
struct MatrixSide {
  const Spec& spec;
  const MatrixEntry& entry;
};

struct MatrixDifference {
  Shape3 shape;                  // the first one found, small shapes first
  std::int64_t i = 0, j = 0;     // its first output that differs, row by row
  std::string order_a, order_b;  // describe() of the orders of that output
  // For people: "K blocks of 448 against 320 from k = 321", the nodes at which the trees part, or
  // what differs for beta = 0 or alpha = 0.
  std::string what;
  bool only_coverage = false;  // equal where both are defined; `what` says where one is not
};

// nullopt if no difference is found. Searched: every m, n <= 40 at several k, then sizes near
// guards, segment borders and order thresholds, and log-uniform ones. Throws UserError if the
// entries speak of different routines, types or transpositions.
std::optional<MatrixDifference> diff_matrices(const MatrixSide& a, const MatrixSide& b);

}  // namespace reprosum::spec
