// Random calls of gemv and gemm and their data, for replays beside a library.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/target.h"

namespace reprosum::bench {

// Logical operands: row i of op(A) at a[i*k], column j of op(B) at b[j*k], output (i, j) at
// c[i + j*m].
struct RandomProduct {
  reveal::Call call;
  double alpha = 1, beta = 0;
  reveal::Data kind = reveal::Data::wide;
  std::vector<double> a, b, c;
};

// What calls are drawn from.
struct ProductRange {
  spec::Routine routine = spec::Routine::gemm;
  spec::Type type = spec::Type::f64;
  std::vector<spec::Increments> increments{{1, 1}};  // gemv
  std::int64_t dense = 64, largest = 600;  // sizes are mostly up to dense, seldom up to largest
  double most_work = 4e6;                  // m * n * k of most calls; a few have more
  std::vector<double> alphas{};            // empty: 0, 1, -1 and random ones
  bool any_address = true;                 // else all operands begin at one that 64 divides
};

// Every transpose and layout, sizes in 1..dense and beyond, alpha and beta of {0, 1, -1, random},
// leading dimensions with and without padding, any address.
RandomProduct draw(const ProductRange& range, reveal::FastRandom& random);

}  // namespace reprosum::bench
