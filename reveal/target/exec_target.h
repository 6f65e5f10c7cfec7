// exec:<command>: a program that answers probes over standard input and output.
#pragma once

#include <memory>
#include <string>

#include "reveal/target.h"

namespace reprosum::reveal {

// Throws TargetError cannot_load, protocol (no hello that we understand), timed_out or crashed.
std::unique_ptr<Target> open_exec_target(const std::string& command, const TargetOptions& options);

}  // namespace reprosum::reveal
