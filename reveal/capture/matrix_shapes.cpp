// plan_shapes(): where region rules and their orders can be wrong.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <variant>

#include "reveal/capture/matrix_edge.h"
#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kDense = 64;  // every size up to here
constexpr int kEdges = 3;            // shapes of gemm on one product
constexpr int kEdgeTurns = 6;        // one for each kind of data

class Plan {
 public:
  Plan(bool is_gemv, const spec::Shape3& largest, std::uint64_t salt)
      : is_gemv_(is_gemv), largest_(largest), random_(salt) {}

  std::int64_t small() { return 1 + random_.below(kDense); }
  std::int64_t up_to(std::int64_t limit) {  // log-uniform
    return static_cast<std::int64_t>(
        std::exp(random_.unit() * std::log(static_cast<double>(limit) + 0.999)));
  }
  void add(std::int64_t m, std::int64_t n, std::int64_t k) {
    if (is_gemv_) n = 1;
    const bool inside =
        m >= 1 && n >= 1 && k >= 1 && m <= largest_.m && n <= largest_.n && k <= largest_.k;
    if (inside) shapes_.push_back({m, n, k});
  }

  // A gemv is cheap, and its last rows may have orders that few shapes show.
  void add_dense() {
    const bool is_thin = is_gemv_ || largest_.m == 1 || largest_.n == 1;
    for (int turn = 0; turn < (is_thin ? 8 : 1); ++turn) add_every_size();
  }
  void add_every_size() {
    for (std::int64_t v = 1; v <= kDense; ++v) {
      add(v, small(), small());
      add(small(), v, small());
      add(small(), small(), v);
      add(v, 1 + random_.below(8), 1 + random_.below(8));
      // One row or one column may be another routine's, and see other leading dimensions.
      if (is_gemv_) continue;
      add(v, 1, small());
      add(1, v, small());
      add(1, 1, v);
    }
  }

  // Shapes whose product lies just inside and just outside of the limit.
  void add_border(const spec::Atom& atom) {
    for (int turn = 0; turn < 6; ++turn) {
      std::int64_t m = up_to(largest_.m), n = is_gemv_ ? 1 : up_to(largest_.n),
                   k = up_to(std::min<std::int64_t>(largest_.k, 512));
      const bool is_product =
          atom.kind == spec::Atom::Kind::at_most || atom.kind == spec::Atom::Kind::above;
      for (std::int64_t d = -1; d <= 1; ++d) {
        if (!is_product) {
          add((n / atom.b + d) * atom.a + random_.below(atom.a), n, k);
          continue;
        }
        // The last size in use is solved for.
        const std::int64_t others = atom.use_k
                                        ? (atom.use_m ? m : 1) * (atom.use_n ? n : 1)
                                        : (atom.use_n && !is_gemv_ ? (atom.use_m ? m : 1) : 1);
        const std::int64_t solved = atom.limit / std::max<std::int64_t>(others, 1) + d;
        if (atom.use_k)
          add(m, n, solved);
        else if (atom.use_n && !is_gemv_)
          add(m, solved, k);
        else
          add(solved, n, k);
      }
    }
  }

  void add_axis(const spec::Axis& axis, bool rows) {
    for (const spec::Segment& segment : axis)
      for (const std::int64_t border : {segment.from, segment.base, segment.to + 1})
        for (std::int64_t d = -1; d <= 1; ++d)
          add(rows ? border + d : small(), rows ? small() : border + d, small());
  }

  // k on both sides of the regimes and splits of the order.
  void add_order(const spec::Order& order) {
    for (const spec::Regime& regime : order.regimes) {
      std::vector<std::int64_t> marks{regime.lo, regime.hi};
      if (const auto* split = std::get_if<spec::Split>(&regime.rule)) marks.push_back(split->m);
      if (const auto* parts = std::get_if<spec::Parts>(&regime.rule)) {
        marks.push_back(parts->m);
        marks.push_back(2 * parts->m);
      }
      for (const std::int64_t mark : marks)
        for (std::int64_t d = -1; d <= 1; ++d) add(small(), 1 + random_.below(24), mark + d);
    }
    for (const spec::Order& sub : order.subs) add_order(sub);
  }

  void add_wide(int count) {
    for (int turn = 0; turn < count; ++turn)
      add(up_to(largest_.m), up_to(largest_.n), up_to(largest_.k));
  }

