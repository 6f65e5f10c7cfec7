// The oracle of one context: counts from mask probes, trees from FPRev, annotations from
// arithmetic.
#include "reveal/target_oracle.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "reveal/refused.h"
#include "reveal/tree/arithmetic.h"
#include "reveal/tree/determinism.h"
#include "reveal/tree/diagnose.h"
#include "reveal/tree/fprev.h"
#include "reveal/tree/lane_target.h"
#include "reveal/tree/linked_tree.h"
#include "reveal/tree/masks.h"
#include "reveal/tree/prober.h"
#include "reveal/tree/random.h"
#include "reveal/tree/verify.h"

namespace reprosum::reveal {
namespace {

constexpr int kProbesAfterReveal = 8;  // symmetry and consistency of a revealed tree
constexpr std::int64_t kDeterminismGrowth = 16;
constexpr std::size_t kCachedLeaves = std::size_t{1} << 23;

class TargetOracle final : public Oracle {
 public:
  TargetOracle(Target& target, const Call& context, std::uint64_t seed)
      : target_(target), context_(context), random_(seed), first_call_(target.calls()) {
    if (!target.has(context.routine, context.type))
      throw UserError("the target has no " + spec::blas_name(context.routine, context.type));
    context_.k = 1;
    Prober check(target_, context_);  // refuses what cannot be masked before any probe
  }

  std::int64_t pair(std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t lo,
                    std::int64_t hi) override {
    const std::int64_t js[] = {j};
    return pairs(n, i, js, lo, hi)[0];
  }

  std::vector<std::int64_t> pairs(std::int64_t n, std::int64_t i, std::span<const std::int64_t> js,
                                  std::int64_t lo, std::int64_t hi) override {
    std::vector<Pair> list;
    for (const std::int64_t j : js) list.push_back({i, j});
    set_range(n, lo, hi);
    return counts(list);
  }

  spec::Tree reveal(std::int64_t n, std::int64_t lo, std::int64_t hi) override {
    set_range(n, lo, hi);
    const auto key = std::make_tuple(n, lo_, hi_);
    if (const auto it = revealed_.find(key); it != revealed_.end()) return it->second;
    spec::Tree tree = reveal_range();
    cached_leaves_ += static_cast<std::size_t>(tree.n);
    if (cached_leaves_ > kCachedLeaves) {
      revealed_.clear();
      cached_leaves_ = static_cast<std::size_t>(tree.n);
    }
    return revealed_.emplace(key, std::move(tree)).first->second;
  }

  bool verify(std::int64_t n, const spec::Tree& predicted, int probes, std::int64_t lo,
              std::int64_t hi) override {
    set_range(n, lo, hi);
    if (predicted.n != hi_ - lo_)
      throw InternalError("verify: a tree of " + std::to_string(predicted.n) +
                          " leaves cannot predict " + std::to_string(hi_ - lo_));
    if (!linked_ || linked_->first != predicted) linked_.emplace(predicted, LinkedTree(predicted));
    return agrees(*prober_, linked_->second, lo_, probes, random_());
  }

  std::int64_t calls() const override { return target_.calls() - first_call_; }

  std::unique_ptr<Oracle> lanes(std::function<Lane(std::int64_t)> where) override;

 private:
  void set_range(std::int64_t n, std::int64_t lo, std::int64_t hi) {
    if (hi == 0) hi = n;
    if (n < 1 || lo < 0 || lo >= hi || hi > n)
      throw InternalError("oracle: no leaves in [" + std::to_string(lo) + ", " +
                          std::to_string(hi) + ") of " + std::to_string(n));
    if (n > largest_countable(context_.type))
      throw Refused("not_probed", "counts up to n = " + std::to_string(n) +
                                      " are not exact in an output of this type");
    if (prober_ && prober_->n() == n && lo == lo_ && hi == hi_) return;
    lo_ = lo;
    hi_ = hi;
    if (!prober_ || prober_->n() != n) {
      context_.k = n;
      prober_.emplace(target_, context_);
      units_.assign(static_cast<std::size_t>(n), 0.0);
    } else {
      std::fill(units_.begin(), units_.end(), 0.0);
    }
    std::fill(units_.begin() + lo, units_.begin() + hi, 1.0);
    units_id_ = fresh_base_id();
  }

  // Leaves are numbered from lo. A count is the number of ones that the masks took along.
  std::vector<std::int64_t> counts(std::span<const Pair> pairs) {
    const double mask = masks(context_.type).alone;
    std::vector<Probe> probes;
    probes.reserve(pairs.size());
    for (const Pair& pair : pairs)
      probes.push_back({{{lo_ + pair.i, mask}, {lo_ + pair.j, -mask}}, {}});
    if (probes.empty()) return {};
    const std::vector<double> outputs = prober_->run(units_, probes, 1, units_id_);
    const auto size = static_cast<double>(hi_ - lo_);
    std::vector<std::int64_t> result;
    result.reserve(outputs.size());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double lost = size - outputs[k];
      if (!(lost >= 2 && lost <= size) || lost != static_cast<double>(std::int64_t(lost)))
        throw Refused("not_a_sum", fmt::format("with masks at {} and {} of {}, {} ones gave {}",
                                               lo_ + pairs[k].i, lo_ + pairs[k].j, prober_->n(),
                                               std::int64_t(size) - 2, outputs[k]));
      result.push_back(static_cast<std::int64_t>(lost));
    }
    return result;
  }

