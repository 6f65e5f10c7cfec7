#include "reveal/capture/matrix_cells.h"

#include <algorithm>
#include <set>

namespace reprosum::reveal {
namespace {

// More independent probes in one call than this gain nothing.
constexpr std::size_t kMostCells = 64;
constexpr double kCallCost = 3000;  // of an empty call, in multiplications
// A library may have a routine of its own for one row or one column, which finite data do not tell
// from what it does with the last ones of many; whole products are compared by rules of these.
constexpr double kSeldomTypical = 2;
constexpr std::int64_t kEdges = 64, kFewEdges = 4;  // sizes from the largest down
constexpr std::int64_t kBoundedEdges = 24;          // of a product above a bound
constexpr std::int64_t kEverySize = 64;  // where no side is longer: a guard may leave any of them

// Cells of the class in distinct rows and, where n allows, distinct columns: rows are taken in turn
// and each takes the next free column that gives the class.
std::vector<std::pair<std::int64_t, std::int64_t>> diagonal(const spec::RegionMap& map,
                                                            std::int32_t output_class,
                                                            bool is_thin) {
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  std::vector<std::int64_t> next(map.columns.size(), 0);  // used columns of each stretch
  // Outputs of one row differ in their columns alone, those of one column in their rows.
  if (is_thin && map.rows.size() == 1 && map.rows[0].count == 1) {
    for (const spec::Stretch& columns : map.columns)
      for (std::int64_t j = columns.first; j < columns.first + columns.count; ++j)
        if (map.class_at(0, columns.first) == output_class && cells.size() < kMostCells)
          cells.emplace_back(0, j);
    return cells;
  }
  for (const spec::Stretch& rows : map.rows) {
    // The rows of a stretch have one type, and so the same columns.
    const auto& classes = map.regime->table[static_cast<std::size_t>(rows.type)];
    std::vector<std::size_t> with_class;
    for (std::size_t s = 0; s < map.columns.size(); ++s)
      if (classes[static_cast<std::size_t>(map.columns[s].type)] == output_class)
        with_class.push_back(s);
    for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
      const auto s = std::find_if(with_class.begin(), with_class.end(), [&](std::size_t stretch) {
        return next[stretch] < map.columns[stretch].count;
      });
      if (s == with_class.end()) break;
      cells.emplace_back(i, map.columns[*s].first + next[*s]);
      if (!is_thin) ++next[*s];
      if (cells.size() == kMostCells) return cells;
    }
  }
  return cells;
}

// The largest size that the regime admits, as far as its axis and limits on this size alone say.
std::int64_t largest_size(const spec::MatrixRegime& rule, bool rows, std::int64_t largest) {
  const spec::Axis& axis = rows ? rule.rows : rule.columns;
  std::int64_t most = std::min(largest, axis.empty() ? largest : axis.back().to);
  for (const spec::Atom& atom : rule.guard)
    if (atom.kind == spec::Atom::Kind::at_most && atom.use_m == rows && atom.use_n != rows &&
        !atom.use_k)
      most = std::min(most, atom.limit);
  return most;
}

bool is_bounded_below(const spec::MatrixRegime& rule) {
  return std::any_of(rule.guard.begin(), rule.guard.end(), [](const spec::Atom& atom) {
    return atom.kind == spec::Atom::Kind::above && atom.use_k && (atom.use_m || atom.use_n);
  });
}

bool holds(const std::vector<spec::Atom>& guard, const spec::Shape3& shape) {
  return std::all_of(guard.begin(), guard.end(),
                     [&](const spec::Atom& atom) { return atom.holds(shape); });
}

// The least that a bound of a product leaves. A library may have two bounds there, one that
// includes it and one that does not, and few shapes on it: those do not stand for a class.
bool is_on_edge(const spec::MatrixRegime& rule, const spec::Shape3& shape) {
  return std::any_of(rule.guard.begin(), rule.guard.end(), [&](spec::Atom atom) {
    if (atom.kind != spec::Atom::Kind::above ||
        int{atom.use_m} + int{atom.use_n} + int{atom.use_k} < 2)
      return false;
    ++atom.limit;
    return !atom.holds(shape);
  });
}

}  // namespace

