// The processor set to take subnormal numbers as zero while code runs that was generated for an
// order which does.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "spec/order.h"

namespace reprosum::kernels {

// From construction to destruction; for Flush::none nothing is touched. Afterwards the mode is as
// it was, and exception flags are those of before.
class Flushing {
 public:
  explicit Flushing(spec::Flush flush) : is_set_(flush != spec::Flush::none) {
#if defined(__SSE2__)
    if (!is_set_) return;
    constexpr unsigned kDenormalsAreZero = 0x0040, kFlushToZero = 0x8000;
    saved_ = _mm_getcsr();
    _mm_setcsr(saved_ | (spec::flushes_inputs(flush) ? kDenormalsAreZero : 0) |
               (spec::flushes_results(flush) ? kFlushToZero : 0));
#endif
  }
  ~Flushing() {
#if defined(__SSE2__)
    if (is_set_) _mm_setcsr(saved_);
#endif
  }
  Flushing(const Flushing&) = delete;
  Flushing& operator=(const Flushing&) = delete;

 private:
  const bool is_set_;
  unsigned saved_ = 0;
};

// What `run` gives in that mode. Nothing is done with it before the mode is as it was: a float that
// is subnormal would become zero where it is converted.
template <class T, class Run>
T run_flushing(spec::Flush flush, const Run& run) {
  if (flush == spec::Flush::none) return run();
  T value;
  {
    const Flushing flushing(flush);
    value = run();
  }
  asm volatile("" : "+m"(value));
  return value;
}

}  // namespace reprosum::kernels
