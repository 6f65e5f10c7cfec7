// Where two region rules can part: the shapes that diff_matrices() tries.
#pragma once

#include <vector>

#include "spec/matrix.h"

namespace reprosum::spec {

// Shapes within the largest sizes of the entries: every m, n <= 40 at each k of `ks`, then shapes
// near the guards and segment borders of both, and log-uniform ones. Always the same for the same
// entries.
std::vector<Shape3> shapes_that_matter(const MatrixEntry& a, const MatrixEntry& b,
                                       const std::vector<std::int64_t>& ks);

}  // namespace reprosum::spec
