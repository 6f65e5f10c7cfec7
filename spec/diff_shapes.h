// Where two region rules can part: the shapes that MatrixComparer tries.
#pragma once

#include <vector>

#include "spec/matrix.h"

namespace reprosum::spec {

// Shapes within the largest sizes of the entries, each once, by ascending m * n * k: every m, n <=
// 40 at each k of `ks` and at those that guards name, the borders of all guards at each of them,
// shapes near guards and segment borders, and log-uniform ones. Always the same for the same
// entries.
std::vector<Shape3> shapes_that_matter(const std::vector<const MatrixEntry*>& entries,
                                       const std::vector<std::int64_t>& ks);

}  // namespace reprosum::spec
