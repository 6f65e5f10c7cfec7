// The program of a sum or dot product: one loop or set of explicit trees of an order.
#pragma once

#include <string>

#include "kernels/plan/plan.h"
#include "kernels/program/program.h"
#include "spec/spec.h"

namespace reprosum::kernels::program {

// A single call:  T name(const T* x, const T* y, int64_t n)   (double if the plan is wide)
// With strides:   T name(const T* x, int64_t incx, const T* y, int64_t incy, int64_t n)
//                 x and y point at the first summand, whatever the sign of the increments
// A batch:        void name(const T* x, int64_t ldx, const T* y, int64_t ldy, int64_t n, T* out)
//                 for exactly `rows` rows; shared_y: every row reads y itself.
struct FunctionShape {
  std::string name;
  int rows = 0;  // 0: a single call
  bool shared_y = false;
  bool strided = false;
  bool unrolled = true;  // loops of several iterations a turn, where that is faster
  bool update = false;   // one output of a matrix update: alpha, beta, c are arguments
};

// vector_bits: of the vectors that the loops are made for.
Program lower_rule(const RulePlan& plan, spec::Routine routine, spec::Type type,
                   const FunctionShape& shape, unsigned vector_bits);

}  // namespace reprosum::kernels::program
