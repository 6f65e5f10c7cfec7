// Whether the walk of an order has room on the caller's stack.
#pragma once

#include <cstddef>

#include "kernels/compile_thread.h"
#include "spec/order.h"

namespace reprosum::kernels {

// Bytes that a walk of the order takes at most: chains name chains, and lanes have orders of their
// own, whose values are as wide as a block of lanes. What a spec may nest needs more than a small
// stack has.
std::size_t stack_of_walk(const spec::Order& order);
// The same of spec::interpret_rectangle(), whose values are blocks of outputs.
std::size_t stack_of_block_walk(const spec::Order& order);

// Whether so many are left to the calling thread. On a stack that is not the thread's own, as
// coroutines have, nothing is known, and the answer is yes.
bool has_stack(std::size_t bytes);

// Throws EnvironmentError: neither the calling thread nor another one has the stack.
[[noreturn]] void refuse_stack(std::size_t bytes);

// walk(), where its stack suffices: the caller's, else the compile thread's. So it takes no lock,
// and asks for no kernel.
template <class Walk>
void with_stack(std::size_t bytes, Walk&& walk) {
  if (has_stack(bytes)) return walk();
  if (on_compile_thread(walk) != JobEnd::done) refuse_stack(bytes);
}
// Throws what with_stack() would, before there is anything to lose.
inline void check_stack(std::size_t bytes) {
  with_stack(bytes, [] {});
}

}  // namespace reprosum::kernels
