// Triangular systems by sums kept as pairs of doubles with a proven bound.
#pragma once

#include <cstdint>

#include "src/exact/solve/triangular.h"

namespace reprosum::exact {

// What `substitute` gives, or `solve_certified` where all its components are certain; false, with b
// as it was, where there is no fast way. @pre the default floating-point environment
template <class T>
bool substitute_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b);
template <class T>
bool solve_certified_fast(const Kernels* kernels, const Triangular<T>& system, View<T> b);

}  // namespace reprosum::exact