  // The cheapest shapes first, as many as the work allows, but a few dear ones in any case.
  std::vector<spec::Shape3> within(double work) {
    const auto cost = [](const spec::Shape3& s) {
      return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    };
    std::sort(shapes_.begin(), shapes_.end(), [&](const auto& a, const auto& b) {
      return cost(a) != cost(b) ? cost(a) < cost(b) : a < b;
    });
    shapes_.erase(std::unique(shapes_.begin(), shapes_.end()), shapes_.end());
    std::vector<spec::Shape3> kept;
    double left = work;
    for (const spec::Shape3& shape : shapes_) {
      if (cost(shape) > left / 6) continue;
      left -= cost(shape);
      kept.push_back(shape);
    }
    // In a random sequence: the kinds of data go by position.
    for (std::size_t at = kept.size(); at > 1; --at)
      std::swap(kept[at - 1],
                kept[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(at)))]);
    return kept;
  }

 private:
  bool is_gemv_;
  spec::Shape3 largest_;
  FastRandom random_;
  std::vector<spec::Shape3> shapes_;
};

// On the limits of products, and on the next numbers: a library may have a second limit there,
// which includes what the first one does not.
std::vector<spec::Shape3> shapes_on_edges(const std::vector<spec::MatrixRegime>& regimes,
                                          bool is_gemv, const spec::Shape3& largest, double work,
                                          std::uint64_t salt) {
  std::set<spec::Atom> limits;
  for (const spec::MatrixRegime& regime : regimes)
    for (spec::Atom atom : regime.guard) {
      if (!atom.is_bound() || int{atom.use_m} + int{atom.use_n} + int{atom.use_k} < 2) continue;
      atom.kind = spec::Atom::Kind::at_most;
      limits.insert(atom);
    }
  FastRandom random(salt);
  std::vector<spec::Shape3> shapes;
  const double each = work / static_cast<double>(2 * std::max<std::size_t>(1, limits.size()));
  for (const spec::Atom& atom : limits)
    for (const std::int64_t product : {atom.limit, atom.limit + 1}) {
      auto on = shapes_on(atom, product, largest, is_gemv);
      for (std::size_t at = on.size(); at > 1; --at)
        std::swap(on[at - 1],
                  on[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(at)))]);
      if (!is_gemv && on.size() > kEdges) on.resize(kEdges);
      double left = each;
      for (const spec::Shape3& shape : on) {
        left -= kEdgeTurns * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                static_cast<double>(shape.k);
        if (left >= 0) shapes.insert(shapes.end(), kEdgeTurns, shape);
      }
    }
  return shapes;
}

}  // namespace

std::vector<spec::Shape3> plan_shapes(const std::vector<spec::MatrixRegime>& regimes,
                                      const std::vector<spec::Order>& orders, bool is_gemv,
                                      const spec::Shape3& largest, double work,
                                      std::uint64_t salt) {
  Plan plan(is_gemv, largest, salt);
  plan.add_dense();
  std::set<std::size_t> used;
  for (const spec::MatrixRegime& regime : regimes) {
    for (const spec::Atom& atom : regime.guard) plan.add_border(atom);
    plan.add_axis(regime.rows, true);
    if (!is_gemv) plan.add_axis(regime.columns, false);
    for (const spec::MatrixClass& output : regime.classes) used.insert(output.order);
  }
  for (const std::size_t order : used) plan.add_order(orders.at(order));
  plan.add_wide(120);
  std::vector<spec::Shape3> shapes = plan.within(work);
  const auto edges = shapes_on_edges(regimes, is_gemv, largest, work / 4, salt + 1);
  shapes.insert(shapes.end(), edges.begin(), edges.end());
  return shapes;
}

std::optional<std::size_t> deciding_regime(const std::vector<spec::MatrixRegime>& regimes,
                                           const spec::Shape3& shape) {
  for (std::size_t k = 0; k < regimes.size(); ++k)
    if (std::all_of(regimes[k].guard.begin(), regimes[k].guard.end(),
                    [&](const spec::Atom& atom) { return atom.holds(shape); }))
      return k;
  return std::nullopt;
}

