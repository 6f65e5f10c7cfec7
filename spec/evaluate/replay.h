// The interpreter on summands that are given as doubles, whatever the type is.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/evaluate_type.h"
#include "spec/spec.h"
#include "src/base/thread_object.h"

namespace reprosum::spec {

// Value of the order on n logical summands given as doubles, each a number of the type's inputs.
inline double replay(const Order& order, Type type, std::int64_t n, const double* x,
                     const double* y) {
  if (!is_native(type)) return evaluate_in(type, order, n, x, y);
  if (is_f64(type)) return evaluate<double>(order, n, x, 1, y, 1);
  struct Floats {
    std::vector<float> xs, ys;
  };
  auto& [xs, ys] = base::of_this_thread<Floats>();
  xs.assign(x, x + n);
  if (y != nullptr) ys.assign(y, y + n);
  return static_cast<double>(
      evaluate<float>(order, n, xs.data(), 1, y != nullptr ? ys.data() : nullptr, 1));
}

}  // namespace reprosum::spec
