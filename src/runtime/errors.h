// The two user errors of a replay that callers tell apart.
#pragma once

#include "spec/error.h"

namespace reprosum::runtime {

// The arguments of a call cannot be, whatever the spec: null with n > 0, a negative n, ...
struct BadArgument : UserError {
  using UserError::UserError;
};

// The arguments are fine, but the spec does not say what the captured library does with them.
struct NotCovered : UserError {
  using UserError::UserError;
};

}  // namespace reprosum::runtime
