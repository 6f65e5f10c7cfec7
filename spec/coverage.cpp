// Every summand once, at every n of a rule: NamedSummands on domains that are cut until it is
// clear.
#include "spec/coverage.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/linear.h"
#include "spec/named_summands.h"
#include "spec/reach.h"

namespace reprosum::spec {
namespace {

constexpr int kMostCuts = 4096;  // of one schema's domain

class Prover {
 public:
  Prover(const Schema& schema, const std::vector<Order>& subs, const Linear& summands,
         ProofAllowance& allowance, const std::string& where)
      : schema_(schema), subs_(subs), summands_(summands), allowance_(allowance), where_(where) {
    for (const Chain& chain : schema.chains)
      items_ += static_cast<std::int64_t>(chain.items.size());
  }

  // Without a cut.
  bool proves(const Domain& domain) {
    try {
      return look(domain).proven;
    } catch (const UserError&) {
      return false;
    }
  }

  void prove(const Domain& domain) {
    std::vector<Domain> pending{domain};
    for (int cuts = 0; !pending.empty();) {
      const Domain next = pending.back();
      pending.pop_back();
      Outcome outcome = look(next);
      if (outcome.proven) continue;
      if (next.fixes_q() && next.fixes_r()) refuse(next.q_lo, next.r_lo);
      if (!outcome.cut) {
        try_corners(next);
        outcome.cut = middle(next);
      }
      if (++cuts > kMostCuts)
        throw UserError(where_ + ": that every summand is named once was not proven");
      Domain first = next, second = next;
      (outcome.cut->on_q ? first.q_hi : first.r_hi) = outcome.cut->at - 1;
      (outcome.cut->on_q ? second.q_lo : second.r_lo) = outcome.cut->at;
      pending.push_back(second);
      pending.push_back(first);
    }
  }

 private:
  // The proof, or the cut that it needs, or neither: it is no identity in q and r.
  struct Outcome {
    bool proven = false;
    std::optional<Cut> cut;
  };
  Outcome look(const Domain& domain) {
    if ((allowance_.items -= items_) < 0)
      throw UserError(where_ + ": that every summand is named once takes too long to prove");
    NamedSummands named(schema_, summands_, domain);
    try {
      if (!named.are_all()) return {};
      named.check_walk(where_);
      return {true, {}};
    } catch (const Cut& cut) {
      return {false, cut};
    } catch (const TooLarge&) {
      return {};
    }
  }

  // A rule that is wrong somewhere is mostly wrong here, which gives the message a size at once.
  void try_corners(const Domain& domain) {
    for (const std::int64_t q : {domain.q_lo, domain.q_hi})
      for (const std::int64_t r : {domain.r_lo, domain.r_hi})
        if (!look({q, q, r, r}).proven) refuse(q, r);
  }

  // In the words of expand(), where the tree can be expanded.
  [[noreturn]] void refuse(std::int64_t q, std::int64_t r) const {
    const std::int64_t n = summands_.at(q, r);
    std::string what = "they are not named once each";
    if (n <= kMaxExplicitLeaves) {
      try {
        expand(schema_, q, r, n, subs_);
      } catch (const UserError& error) {
        what = error.what();
      }
    }
    throw UserError(where_ + ": is no summation tree of " + std::to_string(n) +
                    " summands: " + what);
  }

  const Schema& schema_;
  const std::vector<Order>& subs_;
  const Linear summands_;
  ProofAllowance& allowance_;
  const std::string& where_;
  std::int64_t items_ = 0;
};

struct RuleProver {
  const std::vector<Order>& subs;
  const Regime& regime;
  const std::int64_t hi;  // of what it is asked for
  const std::string where;
  ProofAllowance& allowance;

  void operator()(const Explicit& rule) const {
    for (const auto& entry : rule.entries) {
      const std::string here = where + ", n = " + std::to_string(entry.n);
      Prover(entry.tree, subs, {0, 0, entry.n}, allowance, here).prove({});
    }
  }

  void operator()(const Loop& rule) const {
    if (rule.pad) {
      Prover(rule.cases[0].schema, subs, {rule.block, 0, 0}, allowance, where)
          .prove({(regime.lo - 1) / rule.block + 1, (hi - 1) / rule.block + 1, 0, 0});
      return;
    }
    for (const Loop::Case& c : rule.cases) prove(c, rule.block);
  }

  void operator()(const Split&) const {}
  void operator()(const Parts&) const {}
  void operator()(const Windows&) const {}

  void prove(const Loop::Case& one, std::int64_t block) const {
    const std::string here = where + ", case " + std::to_string(one.r_lo);
    Prover prover(one.schema, subs, {block, 1, 0}, allowance, here);
    const Domain all{regime.lo / block, hi / block, one.r_lo, one.r_hi};
    // Most schemas are also right for those n of the first and the last block that lie outside the
    // regime.
    if (prover.proves(all)) return;
    const auto prove = [&](std::int64_t q_lo, std::int64_t q_hi, std::int64_t r_lo,
                           std::int64_t r_hi) {
      if (q_lo <= q_hi && r_lo <= r_hi) prover.prove({q_lo, q_hi, r_lo, r_hi});
    };
    const std::int64_t first = std::max(one.r_lo, regime.lo % block);
    const std::int64_t last = std::min(one.r_hi, hi % block);
    const bool is_one_block = all.q_lo == all.q_hi;
    prove(all.q_lo, all.q_lo, first, is_one_block ? last : one.r_hi);
    prove(all.q_lo + 1, all.q_hi - 1, one.r_lo, one.r_hi);
    if (!is_one_block) prove(all.q_hi, all.q_hi, one.r_lo, last);
  }
};

// Recursion is bounded by the depth of sub-orders.
void prove_trees(const Order& order, ProofAllowance& allowance, const std::string& where) {
  const std::vector<std::int64_t> reach = reaches(order);
  for (std::size_t k = 0; k < order.regimes.size(); ++k) {
    const Regime& regime = order.regimes[k];
    const std::string here = where + ", regime " + std::to_string(k);
    std::visit(RuleProver{order.subs, regime, reach[k], here, allowance}, regime.rule);
  }
  for (std::size_t k = 0; k < order.subs.size(); ++k)
    prove_trees(order.subs[k], allowance, where + ", sub " + std::to_string(k));
}

}  // namespace

void prove_trees(const Order& order, ProofAllowance& allowance) {
  prove_trees(order, allowance, "order");
}

}  // namespace reprosum::spec
