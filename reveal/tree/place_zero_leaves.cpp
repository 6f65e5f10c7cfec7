// Chooses the simplest placement of zero leaves that reproduces the signs of zero.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reveal/annotate.h"
#include "reveal/refused.h"
#include "reveal/tree/evaluate.h"
#include "reveal/tree/prober.h"
#include "reveal/tree/zero_placements.h"
#include "reveal/tree/zero_probes.h"
#include "spec/error.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

constexpr int kMaxCuts = 3;                // of regimes, where other code starts
constexpr std::int64_t kMaxResidues = 64;  // of a loop whose residues are placed one by one

// What the target answered at one size.
struct Observation {
  std::int64_t n = 0;
  bool is_product = false;
  ZeroProbes probes;
  std::vector<double> outputs;
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool explains(const spec::Order& order, const Observation& seen, spec::Type type) {
  spec::Tree tree;
  try {
    tree = spec::expand(order, seen.n);
  } catch (const UserError&) {
    return false;  // a zero stands in a chain that has no place at this size
  }
  const std::vector<double> others(seen.is_product ? std::size_t(seen.n) : 0, seen.probes.other);
  for (std::size_t k = 0; k < seen.outputs.size(); ++k)
    if (!same_bits(evaluate(tree, type, seen.probes.values[k], others), seen.outputs[k]))
      return false;
  return true;
}

class Placer {
 public:
  Placer(Target& target, const Call& context, const spec::Order& order, std::uint64_t seed,
         const std::function<bool(std::int64_t)>& matters)
      : target_(target), call_(context), order_(order), random_(seed), matters_(matters) {
    for (std::size_t k = 0; k < order.regimes.size(); ++k) observe(k);
  }

  spec::Order run() {
    const bool products = call_.routine == spec::Routine::dot;
    for (const bool zero_start : {false, true}) {
      spec::Order plain = order_;
      plain.zero_start = zero_start;
      if (explains_all(plain)) return plain;
    }
    const std::vector<std::vector<Observation>> seen = seen_;
    for (const bool zero_start : {false, true}) {
      seen_ = seen;
      cuts_ = 0;
      spec::Order order = order_;
      order.zero_start = zero_start;
      if (place_by_regime(order, zero_placements(products))) return order;
    }
    throw RefusedAt("unknown_arithmetic",
                    "no placement of zero starts explains the signs of zero at n = " +
                        std::to_string(unexplained_),
                    unexplained_);
  }

 private:
  bool matters(std::int64_t n) const { return !matters_ || matters_(n); }

  static std::int64_t block_of(const spec::Regime& regime) {
    const auto* loop = std::get_if<spec::Loop>(&regime.rule);
    return loop == nullptr ? 8 : loop->block;
  }

  void observe(std::size_t regime) {
    const std::int64_t block = block_of(order_.regimes[regime]);
    seen_.emplace_back();
    for (const std::int64_t n : zero_probe_sizes(order_, regime, random_))
      if (matters(n)) seen_.back().push_back(observe_size(n, block));
  }

  Observation observe_size(std::int64_t n, std::int64_t block) {
    Observation one;
    one.n = n;
    call_.k = n;
    one.is_product = call_.routine == spec::Routine::dot;
    one.probes = zero_probes(call_, n, block, random_);
    if (order_.flush != spec::Flush::none) add_tiny_probes(call_, n, random_, one.probes);
    Prober prober(target_, call_);
    std::vector<Probe> edits;
    for (const std::vector<double>& values : one.probes.values) {
      Probe probe;
      for (std::size_t k = 0; k < values.size(); ++k)
        if (!same_bits(values[k], -0.0))
          probe.x.push_back({static_cast<std::int64_t>(k), values[k]});
      edits.push_back(std::move(probe));
    }
    const std::vector<double> base(std::size_t(n), -0.0);
    one.outputs = prober.run(base, edits, one.probes.other);
    return one;
  }

  bool explains_regime(const spec::Order& order, std::size_t regime) {
    for (Observation& seen : seen_[regime]) {
      if (explains(order, seen, call_.type)) continue;
      unexplained_ = seen.n;
      // What refuted one placement is likely to refute the next.
      std::swap(seen, seen_[regime].front());
      return false;
    }
    return true;
  }

  bool explains_all(const spec::Order& order) {
    for (std::size_t k = 0; k < seen_.size(); ++k)
      if (!explains_regime(order, k)) return false;
    return true;
  }

