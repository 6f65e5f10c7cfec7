// The whole way: regimes, held-out shapes, and the form that a spec keeps.
#include <fmt/format.h>

#include <algorithm>

#include "reveal/region.h"
#include "reveal/region/regime_search.h"

namespace reprosum::reveal {
namespace {

using namespace region;
using spec::Shape3;

constexpr int verify_rounds = 4;
constexpr double search_share = 0.75;

// Random shapes for the end: half log-uniform, some long and thin, some beside a threshold.
std::vector<Shape3> held_out_shapes(Maps& maps, const std::vector<Found>& found) {
  const RegionOptions& options = maps.options();
  const Shape3& top = options.largest;
  std::vector<Shape3> shapes;
  std::vector<spec::Atom> atoms;
  for (const Found& regime : found) {
    for (const Bracket& bracket : regime.brackets) atoms.push_back(bracket.atom);
  }
  static constexpr std::int64_t ks[] = {1,   2,   4,   7,   12,  23,  41,   64,   100,
                                        130, 257, 300, 421, 600, 777, 1000, 1500, 2048};
  const auto pick_k = [&] {
    return std::min(top.k, maps.pick(0, 3) == 0 ? maps.pick_log(1, top.k) : ks[maps.pick(0, 17)]);
  };
  for (std::int64_t tries = 0;
       tries < 60 * options.held_out && static_cast<std::int64_t>(shapes.size()) < options.held_out;
       ++tries) {
    const bool is_log = tries % 2 == 0;
    const auto size = [&](std::int64_t most) {
      return is_log ? maps.pick_log(1, most) : maps.pick(1, std::min<std::int64_t>(most, 600));
    };
    Shape3 shape{size(top.m), options.is_gemv ? 1 : size(top.n), pick_k()};
    if (tries % 5 == 4) {
      if (tries % 2 == 0 && !options.is_gemv) {
        shape = {maps.pick_log(1, 40), maps.pick(top.n / 2, top.n), shape.k};
      } else {
        shape = {maps.pick(top.m / 2, top.m), options.is_gemv ? 1 : maps.pick_log(1, 40), shape.k};
      }
    } else if (tries % 5 == 3 && !atoms.empty()) {
      // Beside a threshold: one factor is what the limit leaves to it, one more or one less.
      const spec::Atom& atom = atoms[maps.pick(0, static_cast<std::int64_t>(atoms.size()) - 1)];
      const auto solve = [&](std::int64_t& factor, std::int64_t most) {
        factor = 1;
        factor =
            std::clamp<std::int64_t>(atom.limit / product(atom, shape) + maps.pick(0, 1), 1, most);
      };
      if (atom.use_n && (tries % 2 || !atom.use_m)) {
        solve(shape.n, top.n);
      } else if (atom.use_m) {
        solve(shape.m, top.m);
      } else if (atom.use_k) {
        solve(shape.k, top.k);
      }
    }
    if (maps.affordable(shape)) shapes.push_back(shape);
  }
  std::sort(shapes.begin(), shapes.end(),
            [](const Shape3& a, const Shape3& b) { return a.m * a.n < b.m * b.n; });
  return shapes;
}

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
  RegimeSearch search(maps);
  LearnedRegions result;
  const auto stop = [&](const std::string& why) {
    if (!result.stopped.empty()) result.stopped += "; ";
    result.stopped += why;
  };
  std::vector<Found> kept;
  // What is found must still be certified: a part of the time is kept for that.
  maps.set_deadline(search_share * options.time_limit_s);
  try {
    search.search({}, 0);
  } catch (const OutOfTime& e) {
    maps.log(e.what());
  }
  maps.set_deadline(options.time_limit_s);
  kept = search.found;
  for (const std::string& why : search.failures) stop(why);
  // A regime that a held-out shape contradicts is left out, and the others are checked again: a
  // shape belongs to the first regime that admits it, so the order of regimes stays.
  try {
    maps.renew_work_limit();
    for (int round = 0; round < verify_rounds && !kept.empty(); ++round) {
      std::vector<std::vector<Shape3>> wrong(kept.size());
      std::int64_t checked = 0, uncovered = 0;
      for (Found& regime : kept) regime.rule.forget();
      for (const Shape3& shape : held_out_shapes(maps, kept)) {
        const auto first = std::find_if(kept.begin(), kept.end(), [&](const Found& regime) {
          return regime.rule.inside(shape);
        });
        if (first == kept.end()) {
          ++uncovered;
          continue;
        }
        const Verdict verdict = first->rule.test(maps, shape);
        if (verdict == Verdict::wrong) {
          wrong[first - kept.begin()].push_back(shape);
          maps.log(fmt::format("held out: {} contradicts {}: {}", print(shape),
                               print(first->rule.guard), first->rule.last_error));
        }
        checked += verdict == Verdict::right;
        uncovered += verdict == Verdict::unknown;
      }
      result.checked = checked;
      maps.log(fmt::format("held out: {} right, {} not covered", checked, uncovered));
      if (std::none_of(wrong.begin(), wrong.end(), [](const auto& w) { return !w.empty(); })) {
        break;
      }
      std::vector<Found> rest;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        // A few contradictions are counterexamples; what they do not cure is given up.
        const bool is_last = round + 1 == verify_rounds;
        if (wrong[i].empty() ||
            (!is_last && wrong[i].size() <= 6 && search.repair(kept[i], wrong[i]))) {
          rest.push_back(kept[i]);
        } else {
          stop(print(kept[i].rule.guard) + ": a held-out shape contradicts the rule");
        }
      }
      kept = rest;
      if (round + 1 == verify_rounds) {
        kept.clear();
        result.checked = 0;
      }
    }
  } catch (const OutOfTime& e) {
    stop(std::string("not certified: ") + e.what());
    kept.clear();
    result.checked = 0;
  }
  for (const Found& regime : kept) {
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
