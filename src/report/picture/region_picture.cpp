#include "src/report/picture/region_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "spec/describe_matrix.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "src/report/wording.h"

namespace reprosum::report {
namespace {

constexpr std::size_t kLongestRepeat = 64;      // bands that are looked at as one repeating group
constexpr std::size_t kLeastSaved = 4;          // bands that a repeat must save
constexpr std::int64_t kLargestTree = 1 << 16;  // summands of trees that are compared

using Classes = std::vector<std::int32_t>;

// A band and what its outputs are: equal lines have equal classes.
struct LineBand {
  Band band;
  int line = 0;
  bool like(const LineBand& other) const {
    return line == other.line && band.count == other.band.count;
  }
};

std::vector<std::int32_t> types_of(const std::vector<spec::Stretch>& stretches) {
  std::vector<std::int32_t> types;
  for (const spec::Stretch& stretch : stretches) types.push_back(stretch.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return types;
}

// Stretches joined where types differ but none of the shape's outputs does.
template <class ClassOf>
std::vector<LineBand> joined(const std::vector<spec::Stretch>& stretches,
                             const std::vector<std::int32_t>& others, ClassOf class_of) {
  std::map<std::int32_t, int> line_of;  // by type
  std::map<Classes, int> known;
  for (const std::int32_t type : types_of(stretches)) {
    Classes line;
    for (const std::int32_t other : others) line.push_back(class_of(type, other));
    line_of[type] = known.emplace(std::move(line), static_cast<int>(known.size())).first->second;
  }
  std::vector<LineBand> out;
  for (const spec::Stretch& stretch : stretches) {
    const int line = line_of[stretch.type];
    if (!out.empty() && out.back().line == line)
      out.back().band.count += stretch.count;
    else
      out.push_back({{stretch.first, stretch.count}, line});
  }
  return out;
}

// How often the `length` bands from `at` on stand one after the other.
std::size_t times_at(const std::vector<LineBand>& bands, std::size_t at, std::size_t length) {
  std::size_t end = at + length;
  while (end < bands.size() && bands[end].like(bands[end - length])) ++end;
  return (end - at) / length;
}

struct Folded {
  BandAxis axis;
  std::vector<LineBand> kept;
};

Folded folded(const std::vector<LineBand>& bands, std::int64_t size, const char* what) {
  Folded out;
  out.axis.size = size;
  for (std::size_t i = 0; i < bands.size();) {
    std::size_t best_length = 1, best_times = 1;
    for (std::size_t length = 1;
         bands.size() > kMostBands && length <= kLongestRepeat && i + 2 * length <= bands.size();
         ++length) {
      const std::size_t times = times_at(bands, i, length);
      if ((times - 1) * length > (best_times - 1) * best_length)
        best_length = length, best_times = times;
    }
    if (best_times < 3 || (best_times - 1) * best_length < kLeastSaved)
      best_length = best_times = 1;
    const std::size_t from = out.kept.size();
    for (std::size_t k = 0; k < best_length; ++k) out.kept.push_back(bands[i + k]);
    if (best_times > 1) {
      std::int64_t length = 0;
      for (std::size_t k = 0; k < best_length; ++k) length += bands[i + k].band.count;
      out.axis.repeats.push_back(
          {from, out.kept.size(), static_cast<std::int64_t>(best_times), length});
    }
    i += best_length * best_times;
  }
  if (out.kept.size() > kLargestMap)
    throw UserError(
        fmt::format("the map has {} of {} that do not repeat, too many to draw; "
                    "--format json lists them",
                    plural(static_cast<std::int64_t>(out.kept.size()), "band"), what));
  for (const LineBand& band : out.kept) out.axis.bands.push_back(band.band);
  return out;
}

std::string remark_of(const spec::Spec& spec, const std::vector<spec::MatrixClass>& classes,
                      const std::vector<RegionClass>& before, std::size_t number, std::int64_t k) {
  const spec::MatrixClass& own = classes[number];
  std::string out;
  const auto say = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (own.beta_zero_at(k) != spec::MatrixClass::BetaZero::store)
    say("beta = 0 " + spec::describe(own.beta_zero_at(k)));
  if (own.alpha_zero == spec::MatrixClass::AlphaZero::compute) say("alpha = 0 still reads A and B");
  if (k > kLargestTree || !spec::covers(spec.orders.at(own.order), k)) return out;
  for (const RegionClass& other : before) {
    const std::size_t order = classes[static_cast<std::size_t>(other.number)].order;
    if (!spec::covers(spec.orders.at(order), k)) continue;
    if (spec::expand(spec.orders[order], k) == spec::expand(spec.orders[own.order], k)) {
      say(fmt::format("at k = {} the same additions as class {}", k, other.number));
      break;
    }
  }
  return out;
}

}  // namespace

RegionPicture region_picture(const spec::Spec& spec, const spec::RegionMap& map,
                             const spec::Shape3& shape, bool is_vector) {
  const spec::MatrixRegime& regime = *map.regime;
  const auto class_of = [&](std::int32_t row, std::int32_t column) {
    return regime.table[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  };
  RegionPicture out;
  out.shape = shape;
  out.is_vector = is_vector;
  const Folded rows = folded(joined(map.rows, types_of(map.columns), class_of), shape.m, "rows");
  const Folded columns =
      folded(joined(map.columns, types_of(map.rows),
                    [&](std::int32_t column, std::int32_t row) { return class_of(row, column); }),
             shape.n, "columns");
  out.rows = rows.axis;
  out.columns = columns.axis;

  std::map<std::int32_t, std::int64_t> in_rows, in_columns;  // how many of each type
  for (const spec::Stretch& s : map.rows) in_rows[s.type] += s.count;
  for (const spec::Stretch& s : map.columns) in_columns[s.type] += s.count;
  std::map<std::int32_t, std::int64_t> outputs;
  for (const auto& [row, count] : in_rows)
    for (const auto& [column, across] : in_columns)
      outputs[class_of(row, column)] += count * across;
  std::map<std::int32_t, int> place;
  for (const auto& [number, count] : outputs) {
    place[number] = static_cast<int>(out.legend.size());
    const auto index = static_cast<std::size_t>(number);
    const spec::Order& order = spec.orders.at(regime.classes.at(index).order);
    out.legend.push_back({number, count, spec::describe(order),
                          remark_of(spec, regime.classes, out.legend, index, shape.k)});
  }
  for (const LineBand& row : rows.kept) {
    out.classes.emplace_back();
    for (const LineBand& column : columns.kept)
      out.classes.back().push_back(place.at(map.class_at(row.band.first, column.band.first)));
  }
  return out;
}

std::string class_symbol(int number) {
  constexpr std::string_view kSymbols =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto index = static_cast<std::size_t>(number);
  return std::string(1, index < kSymbols.size() ? kSymbols[index] : '*');
}

std::string share_text(const RegionPicture& picture, const RegionClass& which) {
  const double all = static_cast<double>(picture.shape.m) * static_cast<double>(picture.shape.n);
  const double share = 100 * static_cast<double>(which.outputs) / all;
  const std::string percent = share > 0 && share < 1      ? "under 1 %"
                              : share > 99 && share < 100 ? "over 99 %"
                                                          : fmt::format("{:.0f} %", share);
  return fmt::format("{}, {}", plural(which.outputs, "output"), percent);
}

}  // namespace reprosum::report
