#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "src/report/picture/edges.h"
#include "src/report/picture/layout.h"
#include "src/report/picture/render.h"
#include "src/report/picture/svg_style.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr double kMargin = 28, kHeader = 74, kOrderRow = 18, kLegendRow = 19, kRemarkRow = 16;

constexpr const char* kCopies = "copies key";
constexpr std::size_t kLeastColumns = 70;
constexpr double kWidestText = 1100;
constexpr double kOrderColumn = 7.1;  // of a character of the order

const char* plain_leaf_class(const Part& part) {
  // A run that is summed in the wide format is an accumulator of that format.
  if (part.kind == Part::Kind::run && part.format == spec::NodeFormat::wide &&
      part.leaf == spec::Leaf::rounded)
    return "leaf wide";
  if (part.kind == Part::Kind::piece) return "leaf piece";
  switch (part.leaf) {
    case spec::Leaf::fused:
      return "leaf fma";
    case spec::Leaf::exact:
      return "leaf exact";
    case spec::Leaf::zero:
      return "leaf zero";
    case spec::Leaf::out:
    case spec::Leaf::out_fused:
      return "leaf out";
    case spec::Leaf::rounded:
      break;
  }
  return "leaf";
}

std::string leaf_class(const Part& part) {
  std::string out = plain_leaf_class(part);
  return part.scale == spec::Scale::none ? out : out + " alpha";
}

class Svg {
 public:
  Svg(const Picture& picture, const Caption& caption)
      : picture_(picture),
        caption_(caption),
        layout_(layout(picture)),
        curves_(edge_curves(picture, layout_)) {}

  std::string run() {
    find_legend();
    std::size_t longest = std::max(
        {caption_.order.size(), caption_.context.size(), caption_.identity.size(), kLeastColumns});
    for (const std::string& remark : picture_.remarks) longest = std::max(longest, remark.size());
    const double text_width = std::min(6.7 * static_cast<double>(longest), kWidestText);
    width_ = std::max(layout_.width, text_width) + 2 * kMargin;
    const double rows = place_legend();
    const double remarks = kRemarkRow * static_cast<double>(picture_.remarks.size());
    order_ = wrapped_lines(caption_.order,
                           static_cast<std::size_t>((width_ - 2 * kMargin) / kOrderColumn));
    header_ = kHeader + kOrderRow * static_cast<double>(order_.size());
    height_ = header_ + layout_.height + 26 + remarks + kLegendRow * rows + 34;
    left_ = (width_ - layout_.width) / 2;
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n",
        width_, height_);
    put("<title>{}</title>\n<desc>{}</desc>\n", escaped(caption_.title), escaped(caption_.order));
    text_ += kStyle;
    put("<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#fbfaf7\" stroke=\"#d9d5cc\"/>\n");
    label("title", kMargin, 34, caption_.title);
    double row = 55;
    for (const std::string& line : order_) {
      label("order", kMargin, row, line);
      row += kOrderRow;
    }
    label("small", kMargin, row, caption_.context);
    for (std::size_t p = 0; p < picture_.parts.size(); ++p)
      if (layout_.boxes[p].shown) edges(static_cast<int>(p));
    for (std::size_t p = 0; p < picture_.parts.size(); ++p)
      if (layout_.boxes[p].shown) shape(static_cast<int>(p));
    double y = header_ + layout_.height + 26;
    for (const std::string& remark : picture_.remarks) {
      label("small", kMargin, y, remark);
      y += kRemarkRow;
    }
    draw_legend(y + 4);
    label("small", kMargin, height_ - 12, caption_.identity);
    return text_ + "</svg>\n";
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void label(const char* css, double x, double y, const std::string& text) {
    put("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", css, x, y, escaped(text));
  }
  const Part& part(int p) const { return picture_.parts[static_cast<std::size_t>(p)]; }
  const Box& box(int p) const { return layout_.boxes[static_cast<std::size_t>(p)]; }
  double x_of(int p) const { return left_ + box(p).x; }
  double y_of(int p) const { return header_ + box(p).y; }

