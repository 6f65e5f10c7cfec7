#include "src/report/picture/picture.h"

#include <fmt/core.h>

#include <algorithm>

#include "spec/expand.h"
#include "src/report/wording.h"

namespace reprosum::report {

namespace {

// A part of a node that fuses several operands.
bool is_unrounded(const Part& part) {
  return !part.is_bottom() && part.format == spec::NodeFormat::exact;
}

}  // namespace

Picture whole_picture(const spec::Tree& tree) {
  Picture out;
  out.n = tree.n;
  std::vector<int> stack;
  for (const spec::TreeOp& op : tree.ops) {
    Part part;
    if (op.kind == spec::TreeOp::Kind::leaf) {
      part.leaf = op.leaf;
      part.scale = op.scale;
      part.skip = op.skip;
      part.first = op.index;
      part.leaves = op.leaf <= spec::Leaf::exact ? 1 : 0;
    } else {
      const int right = stack.back();
      stack.pop_back();
      const int left = stack.back();
      stack.pop_back();
      Part& l = out.parts[static_cast<std::size_t>(left)];
      Part& r = out.parts[static_cast<std::size_t>(right)];
      if (l.is_bottom() && l.leaves == 0) l.first = r.first;
      if (r.is_bottom() && r.leaves == 0) r.first = l.first + l.leaves;
      part.kind = Part::Kind::add;
      part.format = op.format;
      part.stored = op.stored;
      part.first = std::min(l.first, r.first);
      part.leaves = l.leaves + r.leaves;
      part.operands = {{left}, {right}};
      if (is_unrounded(l)) {  // whose operands are those of this node
        part.operands = l.operands;
        part.operands.push_back({right});
      }
      if (is_unrounded(l) || (enters_fused(l) && enters_fused(r))) part.kind = Part::Kind::fused;
    }
    stack.push_back(static_cast<int>(out.parts.size()));
    out.parts.push_back(std::move(part));
    if (op.kind == spec::TreeOp::Kind::add && op.scale != spec::Scale::none) {
      Part scaled;
      scaled.kind = Part::Kind::scaled;
      scaled.scale = op.scale;
      scaled.first = out.parts.back().first;
      scaled.leaves = out.parts.back().leaves;
      scaled.operands = {{stack.back()}};
      stack.back() = static_cast<int>(out.parts.size());
      out.parts.push_back(std::move(scaled));
    }
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
  return right.kind != Part::Kind::run && enters_fused(right);
}

bool enters_fused(const Part& part) {
  if (part.scale == spec::Scale::fused) return true;
  return (part.kind == Part::Kind::leaf || part.kind == Part::Kind::run) &&
         (part.leaf == spec::Leaf::fused || part.leaf == spec::Leaf::out_fused);
}

bool is_output(const Part& part) {
  return part.is_bottom() && (part.leaf == spec::Leaf::out || part.leaf == spec::Leaf::out_fused);
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

}  // namespace reprosum::report
