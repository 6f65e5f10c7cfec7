#include "spec/diff_shapes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <tuple>

#include "spec/region_word.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kDenseTo = 40;
constexpr int kShapesPerAtom = 40, kShapesPerBorder = 4, kSpread = 400;
constexpr std::size_t kMaxShapes = 1 << 18;

class Collector {
 public:
  explicit Collector(const Shape3& most) : most_(most) {}

  void dense(std::int64_t k) {
    if (k < 1 || k > most_.k) return;
    for (std::int64_t m = 1; m <= std::min(kDenseTo, most_.m); ++m)
      for (std::int64_t n = 1; n <= std::min(kDenseTo, most_.n); ++n) add({m, n, k});
  }

  void around(const Atom& atom) {
    for (int t = 0; t < kShapesPerAtom; ++t) across(atom, any());
  }

  // The least squares and a few strips on both sides of the atom at this k.
  void around(const Atom& atom, std::int64_t k) {
    if (!atom.is_bound()) return;
    const std::int64_t outputs = atom.limit / (atom.use_k ? k : 1);
    if (!atom.use_m || !atom.use_n) {
      for (const std::int64_t size : {outputs, outputs + 1})
        if (atom.use_m || atom.use_n) add({atom.use_m ? size : 1, atom.use_n ? size : 1, k});
      return;
    }
    const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(outputs)));
    for (const std::int64_t m : {side, side + 1})
      for (const std::int64_t n : {side, side + 1}) add({m, n, k});
    for (const std::int64_t m : {std::int64_t{1}, std::int64_t{2}, most_.m})
      for (const std::int64_t n : {outputs / m, outputs / m + 1}) add({m, n, k});
  }

  void around(const Axis& axis, bool is_rows) {
    for (const Segment& segment : axis)
      for (const std::int64_t border :
           {segment.from, segment.base, segment.base + segment.period, segment.to + 1})
        for (std::int64_t d = -1; d <= 1; ++d)
          for (int t = 0; t < kShapesPerBorder; ++t) {
            Shape3 shape = any();
            (is_rows ? shape.m : shape.n) = border + d;
            add(shape);
          }
  }

  // Both sides of where the entry ends.
  void beyond(const Entry& entry) {
    std::set<std::int64_t> ks;
    for (const MatrixRegime& regime : entry.regimes) ks.insert(regime.k_max);
    for (std::int64_t d = 0; d <= 1; ++d) {
      for (const Shape3& shape : {Shape3{entry.m_max + d, 1, 1}, Shape3{1, entry.n_max + d, 1}})
        add(shape);
      for (const std::int64_t k : ks) add({1, 1, k + d});
    }
  }

  void spread() {
    for (int t = 0; t < kSpread; ++t) add(any());
  }

  std::vector<Shape3> take() {
    const auto key = [](const Shape3& s) {
      const std::int64_t products = saturating_product(saturating_product(s.m, s.n), s.k);
      return std::tuple{std::bit_width(static_cast<std::uint64_t>(products)), s.k,
                        std::max(s.m, s.n), s};
    };
    std::sort(shapes_.begin(), shapes_.end(),
              [&](const Shape3& a, const Shape3& b) { return key(a) < key(b); });
    shapes_.erase(std::unique(shapes_.begin(), shapes_.end()), shapes_.end());
    return std::move(shapes_);
  }

 private:
  // The shape, with one size that the atom uses set so that it is crossed there.
  void across(const Atom& atom, Shape3 shape) {
    if (atom.compares_panels()) {
      const std::int64_t panels = shape.n / atom.b;
      const std::int64_t next = saturating_product(panels + 1, atom.a);
      for (const std::int64_t m : {saturating_product(panels, atom.a), next - 1, next})
        add({m, shape.n, shape.k});
      return;
    }
    if (atom.compares_sizes()) {
      const std::int64_t size = atom.use_k ? shape.k : shape.n;
      for (const auto& [used, each] : {std::pair(atom.use_m, &shape.m), {atom.use_n, &shape.n}})
        if (used) *each = size;
      add(shape);
      return;
    }
    std::int64_t* const sizes[] = {atom.use_m ? &shape.m : nullptr, atom.use_n ? &shape.n : nullptr,
                                   atom.use_k ? &shape.k : nullptr};
    std::int64_t *last = nullptr, others = 1;
    for (std::int64_t* size : sizes) {
      if (size == nullptr) continue;
      if (last != nullptr) others = saturating_product(others, *last);
      last = size;
    }
    const std::int64_t at = atom.limit / others;
    for (const std::int64_t size : {at, at + 1}) {
      *last = size;
      add(shape);
    }
  }

  std::int64_t log_uniform(std::int64_t most) {
    const double u = static_cast<double>(random_() >> 11) * 0x1p-53;
    const double value = std::exp(u * std::log(static_cast<double>(most) + 1));
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(value), 1, most);
  }
  Shape3 any() { return {log_uniform(most_.m), log_uniform(most_.n), log_uniform(most_.k)}; }
  void add(const Shape3& shape) {
    const bool inside = shape.m >= 1 && shape.m <= most_.m && shape.n >= 1 && shape.n <= most_.n &&
                        shape.k >= 1 && shape.k <= most_.k;
    if (inside && shapes_.size() < kMaxShapes) shapes_.push_back(shape);
  }

  Shape3 most_;
  std::mt19937_64 random_{1};  // fixed: the same pair always gives the same answer
  std::vector<Shape3> shapes_;
};

}  // namespace

std::vector<Shape3> shapes_that_matter(const std::vector<const Entry*>& entries,
                                       const std::vector<std::int64_t>& ks) {
  Shape3 most{1, 1, 1};
  for (const Entry* entry : entries)
    most = {std::max(most.m, entry->m_max), std::max(most.n, entry->n_max),
            std::max(most.k, most_summands(*entry))};
  Collector collector(most);
  std::set<std::int64_t> all(ks.begin(), ks.end());
  for (const Entry* entry : entries)
    for (const MatrixRegime& regime : entry->regimes)
      for (const Atom& atom : regime.guard)
        if (atom.use_k && !atom.use_m && !atom.use_n) all.insert({atom.limit, atom.limit + 1});
  for (const std::int64_t k : all) collector.dense(k);
  for (const Entry* entry : entries) {
    collector.beyond(*entry);
    for (const MatrixRegime& regime : entry->regimes) {
      for (const Atom& atom : regime.guard) {
        collector.around(atom);
        for (const std::int64_t k : all) collector.around(atom, k);
      }
      collector.around(regime.rows, true);
      collector.around(regime.columns, false);
    }
  }
  collector.spread();
  return collector.take();
}

}  // namespace reprosum::spec
