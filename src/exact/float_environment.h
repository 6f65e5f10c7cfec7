// The vector kernels need rounding to nearest and subnormal numbers, raise flags, and read one.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace reprosum::exact {

// From construction to destruction: the default environment, without the underflow
// flag. Then the caller's again,
// with the flags it had.
class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    // Rarely needed, and slow straight after the read.
    if ((saved_ & ~kOtherFlags) != kDefault) _mm_setcsr(kDefault);
    asm volatile("" ::: "memory");  // terms are read, and so converted, after this
  }
  ~FloatEnvironment() { _mm_setcsr(saved_); }

  // Was a result rounded below the normal numbers since this was last asked? The kernels are called
  // through pointers, so that no compiler moves their arithmetic over the question.
  bool underflowed() {
    if ((_mm_getcsr() & kUnderflow) == 0) return false;
    _mm_setcsr(kDefault);
    return true;
  }

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all masked, to nearest, no FTZ, no DAZ
  static constexpr unsigned kUnderflow = 0x10;
  static constexpr unsigned kOtherFlags = 0x3f & ~kUnderflow;
  const unsigned saved_;
#else
  FloatEnvironment() = default;
  bool underflowed() { return true; }  // no kernels here
#endif

 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
};

}  // namespace reprosum::exact
