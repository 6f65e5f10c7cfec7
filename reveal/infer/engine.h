// The search for one order: regime after regime, the rule with the longest reach wins.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reveal/infer/source.h"
#include "reveal/infer/split_candidates.h"
#include "reveal/infer/trial.h"
#include "spec/order.h"

namespace reprosum::reveal::generalize {

struct Found {
  spec::Order order;
  std::int64_t reached = 0;                     // defined from the first size up to here
  std::string stopped;                          // why not further; empty if at `longest`
  std::string stopped_reason = "unknown_rule";  // of a Refused, if one ended it
};

class Engine {
 public:
  // Infers the family `source` for the lengths first..longest. depth: searches for pieces nest.
  Engine(Source& source, std::int64_t first, std::int64_t longest, int depth = 0);
  Found run();

 private:
  struct Choice {
    Hypothesis hypothesis;
    std::int64_t reach = 0;
  };

  // ---- engine.cpp ----
  void search();
  bool add_regime();
  void collect(std::vector<Hypothesis> hypotheses);
  const Choice* best() const;
  std::vector<std::int64_t> windows() const;
  bool shorten(Choice& choice, std::int64_t wrong);
  bool accept(Choice choice);
  std::int64_t distance_of_borders() const;
  void fill_gap(std::int64_t lo, std::int64_t hi, std::int64_t base);
  bool append_explicit(spec::Order& order, std::int64_t lo, std::int64_t hi);
  Hypothesis open_ended(spec::Rule rule, std::int64_t base) const;
  std::vector<Hypothesis> loops(std::int64_t base);

  // ---- cheap_splits.cpp: rules whose pieces are contiguous, found without a reveal ----
  std::optional<std::int64_t> split_at(std::int64_t n, std::int64_t m);
  std::vector<std::int64_t> spine(std::int64_t n, std::int64_t h);
  std::vector<spec::Rule> split_rules(std::int64_t base);
  std::optional<spec::Rule> lone_summand() const;
  std::vector<Hypothesis> cheap_splits(std::int64_t base);
  std::optional<Hypothesis> with_known(const spec::Rule& rule, const spec::Order& known,
                                       std::int64_t base);
  std::optional<Hypothesis> with_children(spec::Rule rule, const spec::Child& left,
                                          const spec::Child& right, std::int64_t base,
                                          spec::NodeFormat format);
  bool fits_points(const Hypothesis& hypothesis);

  // ---- bit_folds.cpp: lanes that are folded by halves ----
  std::vector<Hypothesis> bit_folds(std::int64_t base);
  spec::Leaf leaf_of_lanes(std::int64_t lanes);

  // ---- sub_families.cpp: families of pieces and of prefixes ----
  std::vector<Hypothesis> new_pieces(std::int64_t base);
  std::vector<Hypothesis> beside_one(std::int64_t base);
  std::optional<Hypothesis> with_pieces(const spec::Rule& rule, std::int64_t base,
                                        std::int64_t from);
  bool stands_alone(std::int64_t n, bool first);
  std::vector<Hypothesis> from_prefix();

  // ---- going_on.cpp: blocks that go on from the sum before them ----
  std::vector<Hypothesis> going_on(std::int64_t base);

  // ---- lanes.cpp: lanes whose leaves have an order of their own ----
  std::vector<Hypothesis> lanes(std::int64_t base);
  std::vector<Hypothesis> lanes_of_width(std::int64_t width, std::int64_t base);

  // ---- passes.cpp: sums of windows, and sums of these ----
  std::vector<Hypothesis> passes(std::int64_t base);
  std::vector<Hypothesis> passes_in_tree(std::int64_t base);

  // ---- remainders.cpp ----
  std::vector<Hypothesis> remainders(std::int64_t base);
  bool rests_agree(const Hypothesis& hypothesis, std::int64_t base, std::int64_t m);

  Source& source_;
  std::int64_t first_, longest_;
  int depth_;
  spec::Order order_;         // what is settled: sizes first_..current_ - 1
  std::int64_t current_ = 0;  // the first size that no regime covers
  std::string stopped_, stopped_reason_ = "unknown_rule";
  std::vector<Choice> choices_;  // hypotheses for the regime that begins at current_
  std::set<std::int64_t> must_fit_;
  std::int64_t failure_period_ = 0;
  int refits_ = 0, short_regimes_ = 0;
  // The split points behind the last cheap_splits() and the rules that agree with them.
  std::vector<SplitPoint> points_;
  std::vector<spec::Rule> rules_;
};

// Lets later rules swallow earlier regimes that they reproduce, down to n = `first`, and joins
// neighbours with one rule. What children refer to is kept.
void absorb(spec::Order& order, std::int64_t first);

}  // namespace reprosum::reveal::generalize
