// The whole way: regimes, held-out shapes, and the form that a spec keeps.
#include <fmt/format.h>

#include <algorithm>

#include "reveal/region.h"
#include "reveal/region/certify.h"

namespace reprosum::reveal {
namespace {

using namespace region;
using spec::Shape3;

// What is found must still be certified: a part of the time is kept for that.
constexpr double search_share = 0.6;

LearnedRegime finish(const Found& found, const Maps& maps) {
  LearnedRegime regime;
  const Rule& rule = found.rule;
  regime.rule.guard = rule.guard;
  std::sort(regime.rule.guard.begin(), regime.rule.guard.end());
  regime.rule.rows = rule.axes[row_side];
  regime.rule.columns = rule.axes[column_side];
  regime.rule.table = rule.table;
  for (int c = 0; c < rule.classes; ++c) {
    spec::MatrixClass of;
    of.order = static_cast<std::size_t>(c);
    regime.rule.classes.push_back(of);
  }
  regime.rule.k_max = maps.options().largest.k;
  regime.k_ref = rule.k_ref;
  regime.witnesses = rule.witnesses;
  return regime;
}

}  // namespace

LearnedRegions learn_regions(SignatureSource& source, const RegionOptions& options) {
  Maps maps(source, options);
  LearnedRegions result;
  Certified certified;
  // Short signatures tell nearly all classes apart; the certificate is for the full ones, and where
  // these contradict, the search begins again with them.
  for (const bool is_short : {true, false}) {
    if (is_short && !maps.shorten()) continue;
    RegimeSearch search(maps);
    maps.set_limit(search_share * options.time_limit_s);
    try {
      search.search({}, 0);
    } catch (const OutOfTime& e) {
      maps.log(e.what());
    }
    maps.log(fmt::format("search: {} shapes, {} calls, {:.3g} products, {:.1f} s", maps.shapes(),
                         maps.calls(), maps.asked_work(), maps.seconds()));
    maps.set_limit(options.time_limit_s);
    maps.set_short(false);
    for (Found& regime : search.found) regime.rule.forget_hashes();
    const bool has_time = maps.spent() < search_share / 2 * options.time_limit_s;
    certified = certify(maps, search, search.found, is_short && has_time);
    if (certified.is_hopeless) {
      maps.log("full signatures tell more apart");
      continue;
    }
    certified.left.insert(certified.left.begin(), search.failures.begin(), search.failures.end());
    break;
  }
  for (const std::string& why : certified.left) {
    if (!result.stopped.empty()) result.stopped += "; ";
    result.stopped += why;
  }
  result.checked = certified.checked;
  for (const Found& regime : certified.kept) {
    result.regimes.push_back(finish(regime, maps));
    for (const Bracket& bracket : regime.brackets) {
      if (bracket.high - bracket.low <= 1) continue;
      result.not_checked.push_back(
          fmt::format("the limit of {} lies in [{}, {}); the roundest number of it was taken",
                      print(bracket.atom), bracket.low, bracket.high));
    }
  }
  result.shapes = maps.shapes();
  result.calls = maps.calls();
  return result;
}

}  // namespace reprosum::reveal
