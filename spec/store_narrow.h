// What a value goes through that is stored between two pieces of a sum.
#pragma once

#include "spec/tree.h"

namespace reprosum::spec {

// The value that `op` pushes is rounded to narrow where its parent takes it.
inline void store_narrow(TreeOp& op) {
  if (op.kind == TreeOp::Kind::add)
    op.stored = op.format == NodeFormat::wide;
  else if (op.leaf == Leaf::exact)
    op.leaf = Leaf::rounded;
}

}  // namespace reprosum::spec