  const char* node_class(int p) const {
    if (part(p).kind == Part::Kind::scaled) return "scaled";
    if (adds_fused(picture_, part(p))) return "fma";
    return part(p).format == spec::NodeFormat::wide ? "wide" : "narrow";
  }

  void edges(int p) {
    for (std::size_t k = 0; k < part(p).operands.size(); ++k) {
      const Operand& operand = part(p).operands[k];
      const Part& below = part(operand.part);
      const bool in_turn =
          operand.in_turn || part(p).kind == Part::Kind::fold || part(p).kind == Part::Kind::fused;
      const bool fma = in_turn && enters_fused(below);
      Curve curve = curves_[static_cast<std::size_t>(p)][k];
      for (auto& [x, y] : curve) x += left_, y += header_;
      const auto& [from, leaving, coming, to] = curve;
      put("<path class=\"edge {}{}\" d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} "
          "{:.1f}\"/>\n",
          fma ? "fma" : node_class(p), operand.in_turn ? " in-turn" : "", from.first, from.second,
          leaving.first, leaving.second, coming.first, coming.second, to.first, to.second);
    }
  }

  void shape(int p) {
    const Part& what = part(p);
    const Box& size = box(p);
    const double x = x_of(p), y = y_of(p);
    if (what.kind == Part::Kind::add) {
      put("<circle class=\"node {}{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>{} of {} "
          "summands{}</title></circle>\n",
          node_class(p), what.stored ? " stored" : "", x, y, size.width / 2,
          adds_fused(picture_, what) ? "fma" : "sum", with_commas(what.leaves),
          what.stored ? ", rounded" : "");
      put("<text class=\"op\" x=\"{:.1f}\" y=\"{:.1f}\">+</text>\n", x, y + 4.6);
    } else {
      put("<rect class=\"{}{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "rx=\"{:.0f}\"/>\n",
          what.is_bottom() ? leaf_class(what) : "node ", what.is_bottom() ? "" : node_class(p),
          x - size.width / 2, y - size.height / 2, size.width, size.height,
          what.kind == Part::Kind::leaf ? 11.0 : 7.0);
      double line = y - size.height / 2 + 15;
      for (const std::string& text : size.lines) {
        label_in(what.is_bottom() ? "in" : "op box", x, line, text);
        line += 14;
      }
    }
    for (const Operand& operand : what.operands)
      if (operand.copies > 1) {
        const double to_x = x_of(operand.part);
        const double to_y = y_of(operand.part) - box(operand.part).height / 2;
        std::string copies = "×" + with_commas(operand.copies);
        if (operand.step != 0) copies += fmt::format(" (step {})", with_commas(operand.step));
        label_in("copies", to_x + (x - to_x) * 0.3, to_y + (y - to_y) * 0.3, copies);
      }
  }
  void label_in(const char* css, double x, double y, const std::string& text) {
    put("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", css, x, y, escaped(text));
  }

  void find_legend() {
    for (std::size_t p = 0; p < picture_.parts.size(); ++p) {
      if (!layout_.boxes[p].shown) continue;
      const Part& what = picture_.parts[p];
      if (what.is_bottom()) {
        alpha_leaf_ |= what.scale != spec::Scale::none;
        alpha_fused_ |= what.scale == spec::Scale::fused;
        if (what.kind == Part::Kind::piece)
          piece_ = true;
        else if (what.leaf == spec::Leaf::out)
          output_ = true;
        else if (what.leaf == spec::Leaf::out_fused)
          output_fused_ = true;
        else if (what.leaf == spec::Leaf::fused)
          fused_ = true;
        else if (what.leaf == spec::Leaf::exact)
          exact_ = true;
        else if (what.leaf == spec::Leaf::zero)
          zero_ = true;
        else
          rounded_ = true;
        if (what.kind == Part::Kind::run) run_ = true;
      } else {
        if (what.format == spec::NodeFormat::wide) (what.stored ? stored_ : wide_) = true;
        if (what.kind == Part::Kind::fold) fold_ = true;
        scaled_ |= what.kind == Part::Kind::scaled;
        alpha_fused_ |= what.scale == spec::Scale::fused;
        for (const Operand& operand : what.operands) {
          in_turn_ |= operand.in_turn;
          copies_ |= operand.copies > 1;
        }
      }
    }
  }

