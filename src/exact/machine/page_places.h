// Where in a page numbers are stored while others are read.
#pragma once

#include <cstdint>

namespace reprosum::exact {

inline constexpr std::int64_t kPage = 4096 / sizeof(double);

// The first place from `from` on that is, counted in elements and but for whole pages, `quarters`
// of a page behind a column: fewer than kPage numbers on. A processor takes a number that is read
// for one just stored where both lie at the same place of a page, and waits; columns are often
// whole pages apart, and memory that was given out in whole pages begins where they do.
template <class T>
double* behind(const T* column, std::int64_t quarters, double* from) {
  const auto index = [](const auto* p) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p) / sizeof(*p));
  };
  return from + ((index(column) + quarters * (kPage / 4) - index(from)) & (kPage - 1));
}

}  // namespace reprosum::exact