  // All ones give the number of leaves, one leaf alone its value.
  void check_sum() {
    const std::int64_t at = lo_ + below(random_, hi_ - lo_);
    std::vector<Probe> probes(2);
    probes[1].x.push_back({at, 3.0});
    const auto size = static_cast<double>(hi_ - lo_);
    const std::vector<double> outputs = prober_->run(units_, probes, 1, units_id_);
    if (outputs[0] != size || outputs[1] != size + 2)
      throw Refused("not_a_sum", fmt::format("{} ones gave {}, and with a three among them {}",
                                             std::int64_t(size), outputs[0], outputs[1]));
  }

  spec::Tree reveal_range() {
    const std::int64_t size = hi_ - lo_;
    if (context_.k >= 3 && context_.k >= kDeterminismGrowth * deterministic_at_) {
      check_deterministic(*prober_, random_());
      deterministic_at_ = context_.k;
    }
    check_sum();
    if (size == 1) return {1, {spec::TreeOp{}}};
    const spec::Tree bare = reveal_bare(size);
    try {
      return annotate(*prober_, bare, lo_, random_());
    } catch (const Refused&) {
      check_deterministic(*prober_, random_(), kTurnsAtContradiction);  // a better reason
      throw;
    }
  }

  spec::Tree reveal_bare(std::int64_t size) {
    try {
      const PairCounts source = [this](std::span<const Pair> pairs) { return counts(pairs); };
      const spec::Tree bare = to_binary(fprev(size, source, Pivot::adaptive, random_()));
      // FPRev looks at each count from one side only: an asymmetric or inconsistent target shows
      // itself where random probes with both signs contradict the tree.
      if (!agrees(*prober_, LinkedTree(bare), lo_, kProbesAfterReveal, random_()))
        throw Refused("not_a_tree", "probes contradict the tree that other probes gave at n = " +
                                        std::to_string(context_.k));
      return bare;
    } catch (const Refused& refused) {
      throw diagnose(*prober_, lo_, hi_, refused, random_());
    }
  }

  Target& target_;
  Call context_;
  Random random_;
  std::int64_t first_call_;
  std::int64_t deterministic_at_ = 0;
  std::optional<Prober> prober_;
  std::int64_t lo_ = 0, hi_ = 0;
  std::vector<double> units_;  // ones in [lo, hi), zeros outside
  std::uint64_t units_id_ = 0;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, spec::Tree> revealed_;
  std::size_t cached_leaves_ = 0;
  std::optional<std::pair<spec::Tree, LinkedTree>> linked_;
};

// The oracle of a lane and the target that shows nothing else.
class LaneOracle final : public Oracle {
 public:
  LaneOracle(Target& target, const Call& context, std::function<Lane(std::int64_t)> where,
             std::uint64_t seed)
      : target_(target, std::move(where)), oracle_(make_target_oracle(target_, context, seed)) {}

  std::int64_t pair(std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t lo,
                    std::int64_t hi) override {
    return oracle_->pair(n, i, j, lo, hi);
  }
  std::vector<std::int64_t> pairs(std::int64_t n, std::int64_t i, std::span<const std::int64_t> js,
                                  std::int64_t lo, std::int64_t hi) override {
    return oracle_->pairs(n, i, js, lo, hi);
  }
  spec::Tree reveal(std::int64_t n, std::int64_t lo, std::int64_t hi) override {
    return oracle_->reveal(n, lo, hi);
  }
  bool verify(std::int64_t n, const spec::Tree& predicted, int probes, std::int64_t lo,
              std::int64_t hi) override {
    return oracle_->verify(n, predicted, probes, lo, hi);
  }
  std::int64_t calls() const override { return oracle_->calls(); }
  std::unique_ptr<Oracle> lanes(std::function<Lane(std::int64_t)> of_lane) override {
    return oracle_->lanes(std::move(of_lane));
  }

 private:
  LaneTarget target_;
  std::unique_ptr<Oracle> oracle_;
};

std::unique_ptr<Oracle> TargetOracle::lanes(std::function<Lane(std::int64_t)> where) {
  return std::make_unique<LaneOracle>(target_, context_, std::move(where), random_());
}

}  // namespace

std::unique_ptr<Oracle> make_target_oracle(Target& target, const Call& context,
                                           std::uint64_t seed) {
  return std::make_unique<TargetOracle>(target, context, seed);
}

}  // namespace reprosum::reveal
