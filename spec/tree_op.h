// What kind of operand an op of a tree is.
#pragma once

#include "spec/expand_schema.h"
#include "spec/tree.h"

namespace reprosum::spec {

inline bool is_output(const TreeOp& op) {
  return op.kind == TreeOp::Kind::leaf && (op.leaf == Leaf::out || op.leaf == Leaf::out_fused);
}

inline bool has_summand(const TreeOp& op) {
  return op.kind == TreeOp::Kind::leaf && op.leaf != Leaf::zero && !is_output(op);
}

// A product that its node takes as it is, also beside another one.
inline bool is_product(const TreeOp& op) {
  return op.kind == TreeOp::Kind::leaf && op.leaf == Leaf::fused && op.scale != Scale::fused;
}

}  // namespace reprosum::spec
