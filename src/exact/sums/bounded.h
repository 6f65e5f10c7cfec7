// Sums and dot products by rounded arithmetic whose error is bounded: the cheapest way, and the
// first to be tried. It gives the result where the bound leaves but one.
#pragma once

#include <cstdint>

#include "src/exact/sums/interval.h"
#include "src/exact/sums/kernels.h"

namespace reprosum::exact {

// False, and `result` is left alone, if the terms do not decide the result this way: NaN,
// infinities, sizes out of range, a result that is zero, too much cancellation.
// The pointers are to element 0. @pre n > 0, and the default floating-point environment
template <class T>
bool bounded_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, T& result);

template <class T>
bool bounded_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, T& result);

// Do the exponents of some terms of a long vector differ so much that, should the bound not decide,
// only buckets would do? They take little more time than memory, less than both ways one after the
// other; where a vector lies in a cache, the bound is far cheaper.
template <class T>
bool better_in_buckets(std::int64_t n, const T* x, std::int64_t incx);

// The same without the question: `sum` grows by an interval around the exact sum. False, and it is
// left alone, if no bound is found.
template <class T>
bool bracket_sum(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx,
                 Interval& sum);

template <class T>
bool bracket_dot(const Kernels& kernels, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                 std::int64_t incy, Interval& sum);

}  // namespace reprosum::exact
