// learn_regions(): all sizes at once, and small ones alone where that leaves many of them out. A
// library may have plain orders up to some product and blocks beyond that show no rule.
#include "reveal/region/small_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "reveal/region/box.h"
#include "reveal/region/certify.h"

namespace reprosum::reveal {
namespace region {
namespace {

using spec::Atom;
using spec::Shape3;

constexpr std::int64_t sample_shapes = 2000;
constexpr double nearly_all = 0.98;  // of the small shapes
constexpr std::int64_t least_small = 12;
constexpr double box_share = 0.4;  // of the time limit, besides it

// The largest box of which all shapes may be looked at; no sizes if none may.
Shape3 box_in(const RegionOptions& options) {
  for (std::int64_t size = options.small; size >= least_small; size -= size / 4) {
    const auto end = [&](std::int64_t most) { return std::min(most, size); };
    const Shape3 box{end(options.largest.m), options.is_gemv ? 1 : end(options.largest.n),
                     end(options.largest.k)};
    if (WholeBox::cost(box) <= box_share * options.time_limit_s) return box;
  }
  return {};
}

std::vector<Atom> guard_of(const Shape3& box, const RegionOptions& options) {
  std::vector<Atom> guard{{Atom::Kind::at_most, true, false, false, box.m, 1, 1},
                          {Atom::Kind::at_most, false, false, true, box.k, 1, 1}};
  if (!options.is_gemv) guard.push_back({Atom::Kind::at_most, false, true, false, box.n, 1, 1});
  return guard;
}

double share(const std::vector<LearnedRegime>& regimes, const std::vector<Shape3>& shapes) {
  std::vector<spec::MatrixRegime> rules;
  for (const LearnedRegime& regime : regimes) rules.push_back(regime.rule);
  const auto covered = std::count_if(shapes.begin(), shapes.end(), [&](const Shape3& shape) {
    return spec::regions(rules, shape).has_value();
  });
  return static_cast<double>(covered) / static_cast<double>(shapes.size());
}

std::vector<Shape3> shapes_in(const Shape3& box, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto size = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  std::vector<Shape3> shapes;
  for (std::int64_t at = 0; at < sample_shapes; ++at)
    shapes.push_back({size(box.m), size(box.n), size(box.k)});
  return shapes;
}

std::vector<LearnedRegime> rules_in(SignatureSource& source, const RegionOptions& options,
                                    const Shape3& sizes) {
  std::vector<LearnedRegime> found;
  const WholeBox box(source, sizes);
  for (const BoxRule& rule : rules_of_box(box, options.log))
    found.push_back(regime_of(rule, sizes));
  return found;
}

// The rules of the box before those of all sizes, for shapes of the box alone.
std::vector<LearnedRegime> put_before(const std::vector<LearnedRegime>& all,
                                      std::vector<LearnedRegime> box,
                                      const std::vector<Atom>& guard) {
  for (LearnedRegime& regime : box) {
    std::vector<Atom>& own = regime.rule.guard;
    own.insert(own.end(), guard.begin(), guard.end());
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  box.insert(box.end(), all.begin(), all.end());
  return box;
}

}  // namespace

LearnedRegions with_small_box(SignatureSource& source, const RegionOptions& options,
                              LearnedRegions all) {
  const Shape3 sizes = box_in(options);
  if (sizes.k == 0) return all;
  const std::vector<Shape3> sample = shapes_in(sizes, options.seed);
  const double before = share(all.regimes, sample);
  all.all_small = before >= nearly_all;
  // Who asks for small products of gemm wants every one of them, and orders of rules of all sizes
  // may not be found.
  const bool is_sure = options.is_small_sure || !options.is_gemv;
  if (!is_sure && (all.all_small || all.covered >= enough_covered)) return all;
  if (options.log) options.log("all of " + print(sizes));
  const std::int64_t calls = source.calls();
  std::vector<LearnedRegime> found = rules_in(source, options, sizes);
  all.shapes += sizes.m * sizes.n * sizes.k;
  all.calls += source.calls() - calls;
  const std::size_t small = found.size();
  std::vector<LearnedRegime> both =
      put_before(all.regimes, std::move(found), guard_of(sizes, options));
  const double after = share(both, sample);
  if (options.log)
    options.log(fmt::format("covered of the box: {:.4f}, before {:.4f}", after, before));
  if (after < before || (after == before && !is_sure)) return all;
  all.all_small = after >= nearly_all;
  all.small = small;
  all.regimes = std::move(both);
  Maps maps(source, options);
  all.covered = std::max(all.covered, share(all.regimes, held_out_shapes(maps, {})));
  return all;
}

}  // namespace region

LearnedRegions learn_regions(SignatureSource& source, const RegionOptions& options) {
  RegionOptions whole = options;
  whole.time_limit_s *= options.patience;
  return region::with_small_box(source, options, region::learn_to_largest(source, whole));
}

}  // namespace reprosum::reveal
