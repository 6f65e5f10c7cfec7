#include "spec/diff_matrix.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "spec/describe_matrix.h"
#include "spec/diff_shapes.h"
#include "spec/error.h"

namespace reprosum::spec {
namespace {

using Entries = MatrixComparer::Entries;

constexpr std::int64_t kRunBudget = 1 << 24;  // runs of all the maps built
constexpr std::int64_t kSmallK[] = {1,  2,  3,  4,  5,  7,  8,  9,  15, 16,
                                    17, 31, 32, 33, 37, 48, 49, 64, 65, 100};

std::string text(std::int64_t value) { return std::to_string(value); }

// Two types that stand side by side: where first, how long there, and how often in all.
struct Meeting {
  std::int64_t first = 0, length = 0, total = 0;
};
using Meetings = std::map<std::pair<std::int32_t, std::int32_t>, Meeting>;

Meetings meetings(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  Meetings out;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t begin = std::max(a[i].first, b[j].first);
    const std::int64_t end_a = a[i].first + a[i].count, end_b = b[j].first + b[j].count;
    const std::int64_t length = std::min(end_a, end_b) - begin;
    out.try_emplace({a[i].type, b[j].type}, Meeting{begin, length, 0}).first->second.total +=
        length;
    i += end_a <= end_b;
    j += end_b <= end_a;
  }
  return out;
}

const MatrixClass& class_of(const RegionMap& map, std::int32_t row, std::int32_t column) {
  const std::int32_t c = map.regime->table[std::size_t(row)][std::size_t(column)];
  return map.regime->classes[std::size_t(c)];
}

// The entry that decides a shape, with its map.
struct Deciding {
  const Entry* entry = nullptr;
  RegionMap map;
};

std::optional<Deciding> deciding(const Entries& entries, const Shape3& shape) {
  for (const Entry* entry : entries) {
    if (shape.m > entry->m_max || shape.n > entry->n_max) continue;
    if (auto map = regions(entry->regimes, shape)) return Deciding{entry, std::move(*map)};
  }
  return std::nullopt;
}

std::set<std::size_t> orders_of(const Entries& entries) {
  std::set<std::size_t> orders;
  for (const Entry* entry : entries)
    for (const MatrixRegime& regime : entry->regimes)
      for (const MatrixClass& c : regime.classes) orders.insert(c.order);
  return orders;
}

// What two rules for beta = 0 can be told by.
std::string beta_zero_text(MatrixClass::BetaZero a, MatrixClass::BetaZero b) {
  using BetaZero = MatrixClass::BetaZero;
  const std::string rules = ": beta = 0 " + describe(a) + " in A, " + describe(b) + " in B";
  if (a == BetaZero::multiply || b == BetaZero::multiply)
    return "only NaN, Inf and the sign of a zero where beta = 0" + rules;
  const auto is_stored = [](BetaZero rule) {
    return rule == BetaZero::store || rule == BetaZero::store_beta;
  };
  return std::string("only the sign of a zero ") +
         (is_stored(a) && is_stored(b) ? "for beta = -0" : "where beta = 0") + rules;
}

class Search {
 public:
  Search(OrderPairs& orders, const Entries& a, const Entries& b) : orders_(orders), a_(a), b_(b) {}

  MatrixComparison run() {
    std::vector<std::int64_t> ks(std::begin(kSmallK), std::end(kSmallK));
    std::set<std::size_t> alone_a = orders_of(a_), alone_b = orders_of(b_);
    for (const std::size_t x : orders_of(a_))
      for (const std::size_t y : orders_of(b_)) {
        const auto& difference = orders_.difference(x, y);
        if (difference) ks.push_back(difference->n);
        if (difference && !difference->only_coverage) continue;
        alone_a.erase(x);
        alone_b.erase(y);
      }
    found_.same_orders = alone_a.empty() && alone_b.empty();
    std::sort(ks.begin(), ks.end());
    ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
    Entries both = a_;
    both.insert(both.end(), b_.begin(), b_.end());
    for (const Shape3& shape : shapes_that_matter(both, ks)) {
      if (runs_ > kRunBudget) break;
      compare_at(shape);
    }
    return std::move(found_);
  }

 private:
  enum class Kind : std::uint8_t { none, tree, beta_zero, alpha_zero, nan_beta };
  using Way = std::tuple<Kind, std::size_t, std::size_t>;

