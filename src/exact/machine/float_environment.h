// What computes with floats needs rounding to nearest and subnormal numbers, and raises flags; the
// vector kernels read one.
//
// The caller's MXCSR is read before and after, and written where it differs then. Writing flags
// that it does not have already costs some 100 ns on the machine in bench's table: sums that
// overflow or underflow on the way pay that.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace reprosum::exact {

// From construction to destruction: the default environment, without the underflow flag. Then the
// caller's again, with the flags it had.
class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    // Rarely needed, and slow straight after the read.
    if ((saved_ & ~kOtherFlags) != kDefault) _mm_setcsr(kDefault);
    asm volatile("" ::: "memory");  // terms are read, and so converted, after this
  }
  ~FloatEnvironment() {
    asm volatile("" ::: "memory");  // results are written, and so rounded, before this
    // A write keeps later calls from beginning before it; a read that waits does so no longer than
    // the read with which the next call begins.
    if (_mm_getcsr() != saved_) _mm_setcsr(saved_);
  }

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
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
  bool underflowed() { return true; }  // no kernels here

 private:
  std::fenv_t saved_;
#endif

 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
};

namespace detail {

template <class Body>
[[gnu::noinline]] decltype(auto) call_there(Body& body) {
  return body();
}

}  // namespace detail

// body() in the default environment. It is a function of its own, so that no compiler moves
// arithmetic on numbers that lie in registers, which knows of no environment, out of it.
template <class Body>
decltype(auto) in_default_environment(Body&& body) {
  const FloatEnvironment environment;
  return detail::call_there(body);
}

}  // namespace reprosum::exact
