// Which calls an entry is for, as conditions of C.
#pragma once

#include <string>
#include <vector>

#include "spec/spec.h"

namespace reprosum::kernels::text {

std::string c_upper(std::string prefix);
std::string c_threads(const std::vector<int>& threads);
std::string c_increments(const std::vector<spec::Increments>& increments, bool has_y);
// The calls of an entry: for sum and dot with n > 0; for gemv and gemm after c_problem(), without
// shapes and data.
std::string c_condition(const spec::Entry& entry);
// The most summands of calls of the routine that have the order.
std::int64_t longest(const spec::Spec& spec, spec::Routine routine, spec::Type type,
                     std::size_t order);
// Whether an order is defined at k, as an expression.
std::string c_covered(const spec::Order& order);
// `problem p`, `here` (addresses) and m, n, k of the call, from BLAS's arguments.
std::string c_problem(spec::Routine routine, spec::Type type, const std::string& upper);
// A call without summands; for gemv and gemm after c_problem().
std::string c_empty(const spec::EmptyRule& rule, const std::string& upper);

}  // namespace reprosum::kernels::text
