// Pairs of orders of two specs, one of each; what was found out about a pair is kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "spec/spec.h"
#include "spec/surface.h"

namespace reprosum::spec {

// Both specs must outlive it. Orders are named by their indices.
class OrderPairs {
 public:
  OrderPairs(const Spec& a, const Spec& b) : a_(a), b_(b) {}

  // diff() of the two, searched once.
  const std::optional<OrderDifference>& difference(std::size_t x, std::size_t y);

  // Whether the trees of k summands differ: with `plain`, as they act for alpha = 1, when no place
  // of alpha changes a bit. False where one order is not defined at k, and where a tree would
  // exceed the budget of renew_budget().
  bool differ(std::size_t x, std::size_t y, std::int64_t k, bool plain);

  // The nodes at which the trees of k summands part. @pre differ(x, y, k, plain).
  std::pair<std::string, std::string> nodes(std::size_t x, std::size_t y, std::int64_t k,
                                            bool plain) const;

  // "K blocks of 448 against 320 from k = 321 (k = 321: not cut against 168 + 153)", or
  // "another order from k = 2, and K blocks of 448 against 320", or just the first half of that.
  std::string parting(std::size_t x, std::size_t y, std::int64_t k);

  void renew_budget() { spent_ = 0; }

 private:
  const Spec &a_, &b_;
  std::map<std::pair<std::size_t, std::size_t>, std::optional<OrderDifference>> differences_;
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t, bool>, bool> differ_;
  std::int64_t spent_ = 0;
};

}  // namespace reprosum::spec
