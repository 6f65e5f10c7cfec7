#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "src/report/picture/layout.h"
#include "src/report/picture/render.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

// The text of a double-quoted DOT string.
std::string dot_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

std::string label_of(const Box& box) {
  std::string out;
  for (const std::string& line : box.lines) out += (out.empty() ? "" : "\n") + line;
  return dot_string(out);
}

const char* style_of(const Picture& picture, const Part& part) {
  if (!part.is_bottom()) {
    if (part.kind == Part::Kind::scaled) return "fillcolor=\"#6b4a9e\", fontcolor=white";
    if (adds_fused(picture, part)) return "fillcolor=\"#2a8f86\", fontcolor=white";
    if (part.format == spec::NodeFormat::wide) return "fillcolor=\"#c9761b\", fontcolor=white";
    return "fillcolor=\"#4a5a6b\", fontcolor=white";
  }
  if (part.kind == Part::Kind::piece) return "fillcolor=\"#eceff3\", style=\"filled,dashed\"";
  switch (part.leaf) {
    case spec::Leaf::fused:
      return "fillcolor=\"#d3f0ec\", color=\"#2a8f86\"";
    case spec::Leaf::exact:
      return "fillcolor=\"#fdeccf\", color=\"#c9761b\"";
    case spec::Leaf::zero:
      return "fillcolor=\"#f1f1ee\", style=\"filled,dashed\"";
    case spec::Leaf::out:
    case spec::Leaf::out_fused:
      return "fillcolor=\"#e8ddf5\", color=\"#6b4a9e\"";
    case spec::Leaf::rounded:
      break;
  }
  return "fillcolor=white";
}

}  // namespace

std::string render_dot(const Picture& picture, const Caption& caption) {
  const Layout boxes = layout(picture);
  std::string out;
  const auto put = [&](const std::string& line) { out += line + "\n"; };
  put("digraph order {");
  put("  graph [rankdir=TB, ordering=out, labelloc=t, fontname=\"Helvetica\", label=" +
      dot_string(caption.title + "\n" + caption.order) + "];");
  put("  node [style=filled, fontname=\"Helvetica\", fontsize=10, margin=\"0.04,0.02\", "
      "width=0.25, height=0.22];");
  put("  edge [dir=back, arrowsize=0.5, color=\"#93a0ad\"];");
  std::vector<std::pair<std::int64_t, std::size_t>> bottoms;
  for (std::size_t p = 0; p < picture.parts.size(); ++p) {
    if (!boxes.boxes[p].shown) continue;
    const Part& part = picture.parts[p];
    // A second outline: the wide sum inside is rounded before it is added.
    put(fmt::format("  p{} [label={}, shape={}, {}{}];", p, label_of(boxes.boxes[p]),
                    part.kind == Part::Kind::add ? "circle" : "box", style_of(picture, part),
                    part.stored ? ", peripheries=2" : ""));
    if (part.is_bottom()) bottoms.emplace_back(2 * part.first - (part.leaves == 0 ? 1 : 0), p);
    for (const Operand& operand : part.operands) {
      const std::string copies =
          operand.copies > 1 ? fmt::format(" [label=\"×{}\"]", with_commas(operand.copies)) : "";
      put(fmt::format("  p{} -> p{}{};", p, operand.part, copies));
    }
  }
  // Summands in index order on one line.
  std::stable_sort(bottoms.begin(), bottoms.end());
  std::string line = "  { rank=same; edge [style=invis];";
  for (std::size_t k = 0; k < bottoms.size(); ++k)
    line += fmt::format("{}p{}", k == 0 ? " " : " -> ", bottoms[k].second);
  put(line + "; }");
  put("}");
  return out;
}

}  // namespace reprosum::report
