// Trees of updates as expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {

// "(out + *(0 + f1))": a mark of alpha before what it scales, f and x before a leaf.
inline std::string shown(const Tree& tree) {
  static const char* const kLeaves[] = {"", "f", "x", "zero", "out", "outf"};
  static const char* const kScales[] = {"", "<", ">", "*", "&"};
  std::vector<std::string> stack;
  for (const TreeOp& op : tree.ops) {
    static const char* const kSkips[] = {"", "~", "^", "?"};
    std::string value = kSkips[static_cast<int>(op.skip)];
    value += kScales[static_cast<int>(op.scale)];
    if (op.kind == TreeOp::Kind::leaf) {
      value += kLeaves[static_cast<int>(op.leaf)];
      if (op.leaf <= Leaf::exact) value += std::to_string(op.index);
    } else {
      const std::string right = stack.back();
      stack.pop_back();
      value +=
          "(" + stack.back() + " + " + right + ")" + (op.format == NodeFormat::wide ? "w" : "");
      if (op.stored) value += "r";
      stack.pop_back();
    }
    stack.push_back(value);
  }
  return stack.size() == 1 ? stack[0] : "no tree";
}

inline std::string shown(std::string_view text, std::int64_t n) {
  return shown(expand(parse_order(text), n));
}

}  // namespace reprosum::spec
