#include "src/exact/entries/exact_entry.h"

#include "src/exact/sums/total.h"
#include "src/exact/values/float_bits.h"
#include "src/exact/values/triple.h"

namespace reprosum::exact {

template <class T>
T exact_entry(const Kernels* kernels, const Product<T>& call, std::int64_t i, std::int64_t j) {
  const T* const row = call.a.first + i * call.a.row;
  const T* const column = call.b.first + j * call.b.column;
  const Accumulator<double> sum =
      total_of_products(kernels, call.k, row, call.a.column, column, call.b.row);
  const T* const c = is_zero(call.beta) ? nullptr : &call.c.at(i, j);
  return scaled_sum(call.alpha, sum, call.beta, c, call.k, row, call.a.column, column, call.b.row);
}

template float exact_entry(const Kernels*, const Product<float>&, std::int64_t, std::int64_t);
template double exact_entry(const Kernels*, const Product<double>&, std::int64_t, std::int64_t);

}  // namespace reprosum::exact
