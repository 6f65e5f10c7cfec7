// Random valid orders: every construct of the language, not necessarily defined trees; those of
// matrix updates only where asked for.
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
  Order update();  // may use outputs and scales
  Order fused();   // may have nodes that fuse several terms
  // The order with outputs and scales put at random: the sums stay.
  Order as_update(Order order);
  Schema schema();
  Spec spec();

 private:
  std::int64_t between(std::int64_t lo, std::int64_t hi);
  bool chance(int percent) { return between(1, 100) <= percent; }
  std::string name();
  Linear linear();
  Item item(std::int32_t chains, NodeFormat format);
  Scale scale_of(const Shape& shape);
  Skip skip_of(const Shape& shape);
  Order block();
  Child child(const Order& order);
  Rule rule(const Order& order, std::int64_t lo, std::int64_t hi);
  Guard guard(Routine routine);

  std::mt19937_64 random_;
  bool is_update_ = false, may_fuse_ = false;
};

}  // namespace reprosum::spec
