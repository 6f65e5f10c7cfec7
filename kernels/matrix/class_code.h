// A class of outputs at one k: the steps of its fold with the tiles that do them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/matrix/order_tiles.h"
#include "spec/region.h"

namespace reprosum::kernels {

struct ClassCode {
  struct Step {
    FoldStep::Kind kind = FoldStep::Kind::zero;
    std::int64_t n = 0, at = 0;
    PiecePlan piece;
    Ending ending = Ending::store;
    int rows = 0;               // that a function by rows interleaves; 0: there is none
    bool reads_output = false;  // by the plan or by the ending
    bool goes_on = false;       // from the sum so far, which is in C: beta has done its work
    std::vector<Step> steps{};  // of a sum that is made apart
  };
  std::shared_ptr<const OrderTiles> tiles;
  std::vector<Step> steps;
  std::string why;  // why the interpreter must do it; empty: it need not
};

ClassCode class_code(std::shared_ptr<const OrderTiles> tiles, std::int64_t k, OutputMode mode);

// How an output of beta enters the order: what beta = 0 does is the class's.
template <class T>
OutputMode output_mode(spec::MatrixClass::BetaZero rule, T beta);

}  // namespace reprosum::kernels