  // A regime's trees depend only on itself and on regimes and subs it names, which mostly stand
  // before it: one after another is enough.
  bool place_by_regime(spec::Order& order, const std::vector<ZeroPlacement>& placements) {
    for (std::size_t k = 0; k < order.regimes.size(); ++k) {
      bool placed = false;
      for (const bool by_residue : {false, true}) {
        by_residue_ = by_residue;
        // Below one block there is no main part, and its accumulators may not be there either; one
        // summand may be returned as it is.
        placed = place_in_regime(order, k, placements) ||
                 cut_and_place(order, k, cut_below_block, placements) ||
                 cut_and_place(order, k, cut_first_size, placements);
        if (placed) break;
      }
      if (placed) continue;
      // A kernel may have other code for short sums.
      if (cut_at_change(order, k, placements)) continue;
      return false;
    }
    return true;
  }

  // Cuts regime k where the placement that goes furthest from its start ends, and places that one
  // in the lower part; the upper part comes next.
  bool cut_at_change(spec::Order& order, std::size_t k,
                     const std::vector<ZeroPlacement>& placements) {
    const auto* loop = std::get_if<spec::Loop>(&order.regimes[k].rule);
    if (loop == nullptr || loop->pad || ++cuts_ > kMaxCuts) return false;
    const auto by_size = [](const Observation& a, const Observation& b) { return a.n < b.n; };
    std::sort(seen_[k].begin(), seen_[k].end(), by_size);
    std::size_t most = 0;
    std::optional<spec::Order> best;
    for (const ZeroPlacement& placement : placements) {
      const spec::Order candidate = with_zeros(order, k, placement);
      std::size_t right = 0;
      while (right < seen_[k].size() && explains(candidate, seen_[k][right], call_.type)) ++right;
      if (right <= most) continue;
      most = right;
      best = candidate;
    }
    if (!best || most == seen_[k].size()) return false;
    std::int64_t good = seen_[k][most - 1].n, bad = seen_[k][most].n;
    while (bad - good > 1) {
      const std::int64_t middle = good + (bad - good) / 2;
      if (!matters(middle)) break;
      seen_[k].push_back(observe_size(middle, block_of(order.regimes[k])));
      (explains(*best, seen_[k].back(), call_.type) ? good : bad) = middle;
    }
    spec::Order lower = cut_at(*best, k, good), parts = cut_at(order, k, good);
    if (parts == order) return false;
    parts.regimes[k].rule = lower.regimes[k].rule;
    std::vector<Observation> below;
    for (const Observation& seen : seen_[k])
      if (seen.n <= good) below.push_back(seen);
    std::erase_if(seen_[k], [&](const Observation& seen) { return seen.n <= good; });
    seen_.insert(seen_.begin() + std::ptrdiff_t(k), std::move(below));
    order = std::move(parts);
    return true;
  }

  // Cuts regime k in two and places zeros in the lower part; the upper part comes next.
  bool cut_and_place(spec::Order& order, std::size_t k,
                     spec::Order (*cut)(const spec::Order&, std::size_t),
                     const std::vector<ZeroPlacement>& placements) {
    spec::Order parts = cut(order, k);
    if (parts == order) return false;
    const std::vector<std::vector<Observation>> before = seen_;
    const std::int64_t border = parts.regimes[k].hi;
    std::vector<Observation> below;
    for (const Observation& seen : seen_[k])
      if (seen.n <= border) below.push_back(seen);
    // Nothing says that unseen sizes have other zeros; as pieces of larger ones they are met later.
    if (below.empty()) return false;
    std::erase_if(seen_[k], [&](const Observation& seen) { return seen.n <= border; });
    seen_.insert(seen_.begin() + std::ptrdiff_t(k), std::move(below));
    spec::Order upper = parts;
    if (place_in_regime(parts, k, placements) &&
        (place_in_regime(upper, k + 1, placements) || cut_below_block(upper, k + 1) != upper)) {
      order = std::move(parts);
      return true;
    }
    seen_ = before;
    return false;
  }

