// Kernels made for another machine, the calls that are made of them there, and the bits that these
// must give: those of this machine's interpreter and tiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ahead.h"
#include "kernels/matrix/order_tiles.h"
#include "kernels/plan/pieces.h"
#include "spec/order.h"
#include "spec/spec.h"
#include "tests/kernels/cross_rows.h"

namespace reprosum::kernels::test {

struct CrossCase {
  CrossRow row{};
  std::string name, function;
  std::vector<std::uint64_t> wanted;
};

// On the compile thread.
class CrossCases {
 public:
  explicit CrossCases(Isa isa) : ahead_(isa) {}

  // Each piece of a sum or dot product, alone: single calls, with increments, in batches.
  void add(const std::string& name, const spec::Order& order, spec::Routine routine,
           spec::Type type);
  // Tiles, functions by rows, slices and repetitions of each piece of an update at these n.
  void add_update(const std::string& name, const spec::Order& order, spec::Type type,
                  const std::vector<std::int64_t>& lengths);

  const AheadObjects& objects() const { return ahead_; }
  const std::vector<CrossCase>& all() const { return all_; }

 private:
  struct PieceAt;
  template <class T>
  void add_sums(const std::string& name, const spec::Order& order, spec::Routine routine);
  template <class T>
  void add_functions(const std::string& name, const Piece& piece, CrossRow row,
                     const std::string& function);
  template <class T>
  void add_folds(const std::string& name, const spec::Order& order,
                 const std::vector<std::int64_t>& lengths);
  template <class T>
  void add_steps(const std::string& name, const OrderTiles& there, const OrderTiles& here,
                 const std::vector<FoldStep>& steps, const std::vector<FoldStep>& steps_here);
  template <class T>
  void add_piece(const std::string& name, const PieceAt& there, const PieceAt& here,
                 std::int64_t n);
  template <class T>
  void add_tile(const std::string& name, const PieceAt& there, const PieceAt& here, CrossRow row);

  AheadObjects ahead_;
  std::vector<CrossCase> all_;
};

}  // namespace reprosum::kernels::test
