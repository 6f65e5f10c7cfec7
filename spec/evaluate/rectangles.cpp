#include "spec/evaluate/rectangles.h"

#include <string>

#include "spec/error.h"

namespace reprosum::spec {
namespace {

// The classes of one row type along the columns.
std::vector<Rectangle> along(const RegionMap& map, const Stretch& rows) {
  std::vector<Rectangle> row;
  const auto& table = map.regime->table.at(static_cast<std::size_t>(rows.type));
  for (const Stretch& columns : map.columns) {
    if (columns.count == 0) continue;
    const std::int32_t kind = table.at(static_cast<std::size_t>(columns.type));
    if (kind < 0)
      throw UserError("output (" + std::to_string(rows.first) + ", " +
                      std::to_string(columns.first) + ") is not covered: its class was never seen");
    if (!row.empty() && row.back().kind == kind)
      row.back().columns += columns.count;
    else
      row.push_back({kind, rows.first, rows.count, columns.first, columns.count});
  }
  return row;
}

bool same_classes(const std::vector<Rectangle>& a, const std::vector<Rectangle>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k].kind != b[k].kind || a[k].column != b[k].column || a[k].columns != b[k].columns)
      return false;
  return true;
}

}  // namespace

std::vector<Rectangle> rectangles(const RegionMap& map) {
  std::vector<Rectangle> all, open;
  for (const Stretch& rows : map.rows) {
    if (rows.count == 0) continue;
    std::vector<Rectangle> next = along(map, rows);
    if (same_classes(open, next)) {
      for (Rectangle& r : open) r.rows += rows.count;
      continue;
    }
    all.insert(all.end(), open.begin(), open.end());
    open = std::move(next);
  }
  all.insert(all.end(), open.begin(), open.end());
  return all;
}

}  // namespace reprosum::spec
