// A region map as rectangles of outputs of one class.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/evaluate/evaluate_matrix.h"
#include "spec/region.h"

namespace reprosum::spec {

struct Rectangle {
  std::int32_t kind = 0;  // index into MatrixRegime::classes
  std::int64_t row = 0, rows = 0, column = 0, columns = 0;
};

// Row stretch by row stretch; they tile the outputs. Neighbours across a stretch of rows that have
// one class are one rectangle. Throws UserError if an output is not covered.
std::vector<Rectangle> rectangles(const RegionMap& map);

// The outputs of one rectangle by the interpreter.
template <class T>
void interpret_rectangle(const MatrixClass& kind, const Order& order,
                         const MatrixArguments<T>& arguments, const Rectangle& rectangle);

}  // namespace reprosum::spec
