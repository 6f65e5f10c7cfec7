// Random valid orders: every construct of the language, not necessarily defined trees.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::spec {

class RandomOrders {
 public:
  explicit RandomOrders(std::uint64_t seed) : random_(seed) {}

  Order order(int depth = 0);
  Schema schema();
  Spec spec();

 private:
  std::int64_t between(std::int64_t lo, std::int64_t hi);
  bool chance(int percent) { return between(1, 100) <= percent; }
  std::string name();
  Linear linear();
  Item item(std::int32_t chains, Format format);
  Child child(const Order& order);
  Rule rule(const Order& order, std::int64_t lo, std::int64_t hi);
  Guard guard(Routine routine);

  std::mt19937_64 random_;
};

}  // namespace reprosum::spec
