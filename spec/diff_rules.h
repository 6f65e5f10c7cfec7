// Equality that can be seen from the rules alone, at any n and without building a tree.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "spec/order.h"

namespace reprosum::spec {

// One pair of valid orders; both must outlive it.
class RuleComparison {
 public:
  RuleComparison(const Order& a, const Order& b) : a_(a), b_(b) {}

  // true: the trees at n are equal, or neither order is defined at n. false: not known.
  bool surely_equal(std::int64_t n);

 private:
  struct Side {
    const Order* order = nullptr;
    const Rule* rule = nullptr;  // nullptr: that of the regime that holds n
    bool whole = false;          // a whole order, to which zero_start applies
  };
  struct Piece {
    Side a, b;
    std::int64_t n = 0;
  };
  bool settle(const Piece& piece, std::vector<Piece>& pending);
  static Side child_of(const Side& side, const Child& child, std::int64_t n);

  const Order& a_;
  const Order& b_;
  using Key =
      std::tuple<const Order*, const Rule*, bool, const Order*, const Rule*, bool, std::int64_t>;
  std::set<Key> equal_, different_;  // what earlier questions showed
};

}  // namespace reprosum::spec
