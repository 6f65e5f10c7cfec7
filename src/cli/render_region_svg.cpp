// The region map as a drawing: one colour per class, numbers where regions begin.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/cli/output.h"
#include "src/cli/region_picture.h"
#include "src/cli/svg_style.h"

namespace reprosum::cli {
namespace {

constexpr double kMargin = 28, kHeader = 92;
constexpr double kWidest = 720, kTallest = 480, kStrip = 64;  // of the map
constexpr double kLargestOutput = 26, kSmallestOutput = 8;    // where every output is to scale
constexpr double kThinnest = 18;                              // of a band that is not
constexpr double kNumber = 6.4;                               // width of a digit
constexpr std::size_t kLegendColumns = 104;

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

// Where the bands of one axis stand; edges has one more than there are bands.
struct Scale {
  std::vector<double> edges{0};
  double unit = 0;  // of one output; 0 if bands are not to scale
  double size() const { return edges.back(); }
};

std::int64_t shown(const BandAxis& axis) {
  std::int64_t total = 0;
  for (const Band& band : axis.bands) total += band.count;
  return total;
}

Scale scaled(const BandAxis& axis, double unit, double longest) {
  Scale out;
  out.unit = unit;
  const auto bands = static_cast<double>(axis.bands.size());
  const double rest = std::max(0.0, longest - bands * kThinnest);
  const auto total = static_cast<double>(shown(axis));
  for (const Band& band : axis.bands) {
    const auto count = static_cast<double>(band.count);
    out.edges.push_back(out.edges.back() +
                        (unit > 0 ? unit * count : kThinnest + rest * count / total));
  }
  return out;
}

class Svg {
 public:
  Svg(const RegionPicture& picture, const RegionCaption& caption)
      : picture_(picture),
        caption_(caption),
        across_(picture.is_vector ? picture.rows : picture.columns),
        down_(picture.is_vector ? picture.columns : picture.rows) {}

  std::string run() {
    measure();
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n",
        width_, height_);
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
    label("small", kMargin, height_ - 12, caption_.identity);
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

  // Small maps show every output as a square; larger ones give each band room for its number.
  void measure() {
    const std::int64_t m = down_.size, n = across_.size;
    const bool folds = !across_.repeats.empty() || !down_.repeats.empty();
    double unit = std::min(kWidest / static_cast<double>(n), kTallest / static_cast<double>(m));
    unit = folds || unit < kSmallestOutput ? 0 : std::min(unit, kLargestOutput);
    x_ = scaled(across_, unit, kWidest);
    if (picture_.is_vector)
      y_.edges.push_back(kStrip);
    else
      y_ = scaled(down_, unit, kTallest);
    to_scale_ = unit > 0;

    const double digits = static_cast<double>(with_commas(n).size()) * kNumber;
    upright_ = false;
    for (std::size_t c = 0; c + 1 < across_.bands.size(); ++c) {
      const auto needed = static_cast<double>(with_commas(across_.bands[c].first).size()) * kNumber;
      upright_ |= x_.edges[c + 1] - x_.edges[c] < needed + 4;
    }
    const double numbers = upright_ ? digits + 8 : 18;
    left_ = picture_.is_vector ? kMargin
                               : kMargin + static_cast<double>(with_commas(m).size()) * kNumber +
                                     16 + (down_.repeats.empty() ? 0 : 52);
    brackets_ = kHeader + 18 + (across_.repeats.empty() ? 0 : 24);
    top_ = brackets_ + numbers;
    const double identity =
        6.2 * static_cast<double>(std::max(
                  {caption_.identity.size(), caption_.context.size(), caption_.regime.size()}));
    legend_lines();
    double widest = 0;
    for (const auto& lines : legend_)
      for (const std::string& line : lines)
        widest = std::max(widest, 36 + 7.0 * static_cast<double>(line.size()));
    width_ = std::max({left_ + x_.size() + kMargin, std::min(identity, 1000.0) + 2 * kMargin,
                       widest + 2 * kMargin, 560.0});
    double lines = 0;
    for (const auto& item : legend_) lines += 17 * static_cast<double>(item.size()) + 8;
    height_ = top_ + y_.size() + 40 + lines + (to_scale_ ? 0 : 18) + 28;
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
    for (std::size_t d = 0; d < down_.bands.size(); ++d)
      for (std::size_t from = 0; from < across_.bands.size();) {
        std::size_t to = from + 1;
        while (to < across_.bands.size() && class_at(d, to) == class_at(d, from)) ++to;
        box(left_ + x_.edges[from], top_ + y_.edges[d], x_.edges[to] - x_.edges[from],
            y_.edges[d + 1] - y_.edges[d], class_at(d, from));
        from = to;
      }
  }

  void upright_line(const char* css, double x) {
    put("<path class=\"{}\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>\n", css, left_ + x, top_, y_.size());
  }
  void level_line(const char* css, double y) {
    put("<path class=\"{}\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", css, left_, top_ + y, x_.size());
  }

  void borders() {
    if (to_scale_) {
      for (std::int64_t i = 1; i < across_.size; ++i)
        upright_line("grid", x_.unit * static_cast<double>(i));
      for (std::int64_t i = 1; i < down_.size && !picture_.is_vector; ++i)
        level_line("grid", y_.unit * static_cast<double>(i));
    }
    for (std::size_t c = 1; c + 1 < x_.edges.size(); ++c) upright_line("border", x_.edges[c]);
    for (std::size_t d = 1; d + 1 < y_.edges.size(); ++d) level_line("border", y_.edges[d]);
    put("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
        left_, top_, x_.size(), y_.size());
    // Behind bands that stand for more of their kind the numbers jump.
    for (const Repeat& repeat : across_.repeats) upright_line("break", x_.edges[repeat.to]);
    for (const Repeat& repeat : down_.repeats) level_line("break", y_.edges[repeat.to]);
  }

