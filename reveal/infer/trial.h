// One hypothesis and how far it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reveal/infer/source.h"
#include "spec/order.h"

namespace reprosum::reveal::generalize {

// The order so far with one more rule, open-ended, as its last regime.
struct Hypothesis {
  spec::Order order;
  std::int64_t base = 0;  // the window it was fitted on begins here
  int cost = 0;           // number of parameters and table entries
  std::string name;       // for the log
  const spec::Regime& regime() const { return order.regimes.back(); }
};

// The tree of n, or nullopt where the order is not defined.
std::optional<spec::Tree> predict(const spec::Order& order, std::int64_t n);

class Trial {
 public:
  // longest: sizes above are not looked at.
  Trial(Source& source, const spec::Order& order, std::int64_t longest)
      : source_(source), order_(order), longest_(longest) {}

  // Random probes and tail (exact where the tree is known).
  bool holds(std::int64_t n, int probes) const;
  // The same with the whole tree compared, annotations included.
  bool holds_exactly(std::int64_t n) const;

  // @pre it holds about `base`. Largest n for which it holds on [base, n], as far as probes tell.
  std::int64_t reach(std::int64_t base) const;
  // A size in [base, reach] that refutes it, or nullopt.
  std::optional<std::int64_t> refute(std::int64_t base, std::int64_t reach) const;
  // Least l >= floor such that it holds on [l, base].
  std::int64_t down(std::int64_t floor, std::int64_t base) const;
  // The distance at which failures repeat from `bad` on; 0 if none shows.
  // Where the arithmetic changes although the trees do not: the last size from `base` on whose
  // leaves are as predicted, none being so from there to `wrong`. 0: there is no such border.
  std::int64_t arithmetic_border(std::int64_t base, std::int64_t wrong) const;
  std::int64_t failure_period(std::int64_t bad) const;

 private:
  bool holds_around(std::int64_t n, std::int64_t base, std::int64_t bad) const;
  bool last_leaves_hold(std::int64_t n) const;
  // Windows of ten leaves: arithmetic, which masks do not see.
  bool windows_hold(std::int64_t n) const;
  std::int64_t last_holding(std::int64_t base, std::int64_t good, std::int64_t bad) const;
  Session& session() const { return source_.session(); }

  Source& source_;
  const spec::Order& order_;
  std::int64_t longest_;
};

}  // namespace reprosum::reveal::generalize
