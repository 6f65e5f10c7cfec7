// One rectangle of outputs by generated tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/matrix/class_code.h"
#include "kernels/matrix/recorded_calls.h"
#include "spec/evaluate/rectangles.h"

namespace reprosum::kernels {

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
bool run_rectangle(const ClassCode& code, const spec::MatrixArguments<T>& call,
                   const spec::Rectangle& r, Workspace& workspace, RecordedCalls<T>* record);

// Asks for the functions that run_rectangle() would call, and gives whether all are to be had. No
// operand is read or written.
template <class T>
bool prepare_rectangle(const ClassCode& code, const spec::MatrixArguments<T>& call,
                       const spec::Rectangle& r, Workspace& workspace);

}  // namespace reprosum::kernels
