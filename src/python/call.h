// Calls of the C API from Python: other Python threads run meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

namespace reprosum::python {

// Elements from which on a call lets other threads run: to give the lock away and take it back
// costs some tens of nanoseconds, a sum of so many elements a few hundred.
inline constexpr std::int64_t kWorthUnlocking = 2000;

template <class Call>
auto without_lock(std::int64_t elements, Call&& call) {
  if (elements < kWorthUnlocking) return std::forward<Call>(call)();
  const nanobind::gil_scoped_release unlocked;
  return std::forward<Call>(call)();
}

}  // namespace reprosum::python
