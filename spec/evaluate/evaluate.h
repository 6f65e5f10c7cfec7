// The reference interpreter: any order, boring and obviously right. Every test's referee.
#pragma once

#include <cstdint>

#include "spec/order.h"
#include "spec/tree.h"

namespace reprosum::spec {

// T is float (narrow f32, wide f64) or double (narrow f64; a wide node is a UserError: there is no
// wider format). y == nullptr means sum. x and y point at summand 0 and are read at k*incx, k*incy
// with any sign; so for a negative increment the caller passes the address of the logical first
// element. The result is rounded to T. Rounding mode and flags are the caller's (round to nearest).
template <class T>
T evaluate(const Tree& tree, const T* x, std::int64_t incx, const T* y, std::int64_t incy);

// The same value without building the tree: walks rules and schemas. n >= 1. No deep recursion.
// Throws UserError if the order is not defined at n.
template <class T>
T evaluate(const Order& order, std::int64_t n, const T* x, std::int64_t incx, const T* y,
           std::int64_t incy);

}  // namespace reprosum::spec