  // Where alpha meets the summands, if it does.
  std::string alpha_text() const {
    for (const Part& part : picture_.parts) {
      if (part.scale == spec::Scale::x)
        return fmt::format("alpha*{}[k] is rounded first", caption_.left);
      if (part.scale == spec::Scale::y)
        return fmt::format("alpha*{}[k] is rounded first", caption_.right);
    }
    return "product times alpha";
  }

  struct LegendEntry {
    bool stroke;     // a line rather than a box
    bool is_copies;  // the words that stand at an edge
    const char* css;
    std::string text;
    double x = 0;
    int row = 0;
  };

  // Only what the drawing shows, in rows as wide as it. @return the number of rows.
  int place_legend() {
    const auto entry = [&](bool shown, const char* css, const std::string& text,
                           bool stroke = false) {
      if (shown) legend_.push_back({stroke, css == kCopies, css, text});
    };
    const std::string summand = caption_.products ? fmt::format("product {}[k]*{}[k], rounded",
                                                                caption_.left, caption_.right)
                                                  : "summand x[k]";
    entry(rounded_, "leaf", summand);
    entry(fused_, "leaf fma",
          run_ ? "added by fma (first of all, it is a rounded product)"
               : "added by fma, one rounding");
    entry(exact_, "leaf exact", "exact product, in f64");
    entry(zero_, "leaf zero", "the constant +0");
    entry(output_, "leaf out", "the output times beta, rounded");
    entry(output_fused_, "leaf out", "the output times beta, added by fma");
    entry(alpha_leaf_, "leaf alpha", alpha_text());
    entry(scaled_, "node scaled",
          alpha_fused_ ? "times alpha; by fma where the line above is green"
                       : "times alpha, rounded");
    entry(wide_, "node wide", "adds in f64");
    entry(stored_, "node wide stored", "adds in f64; the sum is rounded before it is added");
    entry(run_, "leaf",
          "a stack of indices: summed from the top; xN (step s): N summands, s apart");
    entry(copies_, kCopies,
          "×N (step s): N equal operands, the first one is drawn, each next one s summands on");
    entry(fold_, "node", "Σ: operands added one by one from the left");
    entry(in_turn_, "edge in-turn", "the summands of the stack are themselves added in turn", true);
    entry(piece_, "leaf piece", "drawn elsewhere");
    double x = kMargin;
    int row = 0;
    for (LegendEntry& item : legend_) {
      const double needed = 26 + 6.0 * static_cast<double>(item.text.size()) + 16;
      if (x > kMargin && x + needed > width_ - kMargin) x = kMargin, ++row;
      item.x = x;
      item.row = row;
      x += needed;
    }
    return row + 1;
  }

  void draw_legend(double top) {
    for (const LegendEntry& item : legend_) {
      const double y = top + kLegendRow * item.row;
      if (item.is_copies)
        label(kCopies, item.x, y, "×N");
      else if (item.stroke)
        put("<path class=\"{}\" d=\"M{:.1f} {:.1f}h20\"/>\n", item.css, item.x, y - 4);
      else
        put("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"20\" height=\"14\" "
            "rx=\"6\"/>\n",
            item.css, item.x, y - 11);
      label("small", item.x + 26, y, item.text);
    }
  }

  const Picture& picture_;
  const Caption& caption_;
  const Layout layout_;
  const std::vector<std::vector<Curve>> curves_;  // in the layout's coordinates
  std::vector<LegendEntry> legend_;
  std::vector<std::string> order_;  // in lines
  std::string text_;
  double header_ = 0, width_ = 0, height_ = 0, left_ = 0;
  bool rounded_ = false, fused_ = false, exact_ = false, zero_ = false, wide_ = false, run_ = false,
       piece_ = false, fold_ = false, in_turn_ = false, output_ = false, output_fused_ = false,
       alpha_leaf_ = false, alpha_fused_ = false, scaled_ = false, stored_ = false, copies_ = false;
};

}  // namespace

std::string render_svg(const Picture& picture, const Caption& caption) {
  return Svg(picture, caption).run();
}

}  // namespace reprosum::report
