// Work that needs more stack than a caller may have, and an environment that is not his.
#pragma once

#include <functional>

namespace reprosum::capture {

// Runs job() on a thread of its own and waits for it: 16 MiB of stack, the default floating-point
// environment, all signals blocked, so that the program's handlers run in its own threads. Where no
// thread can be had, on this one. What job() throws comes out.
void on_own_thread(const std::function<void()>& job);

// The same; meanwhile() runs on this thread while the other works, and must come back soon after
// job() has. Throws EnvironmentError where no thread can be had, and runs neither.
void on_own_thread(const std::function<void()>& job, const std::function<void()>& meanwhile);

}  // namespace reprosum::capture
