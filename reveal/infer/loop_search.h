// Loops: a period and, per residue, a linear schema.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "reveal/infer/source.h"
#include "reveal/infer/tree_store.h"
#include "spec/order.h"

namespace reprosum::reveal::generalize {

class LoopSearch {
 public:
  // Sizes from `base` on up to `longest` are looked at. `must_fit`: sizes that refuted earlier
  // rules.
  LoopSearch(Source& source, std::int64_t base, std::int64_t longest,
             std::set<std::int64_t> must_fit, std::int64_t failure_period)
      : source_(source),
        base_(base),
        longest_(longest),
        must_fit_(std::move(must_fit)),
        failure_period_(failure_period) {}

  // Loops that explain the trees about `base`, by ascending period, up to the first one that also
  // explains a tree far above.
  std::vector<spec::Loop> run();
  // The one loop of this period, or nullopt.
  std::optional<spec::Loop> run(std::int64_t period) { return fit_period(period); }

 private:
  std::vector<std::int64_t> periods();
  std::optional<spec::Loop> fit_period(std::int64_t block);
  std::optional<spec::Schema> fit_residue(std::int64_t r);
  std::optional<spec::Schema> fit_residues(std::int64_t r);
  bool pad_fits(const spec::Schema& schema);
  bool cases_fit(spec::Loop& loop, const spec::Schema& first);
  std::int64_t last_residue(const spec::Schema& schema, std::int64_t r);
  bool right(const spec::Schema& schema, std::int64_t q, std::int64_t r);
  bool loop_right(const spec::Loop& loop, std::int64_t n);
  std::optional<TreeId> tree(std::int64_t n);

  Source& source_;
  TreeStore store_;
  std::int64_t base_, longest_;
  std::set<std::int64_t> must_fit_;
  std::int64_t failure_period_;
  // For the period that is being tried: q where schemas are fitted and where residues are compared.
  std::int64_t block_ = 1, q_fit_ = 4, q_low_ = 1;
};

}  // namespace reprosum::reveal::generalize