  bool place_in_regime(spec::Order& order, std::size_t k,
                       const std::vector<ZeroPlacement>& placements) {
    std::vector<spec::Order> tried;
    for (const ZeroPlacement& placement : placements) {
      spec::Order candidate = with_zeros(order, k, placement);
      if (std::find(tried.begin(), tried.end(), candidate) != tried.end()) continue;
      if (explains_regime(candidate, k)) {
        order = std::move(candidate);
        return true;
      }
      tried.push_back(std::move(candidate));
    }
    return place_by_size(order, k, placements) ||
           (by_residue_ && place_by_residue(order, k, placements));
  }

  // The remaining summands may go through code of their own, which depends on how many there are.
  bool place_by_residue(spec::Order& order, std::size_t k,
                        const std::vector<ZeroPlacement>& placements) {
    const spec::Regime& regime = order.regimes[k];
    const auto* loop = std::get_if<spec::Loop>(&regime.rule);
    if (loop == nullptr || loop->pad || loop->block < 2 || loop->block > kMaxResidues) return false;
    spec::Order placed = order;
    auto& cases = std::get<spec::Loop>(placed.regimes[k].rule).cases;
    cases.clear();
    for (const auto& c : loop->cases)
      for (std::int64_t r = c.r_lo; r <= c.r_hi; ++r) cases.push_back({r, r, c.schema});
    for (std::int64_t r = 0; r < loop->block; ++r) {
      const auto seen = residue_sizes(regime, k, r);
      const spec::Schema plain = cases[std::size_t(r)].schema;
      const bool found =
          std::any_of(placements.begin(), placements.end(), [&](const ZeroPlacement& placement) {
            cases[std::size_t(r)].schema = with_zeros(plain, placement);
            return std::all_of(seen.begin(), seen.end(), [&](std::size_t at) {
              return explains(placed, seen_[k][at], call_.type);
            });
          });
      if (!found) {
        if (!seen.empty()) unexplained_ = seen_[k][seen.front()].n;
        return false;
      }
    }
    std::vector<spec::Loop::Case> joined;
    for (auto& c : cases) {
      if (!joined.empty() && joined.back().schema == c.schema)
        joined.back().r_hi = c.r_hi;
      else
        joined.push_back(std::move(c));
    }
    cases = std::move(joined);
    order = std::move(placed);
    return true;
  }

  // Observations of residue r in regime k, the first sizes of it among them.
  std::vector<std::size_t> residue_sizes(const spec::Regime& regime, std::size_t k,
                                         std::int64_t r) {
    const std::int64_t block = block_of(regime);
    const auto first = regime.lo / block * block + (r < regime.lo % block ? block : 0) + r;
    for (const std::int64_t q : {0, 1, 2, 5}) {
      const std::int64_t n = first + q * block;
      const auto is_seen = [n](const Observation& seen) { return seen.n == n; };
      if (n <= regime.hi && matters(n) && std::none_of(seen_[k].begin(), seen_[k].end(), is_seen))
        seen_[k].push_back(observe_size(n, block));
    }
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at < seen_[k].size(); ++at)
      if (seen_[k][at].n % block == r) found.push_back(at);
    return found;
  }

  // The trees of an explicit regime may come from different code: one placement for each.
  bool place_by_size(spec::Order& order, std::size_t k,
                     const std::vector<ZeroPlacement>& placements) {
    if (!std::holds_alternative<spec::Explicit>(order.regimes[k].rule)) return false;
    spec::Order placed = order;
    for (const Observation& seen : seen_[k]) {
      const bool found =
          std::any_of(placements.begin(), placements.end(), [&](const ZeroPlacement& placement) {
            spec::Order candidate = with_zeros(placed, k, placement, seen.n);
            if (!explains(candidate, seen, call_.type)) return false;
            placed = std::move(candidate);
            return true;
          });
      if (!found) return false;
    }
    order = std::move(placed);
    return true;
  }

  Target& target_;
  Call call_;
  const spec::Order& order_;
  Random random_;
  const std::function<bool(std::int64_t)>& matters_;
  std::vector<std::vector<Observation>> seen_;  // by regime
  std::int64_t unexplained_ = 0;
  int cuts_ = 0;
  bool by_residue_ = false;  // whether a loop's residues may differ in their zeros
};

}  // namespace

spec::Order place_zero_leaves(Target& target, const Call& context, const spec::Order& order,
                              std::uint64_t seed,
                              const std::function<bool(std::int64_t)>& matters) {
  return Placer(target, context, order, seed, matters).run();
}

}  // namespace reprosum::reveal
