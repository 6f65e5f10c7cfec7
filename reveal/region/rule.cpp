#include "reveal/region/rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/describe_matrix.h"

namespace reprosum::reveal::region {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

// Which kinds of the map meet which predicted types, and where first.
std::map<Pair, std::int64_t> meetings(const Runs& runs, const std::vector<std::int32_t>& kinds) {
  std::map<Pair, std::int64_t> met;
  std::int64_t at = 0;
  for (const Run& run : runs) {
    for (std::int64_t i = 0; i < run.count; ++i, ++at) met.emplace(Pair{run.type, kinds[at]}, at);
  }
  return met;
}

std::int64_t length(const Runs& runs) {
  std::int64_t sum = 0;
  for (const Run& run : runs) sum += run.count;
  return sum;
}

}  // namespace

bool holds(const std::vector<spec::Atom>& guard, const spec::Shape3& shape) {
  return std::all_of(guard.begin(), guard.end(),
                     [&](const spec::Atom& atom) { return atom.holds(shape); });
}

spec::Shape3 least_sizes(const std::vector<spec::Atom>& guard) {
  spec::Shape3 least{1, 1, 1};
  for (const spec::Atom& atom : guard) {
    if (atom.kind != spec::Atom::Kind::above || atom.use_m + atom.use_n + atom.use_k != 1) continue;
    std::int64_t& size = atom.use_m ? least.m : atom.use_n ? least.n : least.k;
    size = std::max(size, atom.limit + 1);
  }
  return least;
}

std::string print(const spec::Atom& atom) {
  const char* const sign = spec::comparison(atom.kind);
  if (atom.compares_panels()) return fmt::format("m/{} {} n/{}", atom.a, sign, atom.b);
  return fmt::format("{}{}{} {} {}", atom.use_m ? "m" : "", atom.use_n ? "n" : "",
                     atom.use_k ? "k" : "", sign, atom.limit);
}

std::string print(const std::vector<spec::Atom>& guard) {
  std::string text;
  for (const spec::Atom& atom : guard) text += (text.empty() ? "" : ", ") + print(atom);
  return guard.empty() ? "every shape" : text;
}

std::string print(const spec::Shape3& shape) {
  return fmt::format("m = {}, n = {}, k = {}", shape.m, shape.n, shape.k);
}

std::string print(const spec::Axis& axis) {
  std::string text;
  for (const spec::Segment& segment : axis) {
    text += fmt::format(" {}..{}/{}+{}", segment.from, segment.to, segment.base, segment.period);
  }
  return text;
}

Verdict Rule::test(Maps& maps, const spec::Shape3& shape) {
  const auto rows = word_of(axes[row_side], shape.m, beyond);
  const auto columns = word_of(axes[column_side], shape.n, beyond);
  if (!rows || !columns || length(*rows) != shape.m || length(*columns) != shape.n) {
    last_error = "no word";
    return Verdict::unknown;
  }
  const auto map = maps.at(shape);
  const auto met_rows = meetings(*rows, map->row_kind);
  const auto met_columns = meetings(*columns, map->column_kind);
  std::vector<std::uint64_t> found(classes, 0);
  const std::vector<std::uint64_t>* known = nullptr;
  if (shape.k == k_ref) {
    known = &hashes;
  } else if (const auto it = known_.find(shape.k); it != known_.end()) {
    known = &it->second;
  }
  bool hole = false;
  for (const auto& [row, i] : met_rows) {
    for (const auto& [column, j] : met_columns) {
      std::int32_t& entry = table[row.first][column.first];
      const std::uint64_t hash = map->cell(row.second, column.second);
      if (entry < 0) {
        if (shape.k != k_ref) {
          hole = true;
          continue;
        }
        const auto it = std::find(hashes.begin(), hashes.end(), hash);
        entry = static_cast<std::int32_t>(it - hashes.begin());
        if (it == hashes.end()) {
          hashes.push_back(hash);
          witnesses.push_back({shape, i, j});
          found.push_back(hash);
          ++classes;
        }
      }
      std::uint64_t& first = found[entry];
      const std::uint64_t before =
          known != nullptr && entry < static_cast<std::int32_t>(known->size()) ? (*known)[entry]
                                                                               : 0;
      if ((first != 0 && first != hash) || (before != 0 && before != hash)) {
        last_error = fmt::format(
            "class {} at output ({}, {}): {}", entry, i, j,
            first != 0 && first != hash ? "two orders in this shape" : "another order than before");
        return Verdict::wrong;
      }
      first = hash;
    }
  }
  if (hole) {
    const spec::Shape3 there{shape.m, shape.n, k_ref};
    if (!inside(there) || !maps.affordable(there)) {
      last_error = "two types that never met";
      return Verdict::unknown;
    }
    const Verdict at_reference = test(maps, there);
    return at_reference == Verdict::right ? test(maps, shape) : at_reference;
  }
  auto& kept = shape.k == k_ref ? hashes : known_[shape.k];
  kept.resize(classes, 0);
  for (int c = 0; c < classes; ++c) {
    if (found[c] != 0) kept[c] = found[c];
  }
  return Verdict::right;
}

std::uint64_t Rule::hash(std::int64_t k, std::int32_t output_class) const {
  const auto it = known_.find(k);
  if (k != k_ref && it == known_.end()) return 0;
  const std::vector<std::uint64_t>& kept = k == k_ref ? hashes : it->second;
  const auto at = static_cast<std::size_t>(output_class);
  return at < kept.size() ? kept[at] : 0;
}

void Rule::forget() { known_.clear(); }

void Rule::forget_hashes() {
  forget();
  hashes.assign(static_cast<std::size_t>(classes), 0);
}

bool Rule::has_edges(const spec::Shape3& shape) const {
  const auto rows = word_of(axes[row_side], shape.m, beyond);
  const auto columns = word_of(axes[column_side], shape.n, beyond);
  if (!rows || !columns) return false;
  const std::int32_t first = table[rows->front().type][columns->front().type];
  return std::any_of(rows->begin(), rows->end(), [&](const Run& row) {
    return std::any_of(columns->begin(), columns->end(),
                       [&](const Run& column) { return table[row.type][column.type] != first; });
  });
}

int Rule::variety(Side side, std::int64_t size) const {
  const auto runs = word_of(axes[side], size, beyond);
  if (!runs) return 0;
  std::set<std::int32_t> types;
  for (const Run& run : *runs) types.insert(run.type);
  return static_cast<int>(types.size());
}

std::int64_t Rule::vivid(Side side, std::int64_t size, std::int64_t back) const {
  std::int64_t best = size;
  int most = variety(side, size);
  for (std::int64_t s = size - 1; s >= std::max<std::int64_t>(1, size - back); --s) {
    if (const int v = variety(side, s); v > most) {
      most = v;
      best = s;
    }
  }
  return best;
}

std::vector<std::int64_t> Rule::telling(Side side, std::int64_t size, std::int64_t back) const {
  std::vector<std::int64_t> sizes{vivid(side, size, back)};
  std::set<std::int32_t> shown;
  // Whether the size adds a type; those of it count as shown from then on.
  const auto adds = [&](std::int64_t s) {
    const auto runs = word_of(axes[side], s, beyond);
    const std::size_t before = shown.size();
    if (runs)
      for (const Run& run : *runs) shown.insert(run.type);
    return shown.size() > before;
  };
  adds(sizes.front());
  for (std::int64_t s = size; s >= std::max<std::int64_t>(1, size - back); --s)
    if (adds(s)) sizes.push_back(s);
  return sizes;
}

}  // namespace reprosum::reveal::region
