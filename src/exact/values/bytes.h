// An accumulator as bytes, the same on every machine; README.md has the layout.
#pragma once

#include <cstddef>

#include "src/exact/values/accumulator.h"

namespace reprosum::exact {

inline constexpr std::size_t kHeaderBytes = 8;

// 88 for float, 544 for double.
template <class A>
constexpr std::size_t kSavedBytes = kHeaderBytes + 8 * Accumulator<A>::kWords;

// Writes kSavedBytes<A> bytes.
template <class A>
void save(const Accumulator<A>& accumulator, unsigned char* bytes);

// The type that saved bytes speak of: 0 float, 1 double. Null if they are fit to be loaded as that
// type, else why they are not; *type is -1 if they do not say.
const char* check_saved(const unsigned char* bytes, std::size_t size, int* type);

// @pre check_saved said null and this type
template <class A>
void load(const unsigned char* bytes, Accumulator<A>& accumulator);

}  // namespace reprosum::exact
