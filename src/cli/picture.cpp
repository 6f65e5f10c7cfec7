#include "src/cli/picture.h"

#include <fmt/core.h>

#include <algorithm>

#include "spec/expand.h"
#include "src/cli/output.h"

namespace reprosum::cli {

Picture whole_picture(const spec::Tree& tree) {
  Picture out;
  out.n = tree.n;
  std::vector<int> stack;
  for (const spec::TreeOp& op : tree.ops) {
    Part part;
    if (op.kind == spec::TreeOp::Kind::leaf) {
      part.leaf = op.leaf;
      part.first = op.index;
      part.leaves = op.leaf == spec::Leaf::zero ? 0 : 1;
    } else {
      const int right = stack.back();
      stack.pop_back();
      const int left = stack.back();
      stack.pop_back();
      Part& l = out.parts[static_cast<std::size_t>(left)];
      const Part& r = out.parts[static_cast<std::size_t>(right)];
      if (l.leaf == spec::Leaf::zero && l.is_bottom()) l.first = r.first;
      part.kind = Part::Kind::add;
      part.format = op.format;
      part.first = std::min(l.first, r.first);
      part.leaves = l.leaves + r.leaves;
      part.operands = {{left}, {right}};
    }
    stack.push_back(static_cast<int>(out.parts.size()));
    out.parts.push_back(std::move(part));
  }
  out.root = stack.back();
  return out;
}

Picture picture(const spec::Order& order, std::int64_t n, int width) {
  return n <= kLargestWhole ? whole_picture(spec::expand(order, n))
                            : folded_picture(order, n, width);
}

bool adds_fused(const Picture& picture, const Part& part) {
  if (part.kind != Part::Kind::add) return false;
  const Part& right = picture.parts[static_cast<std::size_t>(part.operands.back().part)];
  return right.kind == Part::Kind::leaf && right.leaf == spec::Leaf::fused;
}

std::string run_text(const Part& run) {
  const auto at = [&](std::int64_t t, std::int64_t u) {
    return fmt::format("x[{}]", run.first + t * run.step + u * run.step2);
  };
  const std::int64_t copies = run.times * run.times2;
  std::string out = at(0, 0);
  if (run.times > 1) out.append(" ").append(at(1, 0));
  if (run.times > 2) out.append(run.times > 3 ? " .. " : " ").append(at(run.times - 1, 0));
  if (run.times2 > 1) out += fmt::format(", {} .. {}", at(0, 1), at(run.times - 1, run.times2 - 1));
  if (copies > 3) out.append(": ").append(with_commas(copies));
  return out;
}

}  // namespace reprosum::cli
