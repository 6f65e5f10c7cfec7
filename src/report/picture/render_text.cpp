#include <fmt/core.h>

#include <vector>

#include "spec/names.h"
#include "src/report/picture/render.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

std::string alpha_text(spec::Scale scale, const Caption& caption) {
  switch (scale) {
    case spec::Scale::none:
      break;
    case spec::Scale::x:
      return fmt::format(", {} first times alpha", caption.left);
    case spec::Scale::y:
      return fmt::format(", {} first times alpha", caption.right);
    case spec::Scale::rounded:
      return " times alpha";
    case spec::Scale::fused:
      return " times alpha, by fma";
  }
  return "";
}

std::string skip_text(const Part& part, const Caption& caption) {
  const auto text = [](const std::string& factor) {
    return fmt::format(", left out where {} is zero", factor);
  };
  switch (part.skip) {
    case spec::Skip::none:
      break;
    case spec::Skip::x:
      return text(caption.left);
    case spec::Skip::y:
      return text(caption.right);
    case spec::Skip::scaled:
      return text("alpha times " +
                  std::string(part.scale == spec::Scale::x ? caption.left : caption.right));
  }
  return "";
}

std::string summand(const Part& part, const Caption& caption) {
  if (part.kind == Part::Kind::piece)
    return fmt::format("{} summands from {} on, {}", with_commas(part.leaves), part.first,
                       part.note);
  if (part.leaf == spec::Leaf::zero) return "+0";
  if (part.leaf == spec::Leaf::out) return "beta*C" + alpha_text(part.scale, caption);
  if (part.leaf == spec::Leaf::out_fused) return "fma beta*C";
  const std::string text =
      (part.kind == Part::Kind::run ? run_text(part) : fmt::format("x[{}]", part.first)) +
      alpha_text(part.scale, caption) + skip_text(part, caption);
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
  const char* wide = part.format == spec::NodeFormat::wide ? " in f64" : "";
  switch (part.kind) {
    case Part::Kind::leaf:
    case Part::Kind::piece:
      return summand(part, caption);
    case Part::Kind::run:
      return summand(part, caption) + wide;
    case Part::Kind::add:
      return std::string("+") + wide + (part.stored ? ", rounded" : "");
    case Part::Kind::scaled:
      return part.scale == spec::Scale::fused ? "fma alpha times" : "alpha times";
    case Part::Kind::fused:
      return "added at once, rounded once";
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
  const auto scale = [&](Value& v, spec::Scale how) {
    if (how != spec::Scale::rounded && how != spec::Scale::fused) return;
    v = {"a*" + closed(v), false, v.fused || how == spec::Scale::fused};
  };
  std::vector<Value> stack;
  for (const spec::TreeOp& op : tree.ops) {
    if (op.kind == spec::TreeOp::Kind::leaf) {
      std::string text = std::to_string(op.index);
      if (op.leaf == spec::Leaf::zero) text = "z";
      if (op.leaf == spec::Leaf::out || op.leaf == spec::Leaf::out_fused) text = "C";
      if (op.leaf == spec::Leaf::exact) text += "x";
      if (op.scale == spec::Scale::x) text.insert(0, "ax");
      if (op.scale == spec::Scale::y) text.insert(0, "ay");
      if (op.skip != spec::Skip::none) text.insert(0, spec::word_of(spec::kSkipMarks, op.skip));
      const bool fused = op.leaf == spec::Leaf::fused || op.leaf == spec::Leaf::out_fused;
      stack.push_back({std::move(text), false, fused});
      scale(stack.back(), op.scale);
      continue;
    }
    Value right = std::move(stack.back());
    stack.pop_back();
    Value& left = stack.back();
    left.text.append(right.fused ? " +f" : " +");
    if (op.format == spec::NodeFormat::wide) left.text.push_back('w');
    if (op.format == spec::NodeFormat::exact) left.text.push_back('e');
    left.text.append(1, ' ').append(closed(right));
    left.chain = true;
    left.fused = false;
    if (op.stored) {
      left.text = fmt::format("round({})", left.text);
      left.chain = false;
    }
    scale(left, op.scale);
  }
  return closed(stack.back());
}

}  // namespace reprosum::report
