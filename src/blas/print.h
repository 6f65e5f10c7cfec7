// Arguments as REPROSUM_VERBOSE prints them: numbers as numbers, vectors as addresses.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace reprosum::blas {

inline std::string printed(std::int64_t value) { return std::to_string(value); }
inline std::string printed(int value) { return std::to_string(value); }
// A Fortran letter may be any byte: one that is not printable ASCII stands as \xNN.
inline std::string printed(char value) {
  if (value > ' ' && value <= '~') return std::string(1, value);
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02x",
                static_cast<unsigned>(static_cast<unsigned char>(value)));
  return text;
}
inline std::string printed(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}
inline std::string printed(float value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}
inline std::string printed(const void* address) {
  char text[40];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

template <class First, class... Rest>
std::string printed_list(const First& first, const Rest&... rest) {
  return (printed(first) + ... + ("," + printed(rest)));
}

}  // namespace reprosum::blas
