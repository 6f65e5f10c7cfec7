// The rows of bench_exact on threads.
#pragma once

namespace reprosum::bench {

// One thread's time over that of several, and whether their bits are equal. False if some are not.
bool exact_thread_rows();

}  // namespace reprosum::bench
