// One rectangle of outputs by generated tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/matrix/order_tiles.h"
#include "kernels/matrix/recorded_calls.h"
#include "kernels/matrix/rectangles.h"

namespace reprosum::kernels {

// A class at one k, ready to run.
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

// Memory of one worker, kept between rectangles and calls.
class Workspace {
 public:
  template <class T>
  T* get(int which, std::size_t count);
  std::vector<std::pair<TileShape, TileFunction>> functions;  // that a rectangle has asked for

 private:
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> memory_[4];
  std::size_t bytes_[4] = {};
};

// False, with nothing done, if a function that it takes is not to be had: then the interpreter has
// to do. What is done is told to `record`, unless that is nullptr.
// @pre code.why is empty; alpha != 0 or the class computes with it.
template <class T>
bool run_rectangle(const ClassCode& code, const MatrixArguments<T>& call, const Rectangle& r,
                   Workspace& workspace, RecordedCalls<T>* record);

// Asks for the functions that run_rectangle() would call, and gives whether all are to be had. No
// operand is read or written.
template <class T>
bool prepare_rectangle(const ClassCode& code, const MatrixArguments<T>& call, const Rectangle& r,
                       Workspace& workspace);

}  // namespace reprosum::kernels
