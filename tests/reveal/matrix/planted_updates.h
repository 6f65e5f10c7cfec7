// How libraries compute one output, written out by hand. T is float or double.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/reveal/matrix/planted_product.h"

namespace reprosum::reveal::test {

struct PlantedUpdate {
  std::string name;
  spec::Routine routine = spec::Routine::gemm;
  spec::Type type = spec::Type::f64;
  ElementFunction element;
  spec::MatrixClass::BetaZero beta_zero = spec::MatrixClass::BetaZero::store;
  spec::MatrixClass::AlphaZero alpha_zero = spec::MatrixClass::AlphaZero::skip;
};

// Every kind of update that real libraries were seen to do.
std::vector<PlantedUpdate> planted_updates();

}  // namespace reprosum::reveal::test
