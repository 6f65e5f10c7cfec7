#include <fmt/core.h>

#include <algorithm>

#include "src/report/picture/region_picture.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr std::int64_t kWidest = 96;   // outputs in a line
constexpr std::int64_t kTallest = 48;  // lines of a map that has one for each row

std::string span_text(const Band& band) {
  if (band.count == 1) return with_commas(band.first);
  return fmt::format("{}..{}", with_commas(band.first), with_commas(band.first + band.count - 1));
}

const Repeat* repeat_at(const BandAxis& axis, std::size_t band) {
  for (const Repeat& repeat : axis.repeats)
    if (repeat.from <= band && band < repeat.to) return &repeat;
  return nullptr;
}

std::string symbol_at(const RegionPicture& picture, std::size_t row, std::size_t column) {
  return class_symbol(
      picture.legend[static_cast<std::size_t>(picture.classes[row][column])].number);
}

// One character per output; numbers stand where bands begin.
std::string whole_map(const RegionPicture& picture) {
  const auto margin = static_cast<std::size_t>(std::to_string(picture.shape.m).size() + 4);
  std::string numbers(margin, ' ');
  for (const Band& band : picture.columns.bands) {
    const std::size_t at = margin + static_cast<std::size_t>(band.first);
    if (numbers.size() > at || (at > margin && numbers.size() == at && at != margin)) continue;
    numbers.resize(at, ' ');
    numbers += std::to_string(band.first);
  }
  std::string out = numbers + "\n";
  for (std::size_t r = 0; r < picture.rows.bands.size(); ++r) {
    const Band& band = picture.rows.bands[r];
    std::string line;
    for (std::size_t c = 0; c < picture.columns.bands.size(); ++c)
      for (std::int64_t k = 0; k < picture.columns.bands[c].count; ++k)
        line += symbol_at(picture, r, c);
    for (std::int64_t k = 0; k < band.count; ++k)
      out +=
          fmt::format("{:>{}}  {}\n", k == 0 ? std::to_string(band.first) : "", margin - 2, line);
  }
  return out;
}

// gemv: the outputs one after the other, in lines of equal length.
std::string strip(const RegionPicture& picture) {
  constexpr std::int64_t kLine = 64;
  std::string all;
  for (std::size_t r = 0; r < picture.rows.bands.size(); ++r)
    for (std::int64_t k = 0; k < picture.rows.bands[r].count; ++k) all += symbol_at(picture, r, 0);
  std::string out;
  for (std::size_t from = 0; from < all.size(); from += kLine)
    out += fmt::format("{:>8}  {}\n", from, all.substr(from, kLine));
  return out;
}

// One cell per pair of bands; what repeats stands once.
std::string band_map(const RegionPicture& picture) {
  const BandAxis& columns = picture.columns;
  std::vector<std::string> header{picture.is_vector ? "outputs" : "rows \\ columns", ""};
  std::vector<std::string> repeats{"", ""};
  for (std::size_t c = 0; c < columns.bands.size(); ++c) {
    header.push_back(picture.is_vector ? "class" : span_text(columns.bands[c]));
    const Repeat* repeat = repeat_at(columns, c);
    repeats.push_back(repeat == nullptr     ? ""
                      : repeat->from == c   ? fmt::format("[ x{}", with_commas(repeat->times))
                      : repeat->to == c + 1 ? "]"
                                            : "-");
    if (repeat != nullptr && repeat->to == repeat->from + 1) repeats.back() += " ]";
  }
  Table table(header);
  if (!columns.repeats.empty()) table.add(repeats);
  for (std::size_t r = 0; r < picture.rows.bands.size(); ++r) {
    const Repeat* repeat = repeat_at(picture.rows, r);
    std::vector<std::string> line{span_text(picture.rows.bands[r])};
    if (repeat == nullptr)
      line.emplace_back();
    else if (repeat->from == r)
      line.push_back(
          fmt::format("{} x{}", repeat->to == r + 1 ? "[" : "/", with_commas(repeat->times)));
    else
      line.emplace_back(repeat->to == r + 1 ? "\\" : "|");
    for (std::size_t c = 0; c < columns.bands.size(); ++c) line.push_back(symbol_at(picture, r, c));
    table.add(line);
  }
  return table.text();
}

}  // namespace

std::string render_region_text(const RegionPicture& picture, const RegionCaption& caption) {
  std::string out = fmt::format("{}\n{}\n{}\n{}\n\n", caption.title, caption.context,
                                caption.regime, caption.identity);
  const bool folds = !picture.rows.repeats.empty() || !picture.columns.repeats.empty();
  if (picture.is_vector && !folds && picture.shape.m <= 512)
    out += strip(picture);
  else if (!folds && picture.shape.n <= kWidest && picture.shape.m <= kTallest)
    out += whole_map(picture);
  else
    out += band_map(picture);
  out += "\n";
  for (const RegionClass& which : picture.legend) {
    out += fmt::format("{}  {}  ({})\n", class_symbol(which.number), which.order,
                       share_text(picture, which));
    if (!which.remark.empty()) out += fmt::format("   {}\n", which.remark);
  }
  for (const auto& [axis, what] : {std::pair{&picture.rows, picture.is_vector ? "outputs" : "rows"},
                                   std::pair{&picture.columns, "columns"}})
    for (const Repeat& repeat : axis->repeats) {
      const std::int64_t first = axis->bands[repeat.from].first;
      out += fmt::format("{} {}..{} repeat what is shown of them every {}\n", what,
                         with_commas(first), with_commas(first + repeat.times * repeat.length - 1),
                         with_commas(repeat.length));
    }
  return out;
}

}  // namespace reprosum::report