std::vector<spec::Shape3> shapes_inside(const std::vector<spec::MatrixRegime>& regimes,
                                        bool is_gemv, const spec::Shape3& largest, double work,
                                        std::uint64_t salt) {
  constexpr int kShapes = 12, kTries = 20'000;  // a guard with 1/1000 of all shapes is met
  constexpr std::size_t kDearShapes = 5;
  constexpr double kDear = 6;  // of the work, for a regime whose shapes all cost more than half
  Plan plan(is_gemv, largest, salt);
  std::vector<spec::Shape3> inside;
  std::vector<int> wanted(regimes.size(), kShapes);
  std::vector<double> left(regimes.size(), work);
  std::vector<std::set<std::pair<double, spec::Shape3>>> cheapest(regimes.size());
  for (int turn = 0; turn < kTries; ++turn) {
    const spec::Shape3 shape{plan.up_to(largest.m), is_gemv ? 1 : plan.up_to(largest.n),
                             plan.up_to(largest.k)};
    const auto decides = deciding_regime(regimes, shape);
    if (!decides) continue;
    const std::size_t regime = *decides;
    const double cost =
        static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
    cheapest[regime].emplace(cost, shape);
    if (cheapest[regime].size() > kDearShapes) cheapest[regime].erase(--cheapest[regime].end());
    if (wanted[regime] == 0 || cost > left[regime] / 2) continue;
    --wanted[regime];
    left[regime] -= cost;
    inside.push_back(shape);
  }
  // Where all sizes are large, every shape is dear.
  for (std::size_t regime = 0; regime < regimes.size(); ++regime) {
    if (wanted[regime] < kShapes) continue;
    double dear = kDear * work;
    for (const auto& [cost, shape] : cheapest[regime]) {
      dear -= cost;
      if (dear >= 0) inside.push_back(shape);
    }
  }
  // Above a bound, few summands are met in large outputs only, which no other plan holds.
  constexpr std::int64_t kSmall = 16;
  constexpr int kSmallTries = 600;
  for (std::int64_t k = 1; k <= std::min(kSmall, largest.k); ++k) {
    std::vector<bool> met(regimes.size(), false);
    for (int turn = 0; turn < kSmallTries; ++turn) {
      const spec::Shape3 shape{plan.up_to(largest.m), is_gemv ? 1 : plan.up_to(largest.n), k};
      const auto decides = deciding_regime(regimes, shape);
      const double cost = static_cast<double>(shape.m * shape.n) * static_cast<double>(k);
      if (!decides || met[*decides] || cost > work / 4) continue;
      met[*decides] = true;
      inside.push_back(shape);
    }
  }
  return inside;
}

std::vector<spec::Shape3> plan_small(bool is_gemv, const spec::Shape3& largest, std::int64_t count,
                                     std::uint64_t salt) {
  FastRandom random(salt);
  const auto size = [&](std::int64_t most, std::int64_t limit) {
    return 1 + random.below(std::min(most, limit));
  };
  std::vector<spec::Shape3> shapes;
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int64_t k = size(at % 8 < 5                 ? 8
                                : at % 8 < 7               ? 20
                                : at % 16 < 15 || !is_gemv ? 66
                                                           : 520,
                                largest.k);
    const std::int64_t m = size(is_gemv       ? (random.below(2) == 0 ? 68 : 9)
                                : at % 4 == 0 ? 40
                                              : 17,
                                largest.m);
    shapes.push_back({m, is_gemv ? 1 : size(at % 4 == 1 ? 40 : 13, largest.n), k});
    // Sizes of 1 at once have most exceptions, and few random shapes have them.
    if (is_gemv) continue;
    if (const std::int64_t thin = random.below(8); thin < 2)
      (thin == 0 ? shapes.back().m : shapes.back().n) = 1;
  }
  return shapes;
}

std::vector<spec::Shape3> plan_box(std::int64_t size, const spec::Shape3& largest,
                                   std::uint64_t salt) {
  std::vector<spec::Shape3> shapes;
  for (std::int64_t m = 1; m <= std::min(size, largest.m); ++m)
    for (std::int64_t n = 1; n <= std::min(size, largest.n); ++n)
      for (std::int64_t k = 1; k <= std::min(size, largest.k); ++k) shapes.push_back({m, n, k});
  std::shuffle(shapes.begin(), shapes.end(), std::mt19937_64(salt));
  return shapes;
}

std::vector<spec::Shape3> plan_long(const spec::Shape3& largest, std::int64_t count,
                                    std::uint64_t salt) {
  constexpr std::int64_t kShort = 16;
  FastRandom random(salt);
  std::vector<spec::Shape3> shapes;
  const auto add = [&](bool is_m_long, std::int64_t these) {
    const std::int64_t more = (is_m_long ? largest.m : largest.k) - kDense;
    const std::int64_t most_other = std::min(kShort, is_m_long ? largest.k : largest.m);
    if (more <= 0) return;
    for (std::int64_t at = 0; at < these; ++at) {
      const std::int64_t length = kDense + 1 + (at * more + random.below(more)) / these;
      const std::int64_t other = 1 + random.below(most_other);
      shapes.push_back(is_m_long ? spec::Shape3{length, 1, other} : spec::Shape3{other, 1, length});
    }
  };
  add(true, count - count / 4);
  add(false, count / 4);
  return shapes;
}

}  // namespace reprosum::reveal
