// The caller may run with flush-to-zero, another rounding mode or trapping exceptions; an order's
// bits are defined in the default environment only.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace reprosum::runtime {

// From construction to destruction: round to nearest, subnormals kept, exceptions masked. Then the
// caller's environment again, with the exception flags it had on entry.
class DefaultFloatEnvironment {
 public:
#if defined(__SSE2__)
  DefaultFloatEnvironment() : saved_(_mm_getcsr()) {
    // Writing another value is slow beside a short dot product, so only where something differs.
    if ((saved_ & ~kFlags) != kDefault) _mm_setcsr(kDefault);
  }
  // Not read first: a read waits for all arithmetic before it and costs more than this write.
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
#else
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr unsigned kFlags = 0x3f;      // sticky exception flags
  static constexpr unsigned kDefault = 0x1f80;  // everything masked, to nearest, no FTZ, no DAZ
  const unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace reprosum::runtime
