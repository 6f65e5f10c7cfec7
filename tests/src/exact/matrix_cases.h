// Matrices for tests of gemm.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "tests/src/exact/routine_cases.h"

namespace reprosum::exact::testing {

// Entries of like size; some lines scaled, some with one giant, some with huge ranges, some whose
// products cancel in pairs; and, rarely, special values.
template <class T>
std::vector<T> matrix(std::int64_t lines, std::int64_t depth, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<T> all;
  const int most = Format<T>::kDouble ? 700 : 60;
  for (std::int64_t i = 0; i < lines; ++i) {
    const std::uint64_t kind = random() % 8;
    const int scale =
        kind == 1 ? static_cast<int>(random() % static_cast<unsigned>(2 * most)) - most : 0;
    for (std::int64_t l = 0; l < depth; ++l) {
      double x = std::ldexp(normal(random), scale);
      if (kind == 2 && l == depth / 2) x = std::ldexp(x, most / 8);
      if (kind == 3) x = std::ldexp(x, static_cast<int>(random() % 60));
      if (kind == 4) x = std::nearbyint(x * 16);
      if (kind == 5 && l > 0) x = (l % 2 != 0 ? -1 : 1) * static_cast<double>(all.back());
      if (kind == 6) x = x < 0 ? -1 : 1;
      if (kind == 7 && random() % 64 == 0) x = static_cast<double>(any_bits<T>(random));
      all.push_back(static_cast<T>(x));
    }
  }
  return all;
}

}  // namespace reprosum::exact::testing
