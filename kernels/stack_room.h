// Whether the walk of an order has room on the caller's stack.
#pragma once

#include <cstddef>

#include "spec/order.h"

namespace reprosum::kernels {

// Bytes that a walk of the order takes at most: chains name chains, and lanes have orders of their
// own, whose values are as wide as a block of lanes. What a spec may nest needs more than a small
// stack has.
std::size_t stack_of_walk(const spec::Order& order);

// Whether so many are left to the calling thread. On a stack that is not the thread's own, as
// coroutines have, nothing is known, and the answer is yes.
bool has_stack(std::size_t bytes);

}  // namespace reprosum::kernels
