// Where two region rules can part: the shapes that MatrixComparer tries.
#pragma once

#include <vector>

#include "spec/spec.h"

namespace reprosum::spec {

// Shapes within the largest sizes of the entries, each once: every m, n <= 40 at each k of `ks` and
// at those that guards name, the borders of all guards at each of them, shapes near guards,
// segment borders and the entries' ends, and log-uniform ones. Always the same for the same
// entries. They ascend by the power of two of m * n * k, then by k, then by max(m, n): what people
// call small comes first.
std::vector<Shape3> shapes_that_matter(const std::vector<const Entry*>& entries,
                                       const std::vector<std::int64_t>& ks);

}  // namespace reprosum::spec
