// From exceptions to one line on stderr and an exit code.
#pragma once

#include <exception>

namespace reprosum::cli {

// Prints "reprosum: <kind>: <what>" to stderr, kind being usage, error (the user's), environment or
// internal, and returns kTrouble.
int report(std::exception_ptr error) noexcept;

}  // namespace reprosum::cli
