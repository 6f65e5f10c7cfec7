// Random updates: data on which two placements of alpha and C give different bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reveal/check/random_data.h"
#include "reveal/matrix/cell_target.h"
#include "reveal/matrix/class_order.h"

namespace reprosum::reveal {

// What alpha and beta are.
enum class Scalar : std::uint8_t { random, one, minus_one, zero };
double draw(Scalar kind, spec::Type type, FastRandom& random);

// `rows` outputs at k in the packing of the class. The outputs C are of the size of the sums, every
// second one cancels alpha times its sum; with special data some are Inf or NaN.
UpdateRows random_update(CellTarget& cells, spec::Type type, std::int64_t k, std::int64_t rows,
                         Data kind, double alpha, double beta, FastRandom& random);

// Sums of ordinary size that alpha makes zeros, onto a C of -0: signs tell whether alpha is fused
// with a +0. The last products of every second row are -0: so do they whether groups start at +0.
UpdateRows underflowing_update(CellTarget& cells, spec::Type type, std::int64_t k,
                               std::int64_t rows, FastRandom& random);

// What a target answered.
struct Observation {
  UpdateRows data;
  std::vector<double> outputs;
};
// Every product is -0, or +0; C is 1, or a NaN, which nobody reads, where beta is zero.
UpdateRows zero_update(CellTarget& cells, std::int64_t k, std::int64_t rows, double zero,
                       double alpha, double beta);
Observation observe(CellTarget& cells, UpdateRows data);
std::vector<Observation> observe(CellTarget& cells, std::vector<UpdateRows> data);

// The observation of one row.
Observation single(const Observation& seen, std::int64_t row);
// What the target was asked and answered in a single observation, in full where it is short.
std::string about(CellTarget& cells, const Observation& one);

// The first row at which the replay differs in its bits, or -1. A replay that is not defined at
// this k differs.
std::int64_t first_difference(const Observation& seen, const spec::Order& order, spec::Type type,
                              spec::MatrixClass::BetaZero beta_zero,
                              spec::MatrixClass::AlphaZero alpha_zero);

}  // namespace reprosum::reveal
