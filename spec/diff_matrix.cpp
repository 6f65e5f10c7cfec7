#include "spec/diff_matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "spec/diff_shapes.h"
#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kTreeBudget = 20'000'000;  // summands of all the trees built
constexpr std::int64_t kRunBudget = 1 << 24;      // runs of all the maps built
constexpr std::int64_t kSmallK[] = {1,  2,  3,  4,  5,  7,  8,  9,  15, 16,
                                    17, 31, 32, 33, 37, 48, 49, 64, 65, 100};

std::string text(std::int64_t value) { return std::to_string(value); }

// Each pair of types that stand side by side, with the first index where they do.
using TypePairs = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

TypePairs pairs_of(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  TypePairs pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    pairs.try_emplace({a[i].type, b[j].type}, std::max(a[i].first, b[j].first));
    const std::int64_t end_a = a[i].first + a[i].count, end_b = b[j].first + b[j].count;
    i += end_a <= end_b;
    j += end_b <= end_a;
  }
  return pairs;
}

// The block length of the rule that holds n, or 0 if it does not cut into blocks.
std::int64_t block_at(const Order& order, std::int64_t n) {
  const Regime* regime = regime_of(order, n);
  const auto* parts = regime == nullptr ? nullptr : std::get_if<Parts>(&regime->rule);
  return parts == nullptr || parts->count != 0 ? 0 : parts->m;
}

class Search {
 public:
  Search(const MatrixSide& a, const MatrixSide& b) : a_(a), b_(b) {}

  std::optional<MatrixDifference> run() {
    std::vector<std::int64_t> ks(std::begin(kSmallK), std::end(kSmallK));
    for (const std::size_t x : orders_of(a_.entry))
      for (const std::size_t y : orders_of(b_.entry)) {
        auto [it, added] = orders_.try_emplace({x, y}, diff(a_.spec.orders[x], b_.spec.orders[y]));
        if (it->second) ks.push_back(it->second->n);
      }
    std::sort(ks.begin(), ks.end());
    ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
    for (const Shape3& shape : shapes_that_matter(a_.entry, b_.entry, ks)) {
      if (runs_ > kRunBudget) break;
      if (auto found = differs_at(shape)) return found;
    }
    return coverage_;
  }

 private:
  static std::set<std::size_t> orders_of(const MatrixEntry& entry) {
    std::set<std::size_t> orders;
    for (const MatrixRegime& regime : entry.regimes)
      for (const MatrixClass& c : regime.classes) orders.insert(c.order);
    return orders;
  }

  static std::optional<RegionMap> map_of(const MatrixEntry& entry, const Shape3& shape) {
    if (shape.m > entry.m_max || shape.n > entry.n_max) return std::nullopt;
    return regions(entry.regimes, shape);
  }

  std::optional<MatrixDifference> differs_at(const Shape3& shape) {
    const auto map_a = map_of(a_.entry, shape), map_b = map_of(b_.entry, shape);
    if (!map_a || !map_b) {
      if (map_a || map_b) note_coverage(shape, map_a.has_value());
      return std::nullopt;
    }
    for (const auto& map : {*map_a, *map_b})
      runs_ += std::ssize(map.rows) + std::ssize(map.columns);
    std::optional<MatrixDifference> first;
    for (const auto& [rows, i] : pairs_of(map_a->rows, map_b->rows))
      for (const auto& [columns, j] : pairs_of(map_a->columns, map_b->columns)) {
        if (first && std::pair{first->i, first->j} < std::pair{i, j}) continue;
        const MatrixClass& x = class_of(*map_a, rows.first, columns.first);
        const MatrixClass& y = class_of(*map_b, rows.second, columns.second);
        std::string what = difference(x, y, shape.k);
        if (what.empty()) continue;
        first = {shape,
                 i,
                 j,
                 describe(a_.spec.orders[x.order]),
                 describe(b_.spec.orders[y.order]),
                 std::move(what),
                 false};
      }
    return first;
  }

  static const MatrixClass& class_of(const RegionMap& map, std::int32_t row, std::int32_t column) {
    const std::int32_t c = map.regime->table[std::size_t(row)][std::size_t(column)];
    return map.regime->classes[std::size_t(c)];
  }

  // "" if the classes give the same bits at k.
  std::string difference(const MatrixClass& x, const MatrixClass& y, std::int64_t k) {
    const auto& orders = orders_.at({x.order, y.order});
    if (orders && k >= orders->n && trees_differ(x.order, y.order, k)) {
      const std::int64_t block_a = block_at(a_.spec.orders[x.order], k);
      const std::int64_t block_b = block_at(b_.spec.orders[y.order], k);
      const std::string from = " from k = " + text(orders->n);
      if (block_a > 0 && block_b > 0 && block_a != block_b)
        return "K blocks of " + text(block_a) + " against " + text(block_b) + from;
      return orders->node_a + " against " + orders->node_b + from;
    }
    if (x.beta_zero != y.beta_zero) return "C enters in different ways where beta = 0";
    if (x.alpha_zero != y.alpha_zero) return "A and B enter in different ways where alpha = 0";
    return "";
  }

  bool trees_differ(std::size_t x, std::size_t y, std::int64_t k) {
    const auto [it, added] = differ_.try_emplace(std::tuple{x, y, k}, false);
    if (!added || spent_ + k > kTreeBudget || k > kMaxExplicitLeaves) return it->second;
    spent_ += k;
    try {
      it->second = expand(a_.spec.orders[x], k) != expand(b_.spec.orders[y], k);
    } catch (const UserError&) {
      // one order is not defined there: no claim about bits
    }
    return it->second;
  }

  void note_coverage(const Shape3& shape, bool in_a) {
    if (coverage_) return;
    coverage_.emplace();
    coverage_->shape = shape;
    coverage_->only_coverage = true;
    coverage_->what = std::string("only the ") + (in_a ? "first" : "second") +
                      " covers m = " + text(shape.m) + ", n = " + text(shape.n) +
                      ", k = " + text(shape.k);
  }

  const MatrixSide &a_, &b_;
  std::map<std::pair<std::size_t, std::size_t>, std::optional<OrderDifference>> orders_;
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t>, bool> differ_;
  std::optional<MatrixDifference> coverage_;
  std::int64_t spent_ = 0, runs_ = 0;
};

}  // namespace

std::optional<MatrixDifference> diff_matrices(const MatrixSide& a, const MatrixSide& b) {
  const auto key = [](const MatrixEntry& entry) {
    return std::tuple{entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b};
  };
  if (key(a.entry) != key(b.entry))
    throw UserError("diff_matrices: the entries speak of different routines");
  return Search(a, b).run();
}

}  // namespace reprosum::spec
