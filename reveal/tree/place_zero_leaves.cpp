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

// What the target answered at one size.
struct Observation {
  std::int64_t n = 0;
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
  const std::vector<double> others(std::size_t(seen.n), seen.probes.other);
  for (std::size_t k = 0; k < seen.outputs.size(); ++k)
    if (!same_bits(evaluate(tree, type, seen.probes.values[k], others), seen.outputs[k]))
      return false;
  return true;
}

class Placer {
 public:
  Placer(Target& target, const Call& context, const spec::Order& order, std::uint64_t seed)
      : target_(target), call_(context), order_(order), random_(seed) {
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
      spec::Order order = order_;
      order.zero_start = zero_start;
      if (place_by_regime(order, zero_placements(products))) return order;
    }
    throw Refused("unknown_arithmetic",
                  "no placement of zero starts explains the signs of zero at n = " +
                      std::to_string(unexplained_));
  }

 private:
  void observe(std::size_t regime) {
    std::int64_t block = 8;
    if (const auto* loop = std::get_if<spec::Loop>(&order_.regimes[regime].rule))
      block = loop->block;
    seen_.emplace_back();
    for (const std::int64_t n : zero_probe_sizes(order_, regime, random_)) {
      Observation one;
      one.n = n;
      call_.n = n;
      one.probes = zero_probes(call_, n, block, random_);
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
      seen_.back().push_back(std::move(one));
    }
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
      if (place_in_regime(order, k, placements)) continue;
      // Below one block there is no main part, and its accumulators may not be there either; one
      // summand may be returned as it is.
      if (cut_and_place(order, k, cut_below_block, placements)) continue;
      if (cut_and_place(order, k, cut_first_size, placements)) continue;
      return false;
    }
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
    return place_by_size(order, k, placements);
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
  std::vector<std::vector<Observation>> seen_;  // by regime
  std::int64_t unexplained_ = 0;
};

}  // namespace

spec::Order place_zero_leaves(Target& target, const Call& context, const spec::Order& order,
                              std::uint64_t seed) {
  return Placer(target, context, order, seed).run();
}

}  // namespace reprosum::reveal
