#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "src/exact/sums/capped_sums.h"

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace reprosum::exact {

#include "src/exact/machine/lanes_avx2.h"
#include "src/exact/sums/capped_sum_loops.h"

void capped_sum(const float* x, std::int64_t n, int exponent, Bracket<float>& out) {
  capped_sum_of<Avx2>(x, n, exponent, out);
}
void capped_dot(const float* x, const float* y, std::int64_t n, int exponent, Bracket<float>& out) {
  capped_dot_of<Avx2>(x, y, n, exponent, out);
}

}  // namespace reprosum::exact

#pragma GCC pop_options
