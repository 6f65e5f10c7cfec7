// The values of a plan's nodes as values of a program: loads, shuffles and the arithmetic of nodes.
//
// One node has a value for each output that is computed together. Which of the two is a vector is
// the layout: in rows the lanes of the order are (a dot product's accumulators), in a tile the
// outputs are. Everything else is the same for both.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/program/builder.h"

namespace reprosum::kernels::program {

// The outputs that are computed together: cell (v, j) at j * vectors + v.
struct Layout {
  int vectors = 1, columns = 1;
  int outputs = 1;           // of a cell, neighbours down; more than 1 only in a tile
  bool is_tile = false;      // lanes are outputs
  bool masked = false;       // the last vector may be incomplete
  bool first_is_x = true;    // Scale::x is a factor of operand 0
  bool has_products = true;  // operand 1 exists
  bool unrolled = true;      // loops of several iterations a turn, where that is faster
  std::size_t cells() const { return static_cast<std::size_t>(vectors * columns); }
};

// The operands of a program by number; a sum has no second.
inline constexpr int kFirst = 0, kSecond = 1, kOutput = 2;

// The same lanes of the order in each cell.
struct Values {
  std::vector<Id> cells;
  int width = 1;  // lanes of the order; 1 in a tile
  bool wide = false;
};

// Where summands are: `at` of a run's iteration 0, and on from there with the loop.
struct Place {
  spec::Linear at;
  std::int64_t per_iteration = 0;
};

class ValueBuilder {
 public:
  ValueBuilder(Builder& builder, const Layout& layout);

  Builder& builder() { return b_; }
  const Layout& layout() const { return layout_; }
  std::size_t cells() const { return used_.size(); }
  unsigned bits_of(bool wide) const { return wide ? 64 : narrow_bits_; }
  ValueBuilder cell(std::size_t k) const;  // of this one alone
  // One operand is read at the same place by all outputs: then the rows have it in common.
  bool shares_second() const;

  // Lanes at offsets (ascending) from the place. Scales other than none, and outputs, are those of
  // an update, all of it narrow.
  Values leaf(spec::Leaf kind, const Place& place, const std::vector<std::int64_t>& offsets,
              spec::Scale scale = spec::Scale::none, spec::Skip skip = spec::Skip::none);
  Values fuse(spec::NodeFormat format, const Values& left, const Place& place,
              const std::vector<std::int64_t>& offsets, spec::Scale scale = spec::Scale::none,
              spec::Skip skip = spec::Skip::none);
  Values zeros(int width);
  Values add(spec::NodeFormat format, const Values& left, const Values& right,
             spec::Scale scale_of_right = spec::Scale::none);
  // The value of a node for who takes it alone: alpha times it, where its scale says so.
  Values taken(const Values& value, spec::Scale scale);
  Values sum_so_far();                     // c
  Values output();                         // beta*c
  Values fuse_output(const Values& left);  // fma(beta, c, left)
  Values convert(const Values& values, bool wide);
  void store_output(const Values& values);
  Id load(std::size_t k, int operand, const Place& place, const std::vector<std::int64_t>& offsets);

  // Lane k of the result is lane picks[k].second of *picks[k].first. All have one format.
  using Pick = std::pair<const Values*, int>;
  Values gather(const std::vector<Pick>& picks);

 private:
  struct Factors {
    std::vector<Id> first, second;  // per cell
  };
  Factors factors(const Place& place, const std::vector<std::int64_t>& offsets, spec::Scale scale,
                  spec::Skip skip);
  std::vector<Id> loaded(int operand, const Place& place, const std::vector<std::int64_t>& offsets,
                         bool scaled);
  Access output_access(std::size_t k) const;
  int down_of(std::size_t k) const;
  int across_of(std::size_t k) const { return used_[k] / layout_.vectors; }
  Values alone(const Values& values, std::size_t k) const;

  Builder& b_;
  const Layout layout_;
  unsigned narrow_bits_;
  std::vector<int> used_;  // cells
};

}  // namespace reprosum::kernels::program
