#include "reveal/region/look.h"

#include <algorithm>

namespace reprosum::reveal::region {
namespace {

constexpr int samples_at_reference = 40;
constexpr int dear_looks = 5;
constexpr double least_samples = 3;  // times the work of the least shape of a guard
constexpr int traced_per_k = 2, traced_at_one_k = 7;
constexpr std::size_t most_traced = 22;  // borders

}  // namespace

using spec::Shape3;

std::vector<std::int64_t> sample_ks(const Rule& rule, const Maps& maps) {
  // k_ref and three far from it first: one k cannot tell products with k from those without.
  std::vector<std::int64_t> ks{rule.k_ref, 151, 907, 1511, 37, 1,   2,   3,   5,
                               8,          13,  21,  49,   75, 301, 607, 2047};
  ks.push_back(maps.options().largest.k);
  std::vector<std::int64_t> kept;
  for (const std::int64_t k : ks) {
    if (k <= maps.options().largest.k && std::count(kept.begin(), kept.end(), k) == 0) {
      kept.push_back(k);
    }
  }
  return kept;
}

Step look(Maps& maps, Rule& rule, const std::vector<spec::Atom>& caps) {
  Step step;
  rule.forget();
  Prober prober(maps, rule);
  prober.also = caps;
  int looked = 0;
  const double usual_work = std::max(sample_work, least_samples * work(least_sizes(rule.guard)));
  for (const std::int64_t k : sample_ks(rule, maps)) {
    if (k != rule.k_ref && prober.fails_at(k)) {
      // Above a bound on m*n*k all shapes of a small k are large: where these are wrong at k_ref
      // as well, it is their size that matters.
      if (k < rule.k_ref) {
        const std::vector<Shape3> there = prober.wrong_at_reference(k);
        step.wrong.insert(step.wrong.begin(), there.begin(), there.end());
        if (!there.empty()) continue;
      }
      step.holds = false;
      step.failing_k = k;
      return step;
    }
    // Where the rule begins at large sizes, shapes cost more.
    const double home = static_cast<double>(rule.home_high[0] * rule.home_high[1]) *
                        static_cast<double>(rule.k_ref);
    const double work = looked < dear_looks ? std::max(usual_work, 2 * home) : usual_work;
    for (const Shape3& shape :
         prober.contradictions(k, k == rule.k_ref ? samples_at_reference : samples_per_k, work)) {
      step.wrong.push_back(shape);
    }
    // Small k come last: classes merge there, and hide where the borders are.
    if (++looked >= 4 && step.wrong.size() >= (looked < dear_looks ? 12 : 4)) break;
  }
  step.holds = step.wrong.empty();
  return step;
}

namespace {

// Borders of contradictions that were met at one k only, at other k: one k cannot tell products
// with k from those without.
std::vector<Border> at_other_k(Prober& prober, const std::vector<Shape3>& wrong) {
  std::vector<Border> borders;
  const std::int64_t k = wrong.front().k;
  for (const std::int64_t other : {3 * k / 4, k / 2, 5 * k / 4}) {
    int traced = 0;
    for (const Shape3& shape : wrong) {
      if (traced >= 2) break;
      for (const Shape3& there :
           {Shape3{shape.m, shape.n, other},
            Shape3{shape.m * k / std::max<std::int64_t>(1, other), shape.n, other}}) {
        if (other < 1 || !prober.inside(there) || prober.prime(other).empty()) continue;
        if (prober.test(there) != Verdict::wrong) continue;
        ++traced;
        for (const Border& border : prober.trace(there)) borders.push_back(border);
        break;
      }
    }
  }
  return borders;
}

}  // namespace

std::vector<Border> trace_at(Prober& prober, std::int64_t k, const std::vector<Shape3>& wrong) {
  std::vector<Border> borders;
  std::vector<Shape3> there;
  for (const Shape3& shape : wrong)
    if (shape.k == k) there.push_back(shape);
  // All along the list, which goes by size: neighbours show one border.
  const std::size_t step = std::max<std::size_t>(1, there.size() / traced_at_one_k);
  for (std::size_t i = 0; i < there.size() && i / step < traced_at_one_k; i += step)
    for (const Border& border : prober.trace(there[i])) borders.push_back(border);
  return borders;
}

std::vector<Border> trace_some(Prober& prober, std::int64_t k_ref,
                               const std::vector<Shape3>& wrong) {
  std::vector<Border> borders;
  std::map<std::int64_t, int> traced;
  for (const Shape3& shape : wrong) {
    if (++traced[shape.k] > traced_per_k || borders.size() > most_traced) continue;
    for (const Border& border : prober.trace(shape)) borders.push_back(border);
  }
  const bool is_one_k = !traced.empty() && traced.rbegin()->first * 9 <= traced.begin()->first * 10;
  if (is_one_k && traced.count(k_ref) == 0) {
    for (const Border& border : at_other_k(prober, wrong)) borders.push_back(border);
  }
  return borders;
}

}  // namespace reprosum::reveal::region
