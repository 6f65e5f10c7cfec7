// Many terms into an accumulator. Increments are counted from the first logical element, and may
// have any sign or be zero.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/exact/values/carry_save.h"

namespace reprosum::exact {

// Element 0 of a BLAS vector, whose pointer is the lowest address. @pre n > 0
template <class T>
const T* first_element(const T* x, std::int64_t n, std::int64_t increment) {
  return increment < 0 ? x - (n - 1) * increment : x;
}

namespace detail {

// Fewer terms than this are cheaper one by one than the emptying of a block.
inline constexpr std::int64_t kShort = 24;

template <class A, class One>
void add_terms(Accumulator<A>& target, std::int64_t n, One&& one) {
  if (n < kShort) {
    for (std::int64_t i = 0; i < n; ++i) one(target, i);
    return;
  }
  CarrySave<A> block;
  for (std::int64_t begin = 0; begin < n; begin += CarrySave<A>::kMostTerms) {
    const std::int64_t end = std::min(n, begin + CarrySave<A>::kMostTerms);
    for (std::int64_t i = begin; i < end; ++i) one(block, i);
    block.flush(target);
  }
}

}  // namespace detail

template <class A, class T>
void add_values(Accumulator<A>& target, std::int64_t n, const T* first, std::int64_t increment) {
  detail::add_terms(target, n, [=](auto& sum, std::int64_t i) { sum.add(first[i * increment]); });
}

template <class A, class T>
void add_products(Accumulator<A>& target, std::int64_t n, const T* first_x, std::int64_t incx,
                  const T* first_y, std::int64_t incy) {
  detail::add_terms(target, n, [=](auto& sum, std::int64_t i) {
    sum.add_product(first_x[i * incx], first_y[i * incy]);
  });
}

}  // namespace reprosum::exact