  void compare_at(const Shape3& shape) {
    const auto in_a = deciding(a_, shape), in_b = deciding(b_, shape);
    if (!in_a || !in_b) {
      if (in_a || in_b) note_coverage(shape, in_a.has_value(), "");
      return;
    }
    const Guard &guard_a = in_a->entry->guard, &guard_b = in_b->entry->guard;
    if (guard_a.finite_only != guard_b.finite_only)
      note_coverage(shape, guard_b.finite_only, " with Inf or NaN in the data");
    if (guard_a.nonzero_only != guard_b.nonzero_only)
      note_coverage(shape, guard_b.nonzero_only, " with zero factors");
    if (guard_a.alpha_one != guard_b.alpha_one)
      note_coverage(shape, guard_b.alpha_one, " with alpha other than 1");
    nan_beta_differs_ = guard_a.nan_beta_is_zero != guard_b.nan_beta_is_zero;
    plain_ = guard_a.alpha_one || guard_b.alpha_one;
    for (const RegionMap* map : {&in_a->map, &in_b->map})
      runs_ += std::ssize(map->rows) + std::ssize(map->columns);

    std::map<Way, MatrixDifference> here;
    std::int64_t outputs = 0;
    for (const auto& [rows, down] : meetings(in_a->map.rows, in_b->map.rows))
      for (const auto& [columns, across] : meetings(in_a->map.columns, in_b->map.columns)) {
        const MatrixClass& x = class_of(in_a->map, rows.first, columns.first);
        const MatrixClass& y = class_of(in_b->map, rows.second, columns.second);
        const Kind kind = difference(x, y, shape.k);
        if (kind == Kind::none) continue;
        outputs += down.total * across.total;
        MatrixDifference& first = here[{kind, x.order, y.order}];
        if (first.rows > 0 && std::pair{first.i, first.j} < std::pair{down.first, across.first})
          continue;
        if (kind == Kind::beta_zero)
          first.what = beta_zero_text(x.beta_zero_at(shape.k), y.beta_zero_at(shape.k));
        first.i = down.first;
        first.j = across.first;
        first.rows = down.length;
        first.columns = across.length;
      }
    ++found_.shapes;
    if (here.empty()) return;
    ++found_.differing;
    if (found_.ways.empty()) found_.outputs = outputs;
    note_ways(shape, here);
  }

  // Those of one shape in the order of their first outputs.
  void note_ways(const Shape3& shape, const std::map<Way, MatrixDifference>& here) {
    std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, Way>> fresh;
    for (const auto& [way, difference] : here) {
      const auto known = places_.find(way);
      if (known != places_.end())
        ++found_.ways[known->second].shapes;
      else
        fresh.push_back({{difference.i, difference.j}, way});
    }
    std::sort(fresh.begin(), fresh.end());
    for (const auto& [output, way] : fresh) {
      places_[way] = found_.ways.size();
      MatrixDifference difference = here.at(way);
      difference.shape = shape;
      difference.shapes = 1;
      tell(way, difference);
      found_.ways.push_back(std::move(difference));
    }
  }

  void tell(const Way& way, MatrixDifference& difference) {
    const auto& [kind, x, y] = way;
    const std::int64_t k = difference.shape.k;
    difference.order_a = x;
    difference.order_b = y;
    if (kind == Kind::alpha_zero)
      difference.what = "A and B enter in different ways where alpha = 0";
    if (kind == Kind::nan_beta) difference.what = "beta = NaN is beta = 0 in one of them alone";
    if (kind != Kind::tree) return;
    difference.what = orders_.parting(x, y, k);
    std::tie(difference.node_a, difference.node_b) = orders_.nodes(x, y, k, plain_);
  }

  Kind difference(const MatrixClass& x, const MatrixClass& y, std::int64_t k) {
    if (orders_.differ(x.order, y.order, k, plain_)) return Kind::tree;
    if (x.beta_zero_at(k) != y.beta_zero_at(k)) return Kind::beta_zero;
    if (x.alpha_zero != y.alpha_zero && !plain_) return Kind::alpha_zero;
    if (nan_beta_differs_) return Kind::nan_beta;
    return Kind::none;
  }

  void note_coverage(const Shape3& shape, bool in_a, const char* condition) {
    if (found_.coverage) return;
    found_.coverage = {shape, in_a,
                       std::string("only the ") + (in_a ? "first" : "second") +
                           " covers m = " + text(shape.m) + ", n = " + text(shape.n) +
                           ", k = " + text(shape.k) + condition};
  }

  OrderPairs& orders_;
  const Entries &a_, &b_;
  MatrixComparison found_;
  std::map<Way, std::size_t> places_;  // in found_.ways
  bool nan_beta_differs_ = false;
  bool plain_ = false;  // alpha is 1 wherever both sides cover the shape
  std::int64_t runs_ = 0;
};

}  // namespace

MatrixComparison MatrixComparer::compare(const Entries& a, const Entries& b) {
  const auto key = [](const Entry& entry) {
    return std::tuple{entry.routine, entry.type, entry.guard.trans_a, entry.guard.trans_b};
  };
  if (a.empty() || b.empty()) throw InternalError("MatrixComparer: a side without entries");
  for (const Entries* side : {&a, &b})
    for (const Entry* entry : *side)
      if (key(*entry) != key(*a.front()))
        throw UserError("MatrixComparer: the entries speak of different routines");
  orders_.renew_budget();
  return Search(orders_, a, b).run();
}

}  // namespace reprosum::spec
