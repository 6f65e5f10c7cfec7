// Drawing equal operands once where no rule says that they are equal.
#pragma once

#include "src/report/picture/picture.h"

namespace reprosum::report {

// Additions of two operands that are the same but for a shift of all indices are drawn as one
// operand with a count, from the root downwards, until at most `width` parts stand at the bottom or
// no such addition is left.
void fold_twins(Picture& picture, int width);

}  // namespace reprosum::report
