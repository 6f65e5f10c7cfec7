// Shapes of one k, listed one by one: types of rows and columns that give each its map.
#include <algorithm>
#include <map>
#include <utility>

#include "reveal/region/box.h"
#include "reveal/region/closest.h"

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;

constexpr std::size_t most_types = 160;  // of one side

// A row (a column) as a function from columns (rows) to what is there; 0 where it is not known.
using Function = std::vector<std::uint64_t>;

// Numbers functions such that those of one number agree wherever both are known, and somewhere.
class Types {
 public:
  std::int32_t number(const Function& function) {
    const auto [known, is_new] = numbers_.emplace(function, 0);
    if (!is_new) return known->second;
    const std::size_t best =
        closest(types_, [&](const auto& type) { return agreement(type, function); });
    if (best == types_.size()) types_.emplace_back(function.size(), 0);
    for (std::size_t i = 0; i < function.size(); ++i)
      if (function[i] != 0) types_[best][i] = function[i];
    return known->second = static_cast<std::int32_t>(best);
  }
  const std::vector<Function>& all() const { return types_; }

 private:
  // At how many places both are known; -1 if they differ in one.
  static std::ptrdiff_t agreement(const Function& type, const Function& function) {
    std::ptrdiff_t common = 0;
    for (std::size_t i = 0; i < type.size(); ++i) {
      if (type[i] == 0 || function[i] == 0) continue;
      if (type[i] != function[i]) return -1;
      ++common;
    }
    return common;
  }

  std::vector<Function> types_;
  std::map<Function, std::int32_t> numbers_;
};

std::uint64_t row_digest(const WholeBox& box, std::size_t at, std::int32_t row_kind) {
  std::uint64_t digest = 1;
  for (const std::int32_t column : box.columns(at).kind)
    digest = mix(digest, box.cell(at, row_kind, column));
  return digest | 1;
}

// By size, then by place.
using Functions = std::vector<std::vector<Function>>;

Functions empty_functions(std::int64_t sizes, std::size_t places) {
  Functions functions;
  for (std::int64_t size = 1; size <= sizes; ++size)
    functions.emplace_back(static_cast<std::size_t>(size), Function(places, 0));
  return functions;
}

std::vector<std::vector<std::int32_t>> number(const Functions& functions,
                                              const std::vector<bool>& is_met, Types& types) {
  std::vector<std::vector<std::int32_t>> words(functions.size());
  for (std::size_t size = 0; size < functions.size(); ++size) {
    if (!is_met[size]) continue;
    for (const Function& function : functions[size]) words[size].push_back(types.number(function));
  }
  return words;
}

// The classes of all pairs of types that met, and where each was met first.
void fill(const WholeBox& box, const std::vector<std::size_t>& shapes, BoxRule& rule) {
  std::map<std::uint64_t, std::int32_t> numbers;
  for (const std::size_t at : shapes) {
    const Shape3 shape = box.shape(at);
    const auto& down = rule.rows[static_cast<std::size_t>(shape.m - 1)];
    const auto& across = rule.columns[static_cast<std::size_t>(shape.n - 1)];
    for (std::size_t i = 0; i < down.size(); ++i) {
      for (std::size_t j = 0; j < across.size(); ++j) {
        std::int32_t& entry =
            rule.table[static_cast<std::size_t>(down[i])][static_cast<std::size_t>(across[j])];
        if (entry >= 0) continue;
        const std::uint64_t hash = box.cell(at, box.rows(at).kind[i], box.columns(at).kind[j]);
        const auto [it, is_new] =
            numbers.emplace(hash, static_cast<std::int32_t>(rule.witnesses.size()));
        entry = it->second;
        if (is_new)
          rule.witnesses.push_back(
              {shape, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
      }
    }
  }
}

}  // namespace

// Rows first, by what all of them shows; columns as functions of these, so that a type of rows and
// one of columns have one class wherever they meet.
std::optional<BoxRule> list_shapes(const WholeBox& box, const std::vector<std::size_t>& shapes) {
  if (shapes.empty()) return std::nullopt;
  BoxRule rule;
  rule.k_ref = box.shape(shapes.front()).k;
  Functions rows = empty_functions(box.sizes().m, static_cast<std::size_t>(box.sizes().n));
  std::vector<bool> has_rows(rows.size(), false);
  for (const std::size_t at : shapes) {
    const Shape3 shape = box.shape(at);
    std::vector<std::uint64_t> digests;
    for (std::int32_t kind = 0; kind < box.rows(at).kinds; ++kind)
      digests.push_back(row_digest(box, at, kind));
    const auto m = static_cast<std::size_t>(shape.m - 1), n = static_cast<std::size_t>(shape.n - 1);
    has_rows[m] = true;
    for (std::size_t i = 0; i <= m; ++i)
      rows[m][i][n] = digests[static_cast<std::size_t>(box.rows(at).kind[i])];
  }
  Types row_types, column_types;
  rule.rows = number(rows, has_rows, row_types);
  if (row_types.all().size() > most_types) return std::nullopt;
  Functions columns = empty_functions(box.sizes().n, row_types.all().size());
  std::vector<bool> has_columns(columns.size(), false);
  for (const std::size_t at : shapes) {
    const Shape3 shape = box.shape(at);
    const auto m = static_cast<std::size_t>(shape.m - 1), n = static_cast<std::size_t>(shape.n - 1);
    has_columns[n] = true;
    for (std::size_t j = 0; j <= n; ++j)
      for (std::size_t i = 0; i <= m; ++i)
        columns[n][j][static_cast<std::size_t>(rule.rows[m][i])] =
            box.cell(at, box.rows(at).kind[i], box.columns(at).kind[j]) | 1;
  }
  rule.columns = number(columns, has_columns, column_types);
  if (column_types.all().size() > most_types) return std::nullopt;
  rule.table.assign(row_types.all().size(),
                    std::vector<std::int32_t>(column_types.all().size(), -1));
  fill(box, shapes, rule);
  return rule;
}

}  // namespace reprosum::reveal::region