  // In a wide band near the middle of each rectangle, so that no border runs through it.
  void numbers() {
    for (std::size_t d = 0; d < down_.bands.size(); ++d) {
      const double height = y_.edges[d + 1] - y_.edges[d];
      const auto width = [&](std::size_t c) { return x_.edges[c + 1] - x_.edges[c]; };
      for (std::size_t from = 0, to = 0; from < across_.bands.size(); from = to) {
        double widest = 0;
        for (to = from; to < across_.bands.size() && class_at(d, to) == class_at(d, from); ++to)
          widest = std::max(widest, width(to));
        const double middle = (x_.edges[from] + x_.edges[to]) / 2;
        double best = -1e9;
        for (std::size_t c = from; c < to; ++c) {
          const double centre = x_.edges[c] + width(c) / 2;
          if (width(c) >= 0.8 * widest && std::abs(centre - middle) < std::abs(best - middle))
            best = centre;
        }
        if (height >= 15 && widest >= 15)
          number(left_ + best, top_ + y_.edges[d] + height / 2, class_at(d, from));
      }
    }
  }

  static std::string times_text(const Repeat& repeat) { return "×" + with_commas(repeat.times); }

  void columns() {
    label("axis", left_, kHeader + 8, picture_.is_vector ? "output i →" : "column j →");
    for (std::size_t c = 0; c < across_.bands.size(); ++c) {
      const double x = left_ + x_.edges[c];
      const std::string number = with_commas(across_.bands[c].first);
      if (upright_) {
        const double at = x + std::min(10.0, (x_.edges[c + 1] - x_.edges[c]) / 2 + 3.5);
        label("tick", at, top_ - 4, number,
              fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", at, top_ - 4));
      } else {
        label("tick", x + 1, top_ - 5, number);
      }
      put("<path class=\"tick\" d=\"M{:.1f} {:.1f}v-4\" stroke=\"#44505e\"/>\n", x, top_);
    }
    for (const Repeat& repeat : across_.repeats) {
      const double from = left_ + x_.edges[repeat.from] + 2, to = left_ + x_.edges[repeat.to] - 2;
      put("<path class=\"bracket\" d=\"M{:.1f} {:.1f}v-6H{:.1f}v6\"/>\n", from, brackets_, to);
      label("times", (from + to) / 2, brackets_ - 10, times_text(repeat),
            " text-anchor=\"middle\"");
    }
  }

  void rows() {
    const double x = kMargin - 8, y = top_ + std::min(y_.size() / 2, 60.0);
    label("axis", x, y, "← row i", fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
    for (std::size_t d = 0; d < down_.bands.size(); ++d) {
      const double at = top_ + y_.edges[d];
      label("tick", left_ - 7, at + 9.5, with_commas(down_.bands[d].first), " text-anchor=\"end\"");
      put("<path d=\"M{:.1f} {:.1f}h-4\" stroke=\"#44505e\"/>\n", left_, at);
    }
    const double bracket = kMargin + 44;
    for (const Repeat& repeat : down_.repeats) {
      const double from = top_ + y_.edges[repeat.from] + 2, to = top_ + y_.edges[repeat.to] - 2;
      put("<path class=\"bracket\" d=\"M{:.1f} {:.1f}h-6V{:.1f}h6\"/>\n", bracket, from, to);
      label("times", bracket - 9, (from + to) / 2 + 4, times_text(repeat), " text-anchor=\"end\"");
    }
  }

  void legend_lines() {
    for (const RegionClass& which : picture_.legend) {
      std::vector<std::string> lines = wrapped_lines(which.order, kLegendColumns);
      lines.push_back(fmt::format("class {}, {}{}{}", which.number, share_text(picture_, which),
                                  which.remark.empty() ? "" : "; ", which.remark));
      legend_.push_back(std::move(lines));
    }
  }

  void legend() {
    double y = top_ + y_.size() + 22;
    if (!to_scale_) {
      const bool folds = !across_.repeats.empty() || !down_.repeats.empty();
      label("small", kMargin, y,
            folds
                ? "Not to scale. A bracket ×N stands over bands that come N times in a row, drawn "
                  "once; behind them the numbers jump."
                : "Not to scale: every band is wide enough for its number.");
      y += 18;
    }
    y += 8;
    for (std::size_t k = 0; k < legend_.size(); ++k) {
      box(kMargin, y - 3, 24, 24, static_cast<int>(k));
      number(kMargin + 12, y + 9, static_cast<int>(k));
      double line = y + 7;
      for (std::size_t l = 0; l < legend_[k].size(); ++l, line += 17)
        label(l + 1 == legend_[k].size() ? "small" : "legend", kMargin + 36, line, legend_[k][l]);
      y += 17 * static_cast<double>(legend_[k].size()) + 8;
    }
  }

  const RegionPicture& picture_;
  const RegionCaption& caption_;
  const BandAxis &across_, &down_;
  Scale x_, y_;
  std::vector<std::vector<std::string>> legend_;
  std::string text_;
  double width_ = 0, height_ = 0, left_ = 0, top_ = 0, brackets_ = 0;
  bool upright_ = false, to_scale_ = false;
};

}  // namespace

std::string render_region_svg(const RegionPicture& picture, const RegionCaption& caption) {
  return Svg(picture, caption).run();
}

}  // namespace reprosum::cli
