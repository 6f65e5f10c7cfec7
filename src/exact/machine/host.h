// Loops that the compiler makes vector code of, once for each level of this machine's instructions.
#pragma once

namespace reprosum::exact {

namespace detail {

// By value, so that the compiler sees that the loops' stores do not change the body's own numbers.
template <class Body>
[[gnu::noinline]] void run_plain(Body body) {
  body();
}
#if defined(__x86_64__)
template <class Body>
[[gnu::noinline, gnu::target("avx2,fma")]] void run_avx2(Body body) {
  body();
}
template <class Body>
[[gnu::noinline, gnu::target("avx512f,avx512dq,fma")]] void run_avx512(Body body) {
  body();
}
#endif

}  // namespace detail

// Runs body(), a lambda that is always_inline and captures by value, compiled for a machine whose
// vectors have that many doubles (1: any machine).
template <class Body>
void run_vectorized([[maybe_unused]] int lanes, Body body) {
#if defined(__x86_64__)
  if (lanes == 8) return detail::run_avx512(body);
  if (lanes == 4) return detail::run_avx2(body);
#endif
  detail::run_plain(body);
}

}  // namespace reprosum::exact

#define REPROSUM_INLINED __attribute__((always_inline))
