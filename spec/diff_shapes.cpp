#include "spec/diff_shapes.h"

#include <algorithm>
#include <cmath>
#include <random>

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
    for (int t = 0; t < kShapesPerAtom; ++t) {
      Shape3 shape = any();
      if (atom.kind == Atom::Kind::taller || atom.kind == Atom::Kind::not_taller) {
        const std::int64_t panels = shape.n / atom.b;
        for (const std::int64_t m :
             {panels * atom.a, (panels + 1) * atom.a - 1, (panels + 1) * atom.a})
          add({m, shape.n, shape.k});
        continue;
      }
      // One used size is set so that the product crosses the limit there.
      std::int64_t* const sizes[] = {atom.use_m ? &shape.m : nullptr,
                                     atom.use_n ? &shape.n : nullptr,
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

  void spread() {
    for (int t = 0; t < kSpread; ++t) add(any());
  }

  std::vector<Shape3> take() { return std::move(shapes_); }

 private:
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

std::int64_t most_k(const MatrixEntry& entry) {
  std::int64_t most = 1;
  for (const MatrixRegime& regime : entry.regimes) most = std::max(most, regime.k_max);
  return most;
}

}  // namespace

std::vector<Shape3> shapes_that_matter(const MatrixEntry& a, const MatrixEntry& b,
                                       const std::vector<std::int64_t>& ks) {
  Collector collector(
      {std::max(a.m_max, b.m_max), std::max(a.n_max, b.n_max), std::max(most_k(a), most_k(b))});
  for (const std::int64_t k : ks) collector.dense(k);
  for (const MatrixEntry* entry : {&a, &b})
    for (const MatrixRegime& regime : entry->regimes) {
      for (const Atom& atom : regime.guard) collector.around(atom);
      collector.around(regime.rows, true);
      collector.around(regime.columns, false);
    }
  collector.spread();
  return collector.take();
}

}  // namespace reprosum::spec