ClassCells::ClassCells(const Call& context, const LearnedRegime& regime, std::int32_t output_class,
                       const spec::Shape3& largest, std::span<const LearnedRegime> before)
    : context_(context), regime_(regime), class_(output_class) {
  for (const LearnedRegime& first : before) before_.push_back(first.rule.guard);
  const bool is_gemv = context.routine == spec::Routine::gemv;
  std::set<std::int64_t> sizes{24,  32,  33,  48,  64,  65,   96,   97,   128,  193,
                               256, 321, 385, 512, 641, 1000, 1024, 1500, 2048, 4097};
  for (std::int64_t v = 1; v <= 20; ++v) sizes.insert(v);
  // Above a bound, few summands are met in long outputs only: all their edges are needed. Of one
  // column (a gemv) every size is cheap.
  const bool is_thin = is_gemv || largest.m == 1 || largest.n == 1;
  const std::int64_t edges = is_thin                         ? kEdges
                             : is_bounded_below(regime.rule) ? kBoundedEdges
                                                             : kFewEdges;
  const std::int64_t most_m = largest_size(regime.rule, true, largest.m),
                     most_n = largest_size(regime.rule, false, largest.n);
  for (const std::int64_t most : {most_m, most_n})
    for (std::int64_t v = 0; v < edges && v < most; ++v) sizes.insert(most - v);
  if (std::max(most_m, most_n) <= kEverySize)
    for (std::int64_t v = 1; v <= kEverySize; ++v) sizes.insert(v);
  const LearnedRegime::Witness& witness =
      regime.witnesses.at(static_cast<std::size_t>(output_class));
  sizes.insert(witness.shape.m);
  sizes.insert(witness.shape.n);
  for (const std::int64_t m : sizes) {
    if (m > largest.m) continue;
    for (const std::int64_t n : sizes) {
      if (n > largest.n || (is_gemv && n > 1)) continue;
      const auto rows = spec::stretches(regime.rule.rows, m);
      const auto columns = spec::stretches(regime.rule.columns, n);
      if (!rows || !columns) continue;
      const spec::RegionMap map{&regime_.rule, *rows, *columns};
      auto cells = diagonal(map, output_class, is_thin);
      if (!cells.empty()) candidates_.push_back({m, n, std::move(cells)});
    }
  }
  const auto cost = [&](const Candidate& c) {
    // At a k in the middle of what is asked for; the ranking changes little with k.
    const double call = kCallCost + static_cast<double>(c.m) * static_cast<double>(c.n) * 64;
    const double one = call / static_cast<double>(c.cells.size());
    return !is_thin && (c.m == 1 || c.n == 1) ? kSeldomTypical * one : one;
  };
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [&](const Candidate& a, const Candidate& b) { return cost(a) < cost(b); });
  const auto seek_k_min = [&] {
    for (k_min_ = 1; k_min_ < largest.k && find(k_min_) == nullptr;) ++k_min_;
  };
  seek_k_min();
  if (find(k_min_) == nullptr) {
    uses_edges_ = true;
    seek_k_min();
  }
  const std::int64_t first = k_min_;
  const spec::Shape3 top{most_m, is_gemv ? 1 : most_n, k_min_ - 1};
  // Nothing is missed where not even the largest output of fewer summands lies above the bounds.
  const auto leaves_out_all = [&](const spec::Atom& atom) {
    return atom.kind == spec::Atom::Kind::above && atom.use_k && !atom.holds(top);
  };
  if (std::any_of(regime.rule.guard.begin(), regime.rule.guard.end(), leaves_out_all)) k_min_ = 1;
  std::int64_t without = largest.k + 1;
  for (k_max_ = largest.k; k_max_ > 1 && find(k_max_) == nullptr; k_max_ -= k_max_ / 16 + 1)
    without = k_max_;
  k_max_ = std::max<std::int64_t>(k_max_, 1);
  // A guard that leaves few k may lie between two steps.
  if (find(k_max_) == nullptr && find(first) != nullptr) {
    k_max_ = first;
    while (find(k_max_ + 1) != nullptr) ++k_max_;
    return;
  }
  while (without - k_max_ > 1) {
    const std::int64_t middle = k_max_ + (without - k_max_) / 2;
    (find(middle) == nullptr ? without : k_max_) = middle;
  }
}

const ClassCells::Candidate* ClassCells::find(std::int64_t k) const {
  for (const Candidate& candidate : candidates_) {
    const spec::Shape3 shape{candidate.m, candidate.n, k};
    if (!holds(regime_.rule.guard, shape) || (!uses_edges_ && is_on_edge(regime_.rule, shape)))
      continue;
    if (std::none_of(before_.begin(), before_.end(),
                     [&](const auto& guard) { return holds(guard, shape); }))
      return &candidate;
  }
  return nullptr;
}

std::optional<Cells> ClassCells::at(std::int64_t k) const {
  const Candidate* candidate = find(k);
  if (candidate == nullptr) return std::nullopt;
  Cells out;
  out.call = context_;
  out.call.m = candidate->m;
  out.call.n = candidate->n;
  out.call.k = k;
  out.cells = candidate->cells;
  return out;
}

}  // namespace reprosum::reveal
