// Classes that few shapes have: they are looked for, and what no shape has shown is not covered.
#include <algorithm>
#include <cmath>
#include <utility>

#include "reveal/capture/product_capture.h"
#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {
namespace {

// Every size up to the first one; then, for classes that have been seen too seldom, up to the
// second one, the last size that regimes between two limits are learned from.
constexpr std::int64_t kDense = 64, kDenseListed = 96;
constexpr int kShapes = 6;  // one for each kind of data
constexpr int kDraws = 4;   // of k for one m and n
constexpr std::int64_t kSmallK = 16;

// How many shapes have each class of each regime.
class Counts {
 public:
  explicit Counts(const std::vector<spec::MatrixRegime>& regimes) : regimes_(regimes) {
    for (const spec::MatrixRegime& regime : regimes) counts_.emplace_back(regime.classes.size(), 0);
  }

  // Whether the shape has a class that fewer than `enough` shapes had before.
  bool add(const spec::Shape3& shape, int enough) {
    const auto map = spec::regions(regimes_, shape);
    if (!map) return false;
    std::vector<int>& of = counts_[static_cast<std::size_t>(map->regime - regimes_.data())];
    std::vector<bool> has(of.size(), false);
    for (const spec::Stretch& rows : map->rows)
      for (const spec::Stretch& columns : map->columns)
        has[static_cast<std::size_t>(map->class_at(rows.first, columns.first))] = true;
    bool is_rare = false;
    for (std::size_t c = 0; c < of.size(); ++c) is_rare |= has[c] && of[c] < enough;
    if (!is_rare) return false;
    for (std::size_t c = 0; c < of.size(); ++c) of[c] += has[c];
    return true;
  }

  int of(std::size_t regime, std::size_t output_class) const {
    return counts_[regime][output_class];
  }
  bool any_below(int enough) const {
    return std::any_of(counts_.begin(), counts_.end(), [&](const std::vector<int>& of) {
      return std::any_of(of.begin(), of.end(), [&](int shapes) { return shapes < enough; });
    });
  }

 private:
  const std::vector<spec::MatrixRegime>& regimes_;
  std::vector<std::vector<int>> counts_;
};

Counts count(const std::vector<spec::MatrixRegime>& regimes,
             const std::vector<spec::Shape3>& shapes) {
  Counts counts(regimes);
  for (const spec::Shape3& shape : shapes) counts.add(shape, kShapes);
  return counts;
}

}  // namespace

void cover_only_tried(std::vector<spec::MatrixRegime>& regimes,
                      const std::vector<spec::Shape3>& shapes) {
  const std::vector<spec::MatrixRegime> before = regimes;
  const Counts tried = count(before, shapes);
  for (std::size_t k = 0; k < before.size(); ++k)
    for (std::size_t c = before[k].classes.size(); c-- > 0;)
      if (tried.of(k, c) == 0) take_out(regimes[k], static_cast<std::int32_t>(c));
}

std::vector<spec::Shape3> shapes_of_rare(const std::vector<spec::MatrixRegime>& regimes,
                                         bool is_gemv, const spec::Shape3& largest,
                                         const std::vector<spec::Shape3>& shapes,
                                         std::uint64_t salt) {
  Counts counts = count(regimes, shapes);
  std::vector<spec::Shape3> rare;
  // Most rules have none, and to look at all sizes takes its time.
  if (!counts.any_below(kShapes)) return rare;
  FastRandom random(salt);
  const double most = std::log(static_cast<double>(largest.k) + 0.999);
  const auto look = [&](std::int64_t above, std::int64_t up_to) {
    std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
    for (std::int64_t m = 1; m <= std::min(up_to, largest.m); ++m)
      for (std::int64_t n = 1; n <= (is_gemv ? 1 : std::min(up_to, largest.n)); ++n)
        if (std::max(m, n) > above) sizes.emplace_back(m, n);
    for (std::size_t at = sizes.size(); at > 1; --at)
      std::swap(sizes[at - 1],
                sizes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(at)))]);
    for (const bool is_small_k : {true, false})
      for (const auto& [m, n] : sizes)
        for (int draw = 0; draw < kDraws; ++draw) {
          const std::int64_t k =
              is_small_k ? 1 + random.below(draw == 0 ? 1 : std::min(kSmallK, largest.k))
                         : static_cast<std::int64_t>(std::exp(random.unit() * most));
          if (counts.add({m, n, k}, kShapes)) rare.push_back({m, n, k});
        }
  };
  look(0, kDense);
  if (counts.any_below(kShapes)) look(kDense, kDenseListed);
  return rare;
}

}  // namespace reprosum::reveal
