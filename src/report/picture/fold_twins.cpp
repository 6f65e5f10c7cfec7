#include "src/report/picture/fold_twins.h"

#include <map>
#include <vector>

namespace reprosum::report {
namespace {

// The shape of every part: equal numbers for parts that are equal but for a shift.
std::vector<std::int64_t> shapes(const Picture& picture) {
  std::map<std::vector<std::int64_t>, std::int64_t> known;
  std::vector<std::int64_t> out;
  for (const Part& part : picture.parts) {
    std::vector<std::int64_t> key{static_cast<int>(part.kind),
                                  static_cast<int>(part.leaf),
                                  static_cast<int>(part.format),
                                  static_cast<int>(part.scale),
                                  static_cast<int>(part.skip),
                                  part.leaves,
                                  part.step,
                                  part.times,
                                  part.step2,
                                  part.times2};
    for (const Operand& operand : part.operands) {
      const auto index = static_cast<std::size_t>(operand.part);
      key.insert(key.end(), {out[index], picture.parts[index].first - part.first, operand.copies,
                             operand.step, operand.in_turn});
    }
    out.push_back(
        known.emplace(std::move(key), static_cast<std::int64_t>(known.size())).first->second);
  }
  return out;
}

// Bottoms that are drawn; a part that stands under two others counts once, as it is drawn.
int bottoms(const Picture& picture) {
  std::vector<char> shown(picture.parts.size(), 0);
  shown[static_cast<std::size_t>(picture.root)] = 1;
  int count = 0;
  for (std::size_t p = picture.parts.size(); p-- > 0;) {
    if (!shown[p]) continue;
    count += picture.parts[p].is_bottom();
    for (const Operand& operand : picture.parts[p].operands)
      shown[static_cast<std::size_t>(operand.part)] = 1;
  }
  return count;
}

}  // namespace

void fold_twins(Picture& picture, int width) {
  if (bottoms(picture) <= width) return;
  const std::vector<std::int64_t> shape = shapes(picture);
  std::vector<char> shown(picture.parts.size(), 0);
  shown[static_cast<std::size_t>(picture.root)] = 1;
  // Operands stand before what uses them, so this walks from the root downwards.
  for (std::size_t p = picture.parts.size(); p-- > 0;) {
    if (!shown[p]) continue;
    Part& part = picture.parts[p];
    if (part.kind == Part::Kind::add && bottoms(picture) > width) {
      const auto left = static_cast<std::size_t>(part.operands[0].part);
      const auto right = static_cast<std::size_t>(part.operands[1].part);
      const std::int64_t step = picture.parts[right].first - picture.parts[left].first;
      if (shape[left] == shape[right] && step != 0 && !picture.parts[left].is_bottom()) {
        part.kind = Part::Kind::fold;
        part.operands = {{static_cast<int>(left), 2, step}};
      }
    }
    for (const Operand& operand : part.operands) shown[static_cast<std::size_t>(operand.part)] = 1;
  }
}

}  // namespace reprosum::report
