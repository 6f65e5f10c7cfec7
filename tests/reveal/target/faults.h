// Libraries that misbehave, and how what they cause is looked at.
#pragma once

#include <string>
#include <utility>

#include "reveal/target.h"
#include "tests/paths.h"

namespace reprosum::reveal::testing {

// The name of a target on tests/reveal/target/fake_<name>.c.
inline std::string fake(const std::string& name) {
  return std::string("blas:") + REPROSUM_BINARY_DIR + "/libfake_" + name + ".so";
}

// Reason and message of the TargetError that `action` throws.
template <typename Action>
std::pair<std::string, std::string> error_of(Action action) {
  try {
    action();
  } catch (const TargetError& error) {
    return {error.reason, error.what()};
  }
  return {"no error", ""};
}

// A library that fails at a size of 13, and what must be said of it.
struct Fault {
  const char* library;
  const char* reason;
  const char* message;
};
inline constexpr Fault kFaults[] = {{"crash", "crashed", "signal 11"},
                                    {"hang", "timed_out", "0.3 s"},
                                    {"sigill", "illegal_instruction", "signal 4"},
                                    {"exit", "crashed", "exited with status 3"}};

}  // namespace reprosum::reveal::testing
