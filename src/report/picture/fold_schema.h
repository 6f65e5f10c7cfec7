// The folded picture of one schema at one (q, r).
#pragma once

#include <cstdint>

#include "src/report/picture/picture.h"

namespace reprosum::report {

// Appends the parts of the schema's tree, whose summand k is drawn as at + k, and returns the
// root's index, or -1 if the schema is empty there. About `width` parts stand at the bottom at
// most: equal operands are drawn once, with a count, until that holds.
int fold_schema(Picture& picture, const spec::Schema& schema, std::int64_t q, std::int64_t r,
                std::int64_t at, int width);

}  // namespace reprosum::report
