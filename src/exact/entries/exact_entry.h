// One entry of a product, by an exact sum.
#pragma once

#include "src/exact/entries/view.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// Rounded once. @pre alpha != 0, k > 0, the default floating-point environment
template <class T>
T exact_entry(const Kernels* kernels, const Product<T>& call, std::int64_t i, std::int64_t j);

}  // namespace reprosum::exact
