#include <fmt/core.h>

#include <vector>

#include "src/cli/output.h"
#include "src/cli/render.h"

namespace reprosum::cli {
namespace {

std::string summand(const Part& part, const Caption& caption) {
  if (part.kind == Part::Kind::piece)
    return fmt::format("{} summands from {} on, {}", with_commas(part.leaves), part.first,
                       part.note);
  if (part.leaf == spec::Leaf::zero) return "+0";
  const std::string text =
      part.kind == Part::Kind::run ? run_text(part) : fmt::format("x[{}]", part.first);
  switch (part.leaf) {
    case spec::Leaf::fused:
      return "fma " + text;
    case spec::Leaf::exact:
      return "exact " + text;
    default:
      return (caption.products ? "product " : "") + text;
  }
}

std::string head(const Part& part, const Caption& caption) {
  const char* wide = part.format == spec::Format::wide ? " in f64" : "";
  switch (part.kind) {
    case Part::Kind::leaf:
    case Part::Kind::piece:
      return summand(part, caption);
    case Part::Kind::run:
      return summand(part, caption) + wide;
    case Part::Kind::add:
      return std::string("+") + wide;
    case Part::Kind::fold:
      return std::string("fold, first to last") + wide;
    case Part::Kind::fold_back:
      return std::string("fold, last to first") + wide;
    case Part::Kind::balanced:
      return fmt::format("pairwise tree of {} pieces{}", with_commas(part.operands[0].copies),
                         wide);
  }
  return {};
}

std::string copies_text(const Operand& operand) {
  if (operand.in_turn) return "each of  ";
  if (operand.copies == 1) return {};
  std::string out = "×" + with_commas(operand.copies);
  if (operand.step != 0) out += fmt::format(" (step {})", with_commas(operand.step));
  return out + "  ";
}

}  // namespace

std::string render_outline(const Picture& picture, const Caption& caption) {
  struct Pending {
    int part;
    std::string margin, branch, copies;  // what stands before it, and before its own operands
  };
  std::string out;
  std::vector<Pending> stack{{picture.root, "", "", ""}};
  while (!stack.empty()) {
    const Pending now = std::move(stack.back());
    stack.pop_back();
    const Part& part = picture.parts[static_cast<std::size_t>(now.part)];
    out += now.margin + now.branch + now.copies + head(part, caption) + "\n";
    const std::string below = now.margin + (now.branch.empty()        ? ""
                                            : now.branch[2] == '\x94' ? "   "
                                                                      : "│  ");
    for (std::size_t k = part.operands.size(); k-- > 0;)
      stack.push_back({part.operands[k].part, below, k + 1 == part.operands.size() ? "└─ " : "├─ ",
                       copies_text(part.operands[k])});
  }
  for (const std::string& remark : picture.remarks) out += remark + "\n";
  return out;
}

std::string render_expression(const spec::Tree& tree) {
  // A value and whether it is an unclosed chain, to which an operand may be added without
  // parentheses.
  struct Value {
    std::string text;
    bool chain = false, fused = false;
  };
  const auto closed = [](Value& v) {
    return v.chain ? fmt::format("({})", v.text) : std::move(v.text);
  };
  std::vector<Value> stack;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      std::string text = op.leaf == spec::Leaf::zero ? "z" : std::to_string(op.index);
      if (op.leaf == spec::Leaf::exact) text += "x";
      stack.push_back({std::move(text), false, op.leaf == spec::Leaf::fused});
      continue;
    }
    Value right = std::move(stack.back());
    stack.pop_back();
    Value& left = stack.back();
    left.text.append(right.fused ? " +f" : " +");
    if (op.format == spec::Format::wide) left.text.push_back('w');
    left.text.append(1, ' ').append(closed(right));
    left.chain = true;
    left.fused = false;
  }
  return closed(stack.back());
}

}  // namespace reprosum::cli
