// The library beside a generated kernel, in one process.
#pragma once

#include <string>

#include "bench/replay_calls.h"
#include "spec/spec.h"

namespace reprosum::bench {

// A library in this process, told to use one thread.
class SpeedPeer {
 public:
  // Throws EnvironmentError if the library cannot be loaded. Targets must have been opened before:
  // their processes are forked, and must not inherit a library that has started.
  explicit SpeedPeer(const std::string& library);

  // "1.02 / 0.97 / 1.00": time of the library / time of the handle's kernel at n = 10^3, 10^4 and
  // 10^5 and unit increments; "-" if the library lacks the symbol. @pre the handle replays 1 thread
  std::string ratios(const Handle& kernel, const spec::Entry& entry) const;

 private:
  void* library_ = nullptr;  // never closed: libraries with threads of their own do not bear it
};

}  // namespace reprosum::bench
