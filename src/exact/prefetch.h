// Where cache lines are asked for before they are used, and how far ahead.
#pragma once

#include <cstdint>

namespace reprosum::exact {

// As is best on this host; false while programs are being loaded. Tests set it. Intel's processors
// (family 6, model 167) take half the time for vectors out of cache where lines are asked for 2 KiB
// ahead, in several pages at a time. AMD's (family 25, model 17) foresee lines better when left
// alone: sums of 8 MB, in its third-level cache, took 1.37 times a plain sum's time, and 1.08 as
// one stream not asked for.
extern bool asks_far_ahead;

template <class T>
[[gnu::always_inline]] inline std::int64_t elements_ahead() {
  return (asks_far_ahead ? 2048 : 256) / static_cast<std::int64_t>(sizeof(T));
}
// Of each of a few rows that are read side by side.
template <class T>
[[gnu::always_inline]] inline std::int64_t row_elements_ahead() {
  return elements_ahead<T>() / 4;
}

}  // namespace reprosum::exact
