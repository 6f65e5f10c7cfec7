#include "src/report/picture/region_layout.h"

#include <fmt/core.h>

#include <algorithm>

#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr double kMargin = RegionLayout::kMargin;
constexpr double kWidest = 720, kTallest = 480, kStrip = 64;  // of the map
constexpr double kLargestOutput = 26, kSmallestOutput = 8;    // where every output is to scale
constexpr double kThinnest = 18;                              // of a band that is not
constexpr double kNumber = 6.4;                               // width of a digit
constexpr std::size_t kLegendColumns = 104;

std::int64_t shown(const BandAxis& axis) {
  std::int64_t total = 0;
  for (const Band& band : axis.bands) total += band.count;
  return total;
}

BandScale scaled(const BandAxis& axis, double unit, double longest) {
  BandScale out;
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

std::vector<std::vector<std::string>> legend_lines(const RegionPicture& picture) {
  std::vector<std::vector<std::string>> out;
  for (const RegionClass& which : picture.legend) {
    std::vector<std::string> lines = wrapped_lines(which.order, kLegendColumns);
    lines.push_back(fmt::format("class {}, {}{}{}", which.number, share_text(picture, which),
                                which.remark.empty() ? "" : "; ", which.remark));
    out.push_back(std::move(lines));
  }
  return out;
}

}  // namespace

// Small maps show every output as a square; larger ones give each band room for its number.
RegionLayout region_layout(const RegionPicture& picture, const RegionCaption& caption) {
  RegionLayout out{picture.is_vector ? picture.rows : picture.columns,
                   picture.is_vector ? picture.columns : picture.rows};
  const std::int64_t m = out.down.size, n = out.across.size;
  const bool folds = !out.across.repeats.empty() || !out.down.repeats.empty();
  double unit = std::min(kWidest / static_cast<double>(n), kTallest / static_cast<double>(m));
  unit = folds || unit < kSmallestOutput ? 0 : std::min(unit, kLargestOutput);
  out.x = scaled(out.across, unit, kWidest);
  if (picture.is_vector)
    out.y.edges.push_back(kStrip);
  else
    out.y = scaled(out.down, unit, kTallest);
  out.to_scale = unit > 0;

  const double digits = static_cast<double>(with_commas(n).size()) * kNumber;
  out.upright = false;
  for (std::size_t c = 0; c + 1 < out.across.bands.size(); ++c) {
    const auto needed =
        static_cast<double>(with_commas(out.across.bands[c].first).size()) * kNumber;
    out.upright |= out.x.edges[c + 1] - out.x.edges[c] < needed + 4;
  }
  const double numbers = out.upright ? digits + 8 : 18;
  out.left = picture.is_vector ? kMargin
                               : kMargin + static_cast<double>(with_commas(m).size()) * kNumber +
                                     16 + (out.down.repeats.empty() ? 0 : 52);
  out.brackets = RegionLayout::kHeader + 18 + (out.across.repeats.empty() ? 0 : 24);
  out.top = out.brackets + numbers;
  const double identity =
      6.2 * static_cast<double>(
                std::max({caption.identity.size(), caption.context.size(), caption.regime.size()}));
  out.legend = legend_lines(picture);
  double widest = 0;
  for (const auto& lines : out.legend)
    for (const std::string& line : lines)
      widest = std::max(widest, 36 + 7.0 * static_cast<double>(line.size()));
  out.width = std::max({out.left + out.x.size() + kMargin, std::min(identity, 1000.0) + 2 * kMargin,
                        widest + 2 * kMargin, 560.0});
  double lines = 0;
  for (const auto& item : out.legend) lines += 17 * static_cast<double>(item.size()) + 8;
  out.height = out.top + out.y.size() + 40 + lines + (out.to_scale ? 0 : 18) + 28;
  return out;
}

}  // namespace reprosum::report
