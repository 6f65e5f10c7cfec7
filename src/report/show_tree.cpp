#include "src/report/show_tree.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "spec/expand.h"
#include "spec/names.h"

namespace reprosum::report {
namespace {

std::string tree_text(const spec::Order& order, std::int64_t n, const Caption& caption) {
  std::string out = fmt::format("{}: {}\n{}\n\n", caption.title, caption.order, caption.context);
  if (n <= kLargestWhole) {
    out += render_expression(spec::expand(order, n));
    out +=
        "\n\n+ rounds once, +w in f64, +f is an fma of the summand to its right, 4x an exact\n"
        "product, z the constant +0, round() is to the routine's format; operands without\n"
        "parentheses are added from the left; ";
    out += caption.products
               ? fmt::format("a number k is the product {}[k]*{}[k]\n", caption.left, caption.right)
               : "a number k is the summand x[k]\n";
    if (spec::has_fused_nodes(order))
      out += "+e and +fe do not round: their operands are added at once by the next + or +f\n";
    if (spec::is_update(order))
      out += fmt::format(
          "C is beta times the output; a* multiplies by alpha, rounded or, after +f, by that fma;\n"
          "ax4 and ay4 are products whose {} or {} was multiplied by alpha first\n",
          caption.left, caption.right);
    out += "\n";
  }
  return out + render_outline(picture(order, n, kOutlineWidth), caption);
}

}  // namespace

Json tree_json(const spec::Tree& tree) {
  Json ops = Json::array();
  for (const spec::TreeOp& op : tree.ops) {
    std::string text;
    if (op.skip != spec::Skip::none) text = spec::word_of(spec::kSkipMarks, op.skip);
    if (op.scale != spec::Scale::none) text += spec::word_of(spec::kScaleMarks, op.scale);
    if (op.kind == spec::TreeOp::Kind::add)
      text += op.stored                              ? "+wr"
              : op.format == spec::NodeFormat::wide  ? "+w"
              : op.format == spec::NodeFormat::exact ? "+e"
                                                     : "+";
    else if (op.leaf == spec::Leaf::zero)
      text += "z";
    else
      text += spec::word_of(spec::kLeafWords, op.leaf);
    if (op.kind == spec::TreeOp::Kind::leaf && op.leaf <= spec::Leaf::exact)
      text += std::to_string(op.index);
    ops.push_back(text);
  }
  return ops;
}

std::string tree_in(const std::string& format, const spec::Order& order, std::int64_t n,
                    const Caption& caption) {
  if (format == "svg") return render_svg(picture(order, n), caption);
  if (format == "dot") return render_dot(picture(order, n), caption);
  return tree_text(order, n, caption);
}

}  // namespace reprosum::report
