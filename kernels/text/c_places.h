// Places of a program's operands, and numbers, as expressions of C.
#pragma once

#include <string>

#include "kernels/program/program.h"

namespace reprosum::kernels::text {

// "4 * q + r - 2"
std::string c_linear(const spec::Linear& at);

// The element that a lane reads, with '@' for the lane, or "" if the lanes have no one step.
std::string c_place(const program::Program& program, const program::Access& access,
                    const std::string& counter);
// The element of lane k.
std::string c_place_of(const program::Program& program, const program::Access& access,
                       const std::string& counter, std::size_t k);

// The summand of the access that lies `offset` from its place, as an expression; "" is 0.
std::string c_index(const program::Access& access, const std::string& counter, std::int64_t offset);

// A constant that is exact: 0, -0, 1.
std::string c_number(double number, bool is_double);

}  // namespace reprosum::kernels::text
