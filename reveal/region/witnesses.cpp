// A shape and an output for every class, inside the guard: that is where its order is revealed.
#include <algorithm>
#include <set>

#include "reveal/region/rule.h"

namespace reprosum::reveal::region {
namespace {

constexpr std::int64_t sizes[] = {1,  2,  3,   5,   7,   9,   13,  17,  23,   31,   41,  55,
                                  71, 95, 131, 197, 259, 347, 521, 783, 1041, 1600, 2048};
constexpr std::size_t most_shapes = 60;

struct Seen {
  std::vector<LearnedRegime::Witness> witnesses;
  std::vector<std::uint64_t> hashes;  // 0: not seen
  std::size_t found = 0, distinct = 0;
};

Seen look(Maps& maps, const Rule& rule, std::int64_t k) {
  std::vector<spec::Shape3> shapes;
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      if (maps.is_gemv() && n > 1) break;
      const spec::Shape3 shape{rule.vivid(row_side, m, m / 6),
                               maps.is_gemv() ? 1 : rule.vivid(column_side, n, n / 6), k};
      if (rule.inside(shape) && maps.affordable(shape)) shapes.push_back(shape);
    }
  }
  std::sort(shapes.begin(), shapes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.m * a.n, a) < std::pair(b.m * b.n, b);
  });
  // All along the range of sizes, the small ones first.
  Seen seen{{}, std::vector<std::uint64_t>(rule.classes, 0), 0, 0};
  seen.witnesses.resize(rule.classes);
  const std::size_t step = std::max<std::size_t>(1, shapes.size() / most_shapes);
  const std::size_t classes = rule.classes;
  for (std::size_t s = 0; s < shapes.size() && seen.found < classes; s += step) {
    const auto rows = word_of(rule.axes[row_side], shapes[s].m);
    const auto columns = word_of(rule.axes[column_side], shapes[s].n);
    if (!rows || !columns) continue;
    std::int64_t i = 0;
    for (const Run& row : *rows) {
      std::int64_t j = 0;
      for (const Run& column : *columns) {
        const std::int32_t c = rule.table[row.type][column.type];
        if (c >= 0 && seen.hashes[c] == 0) {
          const auto map = maps.at(shapes[s]);
          seen.hashes[c] = map->cell(map->row_kind[i], map->column_kind[j]);
          seen.witnesses[c] = {shapes[s], i, j};
          ++seen.found;
        }
        j += column.count;
      }
      i += row.count;
    }
  }
  std::set<std::uint64_t> hashes(seen.hashes.begin(), seen.hashes.end());
  hashes.erase(0);
  seen.distinct = hashes.size();
  return seen;
}

}  // namespace

bool find_witnesses(Maps& maps, Rule& rule) {
  const bool is_settled =
      std::all_of(rule.witnesses.begin(), rule.witnesses.end(),
                  [&](const LearnedRegime::Witness& w) { return rule.inside(w.shape); });
  if (is_settled) return true;
  Seen best;
  std::int64_t best_k = 0;
  for (const std::int64_t k : {rule.k_ref, std::int64_t{607}, std::int64_t{301}, std::int64_t{151},
                               std::int64_t{1511}, std::int64_t{2047}, std::int64_t{37}}) {
    if (k > maps.options().largest.k) continue;
    Seen seen = look(maps, rule, k);
    if (std::pair(seen.distinct, seen.found) > std::pair(best.distinct, best.found)) {
      best = std::move(seen);
      best_k = k;
    }
    if (best.distinct == static_cast<std::size_t>(rule.classes)) break;
  }
  if (best.found == 0) return false;
  // Classes that no shape shows are taken out of the table.
  std::vector<std::int32_t> number(rule.classes, -1);
  rule.witnesses.clear();
  rule.hashes.clear();
  for (int c = 0; c < rule.classes; ++c) {
    if (best.hashes[c] == 0) continue;
    number[c] = static_cast<std::int32_t>(rule.hashes.size());
    rule.hashes.push_back(best.hashes[c]);
    rule.witnesses.push_back(best.witnesses[c]);
  }
  for (auto& row : rule.table) {
    for (std::int32_t& entry : row) entry = entry < 0 ? -1 : number[entry];
  }
  rule.classes = static_cast<int>(rule.hashes.size());
  rule.k_ref = best_k;
  rule.forget();
  return true;
}

}  // namespace reprosum::reveal::region
