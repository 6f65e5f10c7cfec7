// The region map as a drawing: one colour per class, numbers where regions begin.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/report/picture/region_layout.h"
#include "src/report/picture/svg_style.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr double kMargin = RegionLayout::kMargin;

// The hues of Wong, "Color blindness", Nature Methods 8 (2011), without black and with a slate
// last, lightened so that dark numbers keep a contrast of 4.5 on them.
constexpr const char* kColours[] = {"#74bde8", "#f0b13c", "#45b893", "#d79bbd",
                                    "#f2e766", "#5596d3", "#e58a4c", "#8995a1"};

constexpr const char* kMapStyle = R"(<style>
  .tick { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 10px; fill: #44505e; }
  .axis { font-size: 12px; font-weight: 600; fill: #44505e; }
  .times { font-size: 11px; font-weight: 600; fill: #8a3b12; }
  .bracket { fill: none; stroke: #8a3b12; stroke-width: 1.2; }
  .break { stroke: #2b3440; stroke-width: 1.2; stroke-dasharray: 5 3; }
  .grid { stroke: #ffffff; stroke-opacity: 0.35; stroke-width: 0.7; }
  .border { stroke: #ffffff; stroke-width: 1.4; }
  .frame { fill: none; stroke: #44505e; stroke-width: 1.2; }
  .number { font-size: 12px; font-weight: 600; text-anchor: middle; fill: #10212e; }
  .legend { font-size: 12.5px; fill: #2b3440; }
</style>
)";

class Svg {
 public:
  Svg(const RegionPicture& picture, const RegionCaption& caption)
      : picture_(picture), caption_(caption), layout_(region_layout(picture, caption)) {}

  std::string run() {
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n",
        layout_.width, layout_.height);
    put("<title>{}</title>\n<desc>{}</desc>\n", escaped(caption_.title), escaped(caption_.regime));
    text_ += kStyle;
    text_ += kMapStyle;
    hatches();
    put("<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#fbfaf7\" stroke=\"#d9d5cc\"/>\n");
    label("title", kMargin, 34, caption_.title);
    label("order", kMargin, 55, caption_.regime);
    label("small", kMargin, 73, caption_.context);
    cells();
    borders();
    numbers();
    columns();
    if (!picture_.is_vector) rows();
    legend();
    label("small", kMargin, layout_.height - 12, caption_.identity);
    return text_ + "</svg>\n";
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void label(const char* css, double x, double y, const std::string& text,
             const std::string& extra = "") {
    put("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", css, x, y, extra,
        escaped(text));
  }

  int class_at(std::size_t down, std::size_t across) const {
    return picture_.is_vector ? picture_.classes[across][down] : picture_.classes[down][across];
  }
  static const char* colour(int index) {
    return kColours[static_cast<std::size_t>(index) % std::size(kColours)];
  }
  // Where the colours are used up they come again, hatched.
  static bool hatched(int index) { return static_cast<std::size_t>(index) >= std::size(kColours); }
  void hatches() {
    if (picture_.legend.size() <= std::size(kColours)) return;
    put("<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"6\" fill=\"#ffffff\" "
        "fill-opacity=\"0.55\"/></pattern></defs>\n");
  }
  void box(double x, double y, double width, double height, int index) {
    const std::string place = fmt::format(
        "x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", x, y, width, height);
    put("<rect {} fill=\"{}\"/>\n", place, colour(index));
    if (hatched(index)) put("<rect {} fill=\"url(#hatch)\"/>\n", place);
  }
  void number(double x, double y, int index) {
    label("number", x, y + 4.3,
          std::to_string(picture_.legend[static_cast<std::size_t>(index)].number));
  }

  // Neighbouring bands of one class in one row of bands are one rectangle.
  void cells() {
    for (std::size_t d = 0; d < layout_.down.bands.size(); ++d)
      for (std::size_t from = 0; from < layout_.across.bands.size();) {
        std::size_t to = from + 1;
        while (to < layout_.across.bands.size() && class_at(d, to) == class_at(d, from)) ++to;
        box(layout_.left + layout_.x.edges[from], layout_.top + layout_.y.edges[d],
            layout_.x.edges[to] - layout_.x.edges[from],
            layout_.y.edges[d + 1] - layout_.y.edges[d], class_at(d, from));
        from = to;
      }
  }

  void upright_line(const char* css, double x) {
    put("<path class=\"{}\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>\n", css, layout_.left + x, layout_.top,
        layout_.y.size());
  }
  void level_line(const char* css, double y) {
    put("<path class=\"{}\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", css, layout_.left, layout_.top + y,
        layout_.x.size());
  }

  void borders() {
    if (layout_.to_scale) {
      for (std::int64_t i = 1; i < layout_.across.size; ++i)
        upright_line("grid", layout_.x.unit * static_cast<double>(i));
      for (std::int64_t i = 1; i < layout_.down.size && !picture_.is_vector; ++i)
        level_line("grid", layout_.y.unit * static_cast<double>(i));
    }
    for (std::size_t c = 1; c + 1 < layout_.x.edges.size(); ++c)
      upright_line("border", layout_.x.edges[c]);
    for (std::size_t d = 1; d + 1 < layout_.y.edges.size(); ++d)
      level_line("border", layout_.y.edges[d]);
    put("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        layout_.left, layout_.top, layout_.x.size(), layout_.y.size());
    // Behind bands that stand for more of their kind the numbers jump.
    for (const Repeat& repeat : layout_.across.repeats)
      upright_line("break", layout_.x.edges[repeat.to]);
    for (const Repeat& repeat : layout_.down.repeats)
      level_line("break", layout_.y.edges[repeat.to]);
  }

  // In a wide band near the middle of each rectangle, so that no border runs through it.
  void numbers() {
    for (std::size_t d = 0; d < layout_.down.bands.size(); ++d) {
      const double height = layout_.y.edges[d + 1] - layout_.y.edges[d];
      const auto width = [&](std::size_t c) { return layout_.x.edges[c + 1] - layout_.x.edges[c]; };
      for (std::size_t from = 0, to = 0; from < layout_.across.bands.size(); from = to) {
        double widest = 0;
        for (to = from; to < layout_.across.bands.size() && class_at(d, to) == class_at(d, from);
             ++to)
          widest = std::max(widest, width(to));
        const double middle = (layout_.x.edges[from] + layout_.x.edges[to]) / 2;
        double best = -1e9;
        for (std::size_t c = from; c < to; ++c) {
          const double centre = layout_.x.edges[c] + width(c) / 2;
          if (width(c) >= 0.8 * widest && std::abs(centre - middle) < std::abs(best - middle))
            best = centre;
        }
        if (height >= 15 && widest >= 15)
          number(layout_.left + best, layout_.top + layout_.y.edges[d] + height / 2,
                 class_at(d, from));
      }
    }
  }

  static std::string times_text(const Repeat& repeat) { return "×" + with_commas(repeat.times); }

  void columns() {
    label("axis", layout_.left, RegionLayout::kHeader + 8,
          fmt::format("{} = {} →", picture_.is_vector ? "output i of m" : "column j of n",
                      with_commas(layout_.across.size)));
    for (std::size_t c = 0; c < layout_.across.bands.size(); ++c) {
      const double x = layout_.left + layout_.x.edges[c];
      const std::string number = with_commas(layout_.across.bands[c].first);
      if (layout_.upright) {
        const double at =
            x + std::min(10.0, (layout_.x.edges[c + 1] - layout_.x.edges[c]) / 2 + 3.5);
        label("tick", at, layout_.top - 4, number,
              fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", at, layout_.top - 4));
      } else {
        label("tick", x + 1, layout_.top - 5, number);
      }
      put("<path class=\"tick\" d=\"M{:.1f} {:.1f}v-4\" stroke=\"#44505e\"/>\n", x, layout_.top);
    }
    // The axis ends with its size.
    const double end = layout_.left + layout_.x.size();
    put("<path class=\"tick\" d=\"M{:.1f} {:.1f}v-4\" stroke=\"#44505e\"/>\n", end, layout_.top);
    label("tick", end + (layout_.upright ? 8.0 : 1.0), layout_.top - (layout_.upright ? 4 : 5),
          with_commas(layout_.across.size),
          layout_.upright
              ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", end + 8, layout_.top - 4)
              : "");
    for (const Repeat& repeat : layout_.across.repeats) {
      const double from = layout_.left + layout_.x.edges[repeat.from] + 2,
                   to = layout_.left + layout_.x.edges[repeat.to] - 2;
      put("<path class=\"bracket\" d=\"M{:.1f} {:.1f}v-6H{:.1f}v6\"/>\n", from, layout_.brackets,
          to);
      label("times", (from + to) / 2, layout_.brackets - 10, times_text(repeat),
            " text-anchor=\"middle\"");
    }
  }

  void rows() {
    const double x = kMargin - 8, y = layout_.top + std::min(layout_.y.size(), 150.0);
    label("axis", x, y, fmt::format("← row i of m = {}", with_commas(layout_.down.size)),
          fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
    for (std::size_t d = 0; d < layout_.down.bands.size(); ++d) {
      const double at = layout_.top + layout_.y.edges[d];
      label("tick", layout_.left - 7, at + 9.5, with_commas(layout_.down.bands[d].first),
            " text-anchor=\"end\"");
      put("<path d=\"M{:.1f} {:.1f}h-4\" stroke=\"#44505e\"/>\n", layout_.left, at);
    }
    const double end = layout_.top + layout_.y.size();
    label("tick", layout_.left - 7, end + 9.5, with_commas(layout_.down.size),
          " text-anchor=\"end\"");
    put("<path d=\"M{:.1f} {:.1f}h-4\" stroke=\"#44505e\"/>\n", layout_.left, end);
    const double bracket = kMargin + 44;
    for (const Repeat& repeat : layout_.down.repeats) {
      const double from = layout_.top + layout_.y.edges[repeat.from] + 2,
                   to = layout_.top + layout_.y.edges[repeat.to] - 2;
      put("<path class=\"bracket\" d=\"M{:.1f} {:.1f}h-6V{:.1f}h6\"/>\n", bracket, from, to);
      label("times", bracket - 9, (from + to) / 2 + 4, times_text(repeat), " text-anchor=\"end\"");
    }
  }

  void legend() {
    double y = layout_.top + layout_.y.size() + 22;
    if (!layout_.to_scale) {
      const bool folds = !layout_.across.repeats.empty() || !layout_.down.repeats.empty();
      label("small", kMargin, y,
            folds
                ? "Not to scale. A bracket ×N stands over bands that come N times in a row, drawn "
                  "once; behind them the numbers jump."
                : "Not to scale: every band is wide enough for its number.");
      y += 18;
    }
    y += 8;
    for (std::size_t k = 0; k < layout_.legend.size(); ++k) {
      box(kMargin, y - 3, 24, 24, static_cast<int>(k));
      number(kMargin + 12, y + 9, static_cast<int>(k));
      double line = y + 7;
      for (std::size_t l = 0; l < layout_.legend[k].size(); ++l, line += 17)
        label(l + 1 == layout_.legend[k].size() ? "small" : "legend", kMargin + 36, line,
              layout_.legend[k][l]);
      y += 17 * static_cast<double>(layout_.legend[k].size()) + 8;
    }
  }

  const RegionPicture& picture_;
  const RegionCaption& caption_;
  const RegionLayout layout_;
  std::string text_;
};

}  // namespace

std::string render_region_svg(const RegionPicture& picture, const RegionCaption& caption) {
  return Svg(picture, caption).run();
}

}  // namespace reprosum::report
