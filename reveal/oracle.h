// What the inference asks about one context: the family of trees T(n), seen only through probes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "spec/tree.h"

namespace reprosum::reveal {

// All questions take a range [lo, hi) of leaves; the others are zero, which restricts T(n) to the
// range (a node that loses a child becomes the other child). Leaves are numbered from lo.
// hi == 0 means n.
class Oracle {
 public:
  virtual ~Oracle() = default;

  // Number of leaves of the subtree at the lowest common ancestor of i and j. One call.
  virtual std::int64_t pair(std::int64_t n, std::int64_t i, std::int64_t j, std::int64_t lo = 0,
                            std::int64_t hi = 0) = 0;
  // pair(n, i, j) for every j, in one batch.
  virtual std::vector<std::int64_t> pairs(std::int64_t n, std::int64_t i,
                                          std::span<const std::int64_t> js, std::int64_t lo = 0,
                                          std::int64_t hi = 0) = 0;
  // The whole annotated tree (leaf kinds and formats included; zero leaves are not: see
  // annotate.h), canonical. Throws Refused when the answers are not those of a tree.
  virtual spec::Tree reveal(std::int64_t n, std::int64_t lo = 0, std::int64_t hi = 0) = 0;
  // Do `probes` random mask probes agree with the prediction? (A weak test: see all_nodes.h.)
  virtual bool verify(std::int64_t n, const spec::Tree& predicted, int probes, std::int64_t lo = 0,
                      std::int64_t hi = 0) = 0;
  virtual std::int64_t calls() const = 0;

  // Which summands of which sum are the q of a lane: first, first + step, ... of n.
  struct Lane {
    std::int64_t n = 0, first = 0, step = 1;
  };
  // The family of the trees of lanes: its tree of q leaves is that of the summands where(q), all
  // others being zero. nullptr: such questions are not answered. This oracle must outlive it.
  virtual std::unique_ptr<Oracle> lanes(std::function<Lane(std::int64_t)> /*where*/) {
    return nullptr;
  }
};

}  // namespace reprosum::reveal
