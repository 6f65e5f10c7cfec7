#pragma once

#include <cstdint>

#include "src/exact/machine/prefetch.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

extern const Kernels kAvx512Kernels;  // needs AVX512F and AVX512DQ
extern const Kernels kAvx2Kernels;    // needs AVX2 and FMA

// The same as AMD's processors are best told to use them.
Kernels as_on_amd(Kernels kernels);

// Kernels::wide_sum_bracket and wide_dot_bracket by vectors of four: also where there are vectors
// of eight, which take two operations to convert. @pre AVX2 and FMA
void wide_sum_of_fours(const float* x, std::int64_t n, Bracket<float>& out);
void wide_dot_of_fours(const float* x, const float* y, std::int64_t n, Bracket<float>& out);

}  // namespace reprosum::exact
