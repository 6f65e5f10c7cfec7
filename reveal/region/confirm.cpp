// Rules of one context looked at in another.
#include <algorithm>
#include <utility>

#include "reveal/region/certify.h"
#include "reveal/region/small_box.h"

namespace reprosum::reveal {
namespace region {
namespace {

// Small products of gemm were looked at one by one, and held-out shapes meet too few of them to see
// what differs in one of a hundred: without the rules that rest on these alone.
LearnedRegions of_all_sizes(const LearnedRegions& known) {
  LearnedRegions rest = known;
  rest.regimes.erase(rest.regimes.begin(),
                     rest.regimes.begin() + static_cast<std::ptrdiff_t>(known.small));
  rest.covered = known.covered_by_all_sizes;
  rest.small = 0;
  rest.all_small = false;
  return rest;
}

}  // namespace
}  // namespace region

std::optional<LearnedRegions> confirm_regions(SignatureSource& source, const LearnedRegions& known,
                                              const RegionOptions& options) {
  using namespace region;
  const bool has_box = known.small > 0 && !options.is_gemv;
  LearnedRegions result = has_box ? of_all_sizes(known) : known;
  if (result.regimes.empty()) return std::nullopt;
  RegionOptions fewer = options;
  fewer.held_out /= 2;
  Maps maps(source, fewer);
  std::vector<Rule> rules;
  std::vector<std::vector<spec::Atom>> guards;
  for (const LearnedRegime& regime : result.regimes) {
    rules.push_back(rule_of(regime));
    guards.push_back(rules.back().guard);
  }
  result.checked = 0;
  std::int64_t looked = 0;
  for (const spec::Shape3& shape : held_out_shapes(maps, guards)) {
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const Rule& one) { return one.inside(shape); });
    ++looked;
    if (rule == rules.end()) continue;
    const Verdict verdict = rule->test(maps, shape);
    if (verdict == Verdict::wrong) return std::nullopt;
    result.checked += verdict == Verdict::right;
  }
  // What covers little is contradicted by little; beside a box it may be all that there is.
  const double expected = has_box ? known.covered_by_all_sizes : 1;
  if (2 * static_cast<double>(result.checked) < expected * static_cast<double>(looked))
    return std::nullopt;
  result.shapes = maps.shapes();
  result.calls = maps.calls();
  return has_box ? with_small_box(source, options, std::move(result)) : result;
}

}  // namespace reprosum::reveal
