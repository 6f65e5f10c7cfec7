#include "src/report/picture/part_builder.h"

#include <algorithm>
#include <utility>

namespace reprosum::report {

int add_part(Picture& picture, Part part) {
  picture.parts.push_back(std::move(part));
  return static_cast<int>(picture.parts.size()) - 1;
}

Part leaf_part(spec::Leaf kind, std::int64_t at) {
  Part out;
  out.leaf = kind;
  out.first = at;
  out.leaves = kind <= spec::Leaf::exact ? 1 : 0;
  return out;
}

Part sum_of(const Picture& picture, Part::Kind kind, std::vector<Operand> operands,
            spec::NodeFormat format) {
  Part out;
  out.kind = kind;
  out.format = format;
  out.leaves = 0;
  out.first = picture.parts[static_cast<std::size_t>(operands.front().part)].first;
  for (const Operand& operand : operands) {
    const Part& each = picture.parts[static_cast<std::size_t>(operand.part)];
    out.first = std::min(out.first, each.first);
    out.leaves += each.leaves * operand.copies;
  }
  out.operands = std::move(operands);
  return out;
}

int scaled(Picture& picture, int part, spec::Scale scale) {
  if (scale == spec::Scale::none) return part;
  Part out = sum_of(picture, Part::Kind::scaled, {{part}}, spec::NodeFormat::narrow);
  out.scale = scale;
  return add_part(picture, std::move(out));
}

int stub(Picture& picture, std::int64_t n, std::int64_t at, const char* note) {
  Part out = leaf_part(spec::Leaf::rounded, at);
  out.kind = Part::Kind::piece;
  out.leaves = n;
  out.note = note;
  return add_part(picture, std::move(out));
}

}  // namespace reprosum::report
