// Which tiles calls of a product take, found without calling: for code made ahead of time.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/ahead.h"
#include "kernels/matrix/class_code.h"

namespace reprosum::kernels {

// Sizes of products that code is made for: the small ones, those about the sides of vectors and
// tiles, and some that no cache holds. What an odd size needs beside full tiles some of them need.
const std::vector<std::int64_t>& ahead_sizes();
const std::vector<std::int64_t>& ahead_lengths();  // of sums

class NeededTiles {
 public:
  // shapes: of products; none: every m and n of ahead_sizes() with every k of ahead_lengths(). gemv
  // has those whose n is 1.
  NeededTiles(AheadObjects& objects, std::vector<spec::Shape3> shapes);
  // All that calls of the entry of these shapes take, with beta and without.
  void add(const spec::Spec& spec, const spec::Entry& entry);
  // Throws UserError if no entry that was added covers one of the shapes that were asked for.
  void check_covered() const;

 private:
  template <class T>
  void add_typed(const spec::Spec& spec, const spec::Entry& entry);
  ClassCode code_of(const spec::Spec& spec, std::size_t order, spec::Type type, OutputMode mode,
                    std::int64_t k);

  AheadObjects& objects_;
  const bool is_asked_;  // for these shapes, and not for the usual ones
  const std::vector<spec::Shape3> shapes_;
  std::vector<bool> is_covered_;
  std::map<std::tuple<std::string, OutputMode, spec::Type>, std::shared_ptr<OrderTiles>> tiles_;
};

}  // namespace reprosum::kernels
