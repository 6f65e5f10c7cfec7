// One form per region rule, so that equal rules are equal bytes.
#pragma once

#include "spec/region.h"

namespace reprosum::spec {

// @pre validate(regime) holds. @post atoms ascend; equal neighbours of a word are one run, runs and
// items that are never there are gone, and one item holds all runs that stand once side by side;
// classes are distinct and numbered by their first place in the table. The map of every shape is
// the same.
void canonicalize(MatrixRegime& regime);

}  // namespace reprosum::spec
