// Which tiles calls of a product take, found without calling: for code made ahead of time.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/ahead.h"
#include "kernels/matrix/order_tiles.h"

namespace reprosum::kernels {

// Sizes of products that code is made for: the small ones, those about the sides of vectors and
// tiles, and some that no cache holds. What an odd size needs beside full tiles some of them need.
const std::vector<std::int64_t>& ahead_sizes();
const std::vector<std::int64_t>& ahead_lengths();  // of sums

class NeededTiles {
 public:
  explicit NeededTiles(AheadObjects& objects) : objects_(objects) {}
  // All that calls of these sizes take, with beta and without.
  void add(const spec::Spec& spec, const spec::MatrixEntry& entry);

 private:
  template <class T>
  void add_typed(const spec::Spec& spec, const spec::MatrixEntry& entry);

  AheadObjects& objects_;
  std::map<std::tuple<std::string, OutputMode, spec::Type>, std::shared_ptr<OrderTiles>> tiles_;
};

}  // namespace reprosum::kernels
