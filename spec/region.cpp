// Guards and region maps: which regime a shape falls under, and which class an output has.
#include "spec/region.h"

#include <algorithm>
#include <string>
#include <utility>

#include "spec/describe_matrix.h"
#include "spec/region_word.h"

namespace reprosum::spec {
namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

std::int32_t type_at(const std::vector<Stretch>& stretches, std::int64_t index) {
  const auto it =
      std::upper_bound(stretches.begin(), stretches.end(), index,
                       [](std::int64_t i, const Stretch& stretch) { return i < stretch.first; });
  return std::prev(it)->type;
}

std::vector<std::int32_t> types_of(const std::vector<Stretch>& stretches) {
  std::vector<std::int32_t> types;
  for (const Stretch& stretch : stretches) types.push_back(stretch.type);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return types;
}

// "" if the axis gives the size as runs that can be listed.
std::string refusal(const Axis& axis, std::int64_t size, const char* name) {
  const Segment* segment = segment_of(axis, size);
  const std::string what = std::string(name) + " = " + text(size);
  if (segment == nullptr) return what + " lies in no segment of the regime";
  return run_count(*segment, size) > kMaxStretches ? what + " has more than 2^22 runs" : "";
}

// The first pair of types that the shape has and the table lacks, or "".
std::string missing_pair(const RegionMap& map) {
  const std::vector<std::int32_t> columns = types_of(map.columns);
  for (const std::int32_t row : types_of(map.rows))
    for (const std::int32_t column : columns)
      if (map.regime->table[std::size_t(row)][std::size_t(column)] < 0)
        return "outputs of row type " + text(row) + " and column type " + text(column) +
               " were never seen";
  return "";
}

std::string decide(const MatrixRegime& regime, const Shape3& shape, RegionMap* map) {
  if (regime.classes.empty())
    return "nothing was captured" +
           (regime.guard.empty() ? "" : " where " + describe(regime.guard));
  if (shape.k > regime.k_max)
    return "k = " + text(shape.k) + " is beyond the captured " + text(regime.k_max);
  if (std::string why = refusal(regime.rows, shape.m, "m"); !why.empty()) return why;
  if (std::string why = refusal(regime.columns, shape.n, "n"); !why.empty()) return why;
  *map = {&regime, *stretches(regime.rows, shape.m), *stretches(regime.columns, shape.n)};
  return missing_pair(*map);
}

}  // namespace

bool Atom::holds(const Shape3& shape) const {
  if (compares_panels()) {
    const std::int64_t down = shape.m / a, across = shape.n / b;
    if (kind == Kind::taller || kind == Kind::not_taller)
      return (down > across) == (kind == Kind::taller);
    return (across > down) == (kind == Kind::wider);
  }
  if (compares_sizes()) {
    const bool is_equal = (!use_m || !use_n || shape.m == shape.n) &&
                          (!use_m || !use_k || shape.m == shape.k) &&
                          (!use_n || !use_k || shape.n == shape.k);
    return is_equal == (kind == Kind::equal);
  }
  std::int64_t product = 1;
  if (use_m) product = saturating_product(product, shape.m);
  if (use_n) product = saturating_product(product, shape.n);
  if (use_k) product = saturating_product(product, shape.k);
  return (product <= limit) == (kind == Kind::at_most);
}

MatrixRegime regime_of_one_output(std::size_t order, std::int64_t k_max) {
  const Word one{{{1, 0}, {{0, {1, 0}}}}};
  const Axis axis{{1, 1, 2, 1, {one}, {}}};
  MatrixRegime regime;
  regime.rows = regime.columns = axis;
  regime.table = {{0}};
  regime.classes = {{order}};
  regime.k_max = k_max;
  return regime;
}

bool is_of_one_output(const MatrixRegime& regime) {
  return regime.classes.size() == 1 &&
         regime == regime_of_one_output(regime.classes[0].order, regime.k_max);
}

std::int32_t RegionMap::class_at(std::int64_t i, std::int64_t j) const {
  return regime->table[std::size_t(type_at(rows, i))][std::size_t(type_at(columns, j))];
}

std::optional<RegionMap> regions(const std::vector<MatrixRegime>& regimes, const Shape3& shape,
                                 std::string* why) {
  const std::string sizes =
      "m = " + text(shape.m) + ", n = " + text(shape.n) + ", k = " + text(shape.k);
  std::string reason;
  if (shape.m < 1 || shape.n < 1 || shape.k < 1) {
    reason = "the empty shape " + sizes + " has no orders";
  } else {
    const auto holds = [&](const MatrixRegime& regime) {
      return std::all_of(regime.guard.begin(), regime.guard.end(),
                         [&](const Atom& atom) { return atom.holds(shape); });
    };
    const auto it = std::find_if(regimes.begin(), regimes.end(), holds);
    if (it == regimes.end()) {
      reason = "no regime covers " + sizes;
    } else {
      RegionMap map;
      reason = decide(*it, shape, &map);
      if (reason.empty()) return map;
    }
  }
  if (why != nullptr) *why = std::move(reason);
  return std::nullopt;
}

}  // namespace reprosum::spec
