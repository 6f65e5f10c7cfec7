// Random valid region rules and entries of gemv and gemm.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "spec/spec.h"

namespace reprosum::spec {

class RandomRegions {
 public:
  explicit RandomRegions(std::uint64_t seed) : random_(seed) {}

  Axis axis();  // of the types 0..2, not canonical
  MatrixRegime regime(const std::vector<Order>& orders);
  // @pre the orders are defined from 1 on.
  Entry entry(const std::vector<Order>& orders);

 private:
  std::int64_t between(std::int64_t lo, std::int64_t hi);
  Atom atom();
  Word word(std::int64_t c, std::int64_t q);
  std::int32_t type() { return static_cast<std::int32_t>(between(0, 2)); }

  std::mt19937_64 random_;
};

}  // namespace reprosum::spec
