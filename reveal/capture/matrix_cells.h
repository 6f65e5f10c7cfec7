// Where to look for the outputs of one class: a cheap shape of its regime at every k.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reveal/matrix/class_order.h"
#include "reveal/region.h"
#include "reveal/target.h"

namespace reprosum::reveal {

// Shapes and cells of one class of a learned regime.
class ClassCells {
 public:
  // `before`: regimes that decide first; their shapes are not looked at.
  ClassCells(const Call& context, const LearnedRegime& regime, std::int32_t output_class,
             const spec::Shape3& largest, std::span<const LearnedRegime> before = {});

  // nullopt where no shape that is looked at has the class.
  std::optional<Cells> at(std::int64_t k) const;
  // The least k at which a shape that is looked at has the class. Nothing is known of fewer
  // summands.
  std::int64_t k_min() const { return k_min_; }
  // The largest k of the regime at which the class is there, at most largest.k.
  std::int64_t k_max() const { return k_max_; }

 private:
  struct Candidate {
    std::int64_t m = 0, n = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  };
  const Candidate* find(std::int64_t k) const;

  Call context_;
  LearnedRegime regime_;
  std::vector<std::vector<spec::Atom>> before_;  // guards
  std::int32_t class_;
  std::vector<Candidate> candidates_;  // cheapest per cell first
  bool uses_edges_ = false;            // no other shape has the class
  std::int64_t k_min_ = 1, k_max_ = 0;
};

}  // namespace reprosum::reveal
