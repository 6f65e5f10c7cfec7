// How often an instruction stands in an assembly listing.
#pragma once

#include <iterator>
#include <regex>
#include <string>

namespace reprosum::kernels::test {

inline std::size_t count(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()));
}

inline constexpr const char* kFused = "vf(n)?m(add|sub)[0-9]*[ps][sd]";
inline constexpr const char* kMultiply = "vmul[ps][sd]";

}  // namespace reprosum::kernels::test
