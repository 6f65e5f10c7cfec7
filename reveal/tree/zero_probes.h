// Inputs whose outputs are zeros of either sign, and the sizes at which they tell placements apart.
#pragma once

#include <cstdint>
#include <vector>

#include "reveal/target.h"
#include "reveal/tree/random.h"
#include "spec/order.h"

namespace reprosum::reveal {

// One operand of a call; the other is `other` everywhere.
struct ZeroProbes {
  double other = 1;
  std::vector<std::vector<double>> values;  // n each
};

// -0 products, products that underflow to -0, some +0 among them: uniform, by residue class of
// `block`, one leaf apart, and at random.
ZeroProbes zero_probes(const Call& call, std::int64_t n, std::int64_t block, Random& random);

// Where subnormal numbers become zero, a +0 may do so, and takes the sign: a few summands around
// the least normal number among -0, or all of them.
void add_tiny_probes(const Call& call, std::int64_t n, Random& random, ZeroProbes& probes);

// Sizes of regime k: its ends, every case of a loop at several q, or (at most 2^20) samples.
std::vector<std::int64_t> zero_probe_sizes(const spec::Order& order, std::size_t k, Random& random);

}  // namespace reprosum::reveal
