#include "src/report/picture/layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr double kLine = 14;        // of text in a box
constexpr double kCharacter = 6.7;  // of the 11 px monospace text in boxes
constexpr double kLeafSize = 22, kNodeSize = 15;

// What a part says inside its box.
std::vector<std::string> lines_of(const Part& part) {
  const char* alpha = part.scale == spec::Scale::none ? "" : "α·";
  const auto at = [&](std::int64_t index) { return fmt::format("{}{}", alpha, index); };
  switch (part.kind) {
    case Part::Kind::leaf:
      if (is_output(part)) return {std::string(alpha) + "β·C"};
      return {part.leaf == spec::Leaf::zero ? "+0" : at(part.first)};
    case Part::Kind::run: {
      if (part.leaf == spec::Leaf::zero) return {"+0", "×" + with_commas(part.times * part.times2)};
      std::vector<std::string> out{at(part.first), at(part.first + part.step)};
      if (part.times > 3) out.emplace_back("⋮");
      if (part.times > 2) out.push_back(at(part.first + part.step * (part.times - 1)));
      if (part.times2 > 1) {
        out.push_back("then " + at(part.first + part.step2));
        out.emplace_back("⋮");
        out.push_back(
            at(part.first + part.step * (part.times - 1) + part.step2 * (part.times2 - 1)));
      }
      return out;
    }
    case Part::Kind::piece:
      return {with_commas(part.leaves), "from " + at(part.first), part.note};
    case Part::Kind::balanced:
      return {fmt::format("pairwise, {} pieces", with_commas(part.operands[0].copies))};
    case Part::Kind::fused:
    case Part::Kind::fold:
      return {"Σ"};
    case Part::Kind::fold_back:
      return {"Σ←"};
    case Part::Kind::add:
      return {"+"};
    case Part::Kind::scaled:
      return {"×α"};
  }
  return {};
}

double text_columns(const std::string& line) {
  return static_cast<double>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void size(const Part& part, Box& box) {
  box.lines = lines_of(part);
  double columns = 0;
  for (const std::string& line : box.lines) columns = std::max(columns, text_columns(line));
  switch (part.kind) {
    case Part::Kind::leaf:
      box.width = std::max(kLeafSize, columns * kCharacter + 8);
      box.height = kLeafSize;
      break;
    case Part::Kind::fused:
    case Part::Kind::fold:
    case Part::Kind::fold_back:
      box.width = part.kind == Part::Kind::fold_back ? 30 : 20;
      box.height = 20;
      break;
    case Part::Kind::scaled:
      box.width = 28;
      box.height = 20;
      break;
    case Part::Kind::add:
      box.width = box.height = kNodeSize;
      break;
    default:
      box.width = std::max(30.0, columns * kCharacter + 14);
      box.height = static_cast<double>(box.lines.size()) * kLine + 8;
  }
}

constexpr double kBetweenNodes = 8;

// Nodes of one level that would lie on one another, as those of (0 + 3) and (1 + 2), are moved
// aside, half of the way to each side.
void push_apart(Layout& out, std::vector<int> row) {
  const auto box = [&](int part) -> Box& { return out.boxes[static_cast<std::size_t>(part)]; };
  std::stable_sort(row.begin(), row.end(), [&](int a, int b) { return box(a).x < box(b).x; });
  for (std::size_t from = 0, to = 0; from < row.size(); from = to) {
    double moved = 0;
    for (to = from + 1; to < row.size(); ++to) {
      const Box &left = box(row[to - 1]), &right = box(row[to]);
      const double least = left.x + (left.width + right.width) / 2 + kBetweenNodes;
      if (right.x >= least) break;
      moved = std::max(moved, least - right.x);
      box(row[to]).x = least;
    }
    for (std::size_t k = from; k < to; ++k) box(row[k]).x -= moved / 2;
  }
}

}  // namespace

Layout layout(const Picture& picture) {
  Layout out;
  out.boxes.resize(picture.parts.size());
  const auto box = [&](int part) -> Box& { return out.boxes[static_cast<std::size_t>(part)]; };
  box(picture.root).shown = true;
  for (std::size_t p = picture.parts.size(); p-- > 0;)
    if (out.boxes[p].shown)
      for (const Operand& operand : picture.parts[p].operands) box(operand.part).shown = true;

  std::vector<int> bottoms;
  double tallest = 0;
  for (std::size_t p = 0; p < picture.parts.size(); ++p) {
    if (!out.boxes[p].shown) continue;
    size(picture.parts[p], out.boxes[p]);
    if (!picture.parts[p].is_bottom()) continue;
    bottoms.push_back(static_cast<int>(p));
    tallest = std::max(tallest, out.boxes[p].height);
  }
  // A zero leaf and an output stand left of the summand they are added to.
  const auto key = [&](int p) {
    const Part& part = picture.parts[static_cast<std::size_t>(p)];
    const bool first = part.leaf == spec::Leaf::zero || part.leaf == spec::Leaf::out;
    return 2 * part.first - (first ? 1 : 0);
  };
  std::stable_sort(bottoms.begin(), bottoms.end(), [&](int a, int b) { return key(a) < key(b); });
  double x = 0;
  for (const int p : bottoms) {
    box(p).x = x + box(p).width / 2;
    x += box(p).width + 6;
  }
  out.width = std::max(0.0, x - 6);

  std::vector<int> level(picture.parts.size(), 0);
  std::vector<std::vector<int>> rows(1);  // by level
  for (std::size_t p = 0; p < picture.parts.size(); ++p) {
    const Part& part = picture.parts[p];
    if (!out.boxes[p].shown || part.is_bottom()) continue;
    for (const Operand& operand : part.operands)
      level[p] = std::max(level[p], level[static_cast<std::size_t>(operand.part)] + 1);
    rows.resize(std::max(rows.size(), static_cast<std::size_t>(level[p]) + 1));
    rows[static_cast<std::size_t>(level[p])].push_back(static_cast<int>(p));
  }
  const int levels = static_cast<int>(rows.size()) - 1;
  for (const std::vector<int>& row : rows) {
    for (const int p : row) {
      const std::vector<Operand>& operands = picture.parts[static_cast<std::size_t>(p)].operands;
      double sum = 0;
      for (const Operand& operand : operands) sum += box(operand.part).x;
      box(p).x = sum / static_cast<double>(operands.size());
    }
    push_apart(out, row);
  }
  // Many levels stand closer together; a folded node needs room for its words.
  const double pitch = std::clamp(700.0 / std::max(levels, 1), picture.folded ? 34.0 : 13.0, 46.0);
  const double ground = levels * pitch + kNodeSize;
  for (std::size_t p = 0; p < picture.parts.size(); ++p) {
    if (!out.boxes[p].shown) continue;
    if (picture.parts[p].is_bottom())
      out.boxes[p].y = ground + out.boxes[p].height / 2;
    else
      out.boxes[p].y = ground - level[p] * pitch;
  }
  out.height = ground + tallest;
  return out;
}

}  // namespace reprosum::report
