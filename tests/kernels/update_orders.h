// Orders of matrix updates and region maps for the tests: those of real libraries, written by hand
// from measured formulas, and random ones.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "spec/region.h"
#include "spec/spec.h"

namespace reprosum::kernels::test {

struct NamedUpdate {
  std::string name;
  spec::Type type = spec::Type::f64;
  std::string text;
  bool generated = true;  // must not be left to the interpreter
};

// Families met in real libraries: a chain per K block folded onto the output, interleaved
// accumulators, dot-like lanes, groups of columns chained onto the output.
std::vector<NamedUpdate> library_updates();

// Any of the places of alpha and of the output, k = 1..5000.
NamedUpdate random_update(std::mt19937_64& random, spec::Type type);

// A regime whose `classes` classes follow orders 0..classes-1, over rows and columns of random
// types; every size up to `size`.
spec::MatrixRegime random_regime(std::mt19937_64& random, std::size_t classes, std::int64_t size);

// The map of one shape with one class everywhere.
spec::MatrixRegime uniform_regime(spec::MatrixClass kind, std::int64_t size);

}  // namespace reprosum::kernels::test
