// Which kernel replays a context, and what of it is not generated code.
#pragma once

#include <string>

#include "bench/replay_calls.h"
#include "reveal/target.h"
#include "spec/order.h"

namespace reprosum::bench {

struct RanKernel {
  std::string name, isa;  // reprosum_kernel_name's
  // Which calls the interpreter serves all the same and why, "" if none. The C API's isa says only
  // that some piece of the order is generated. "" too where the interpreter was asked for, or the
  // host has nothing else.
  std::string left_out;
};

// The kernel that the handle's threads and instruction set give for the call (n, increments and
// addresses included), whose order is `order`.
RanKernel kernel_of(const Handle& handle, const reveal::Call& call, const spec::Order& order);

}  // namespace reprosum::bench
