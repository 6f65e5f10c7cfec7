// An order as C11: its pieces, and the walk through regimes, splits and parts around them.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "kernels/plan/fold.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels::text {

// Functions of the walk that the text has to define first: cut_half_up, length_even, ...
using Helpers = std::set<std::string>;
std::string c_helpers(const Helpers& helpers, spec::Type type);

// static double NAME(int64_t n, const T *x, int64_t incx, const T *y, int64_t incy): the order of n
// summands, x and y pointing at the first one, for the n up to `most` that the order covers. Every
// function has the text of its regime in the spec's notation before it. Throws UserError, with what
// cannot be printed, for lanes that a sub-order adds, padded loops that are not linear in n, blocks
// over 4096, chains of pieces that begin at the right end, pieces that may have no order, and
// orders that flush subnormal numbers.
std::string c_order(const spec::Order& order, std::int64_t most, spec::Routine routine,
                    spec::Type type, const std::string& name, Helpers& helpers);

// The same for one output of a matrix update, with the further arguments T alpha, T beta, T c.
// `order` is that of the mode: with_output(). Throws UserError besides for wide values.
std::string c_update(const spec::Order& order, std::int64_t most, spec::Type type, OutputMode mode,
                     const std::string& name, Helpers& helpers);

}  // namespace reprosum::kernels::text
