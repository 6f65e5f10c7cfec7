// A function of the caller's process as a target.
#pragma once

#include "reprosum/capture.h"
#include "reveal/capture.h"
#include "src/capture/caller_desk.h"

namespace reprosum::capture {

// Opens targets that call the function at the desk: on the thread that serves there. Both must
// outlive them.
// @throws runtime::BadArgument: the function has no name, no call or no routine, or facts that are
// no lines of NAME=VALUE.
reveal::TargetFactory caller_targets(const reprosum_function& function, CallerDesk& desk);

}  // namespace reprosum::capture
