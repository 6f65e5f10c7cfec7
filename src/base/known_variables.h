// The variables that this project reads, so that any other name of its kind can be called a
// mistake.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "src/base/nearest.h"

namespace reprosum::base {

inline constexpr std::string_view kPrefixOfVariables = "REPROSUM_";

// A test compares the list with what the sources ask for.
inline constexpr std::array<std::string_view, 16> kKnownVariables = {
    "REPROSUM_SPEC",         "REPROSUM_ISA",          "REPROSUM_THREADS",     "REPROSUM_MODE",
    "REPROSUM_ON_UNCOVERED", "REPROSUM_ON_FORWARDED", "REPROSUM_ON_REFUSED",  "REPROSUM_TRSV",
    "REPROSUM_BACKING",      "REPROSUM_BACKING_BIND", "REPROSUM_NUM_THREADS", "REPROSUM_VERBOSE",
    "REPROSUM_LONG_SUMS",    "REPROSUM_NVRTC",        "REPROSUM_PROGRAMS",    "REPROSUM_CACHE_DIR"};

inline bool is_known_variable(std::string_view name) {
  return std::find(kKnownVariables.begin(), kKnownVariables.end(), name) != kKnownVariables.end();
}

// The one that somebody may have meant who wrote `name`; "" if none is near. Only what follows the
// prefix counts, which all have.
inline std::string nearest_variable(std::string_view name) {
  std::array<std::string_view, kKnownVariables.size()> words = kKnownVariables;
  for (std::string_view& word : words) word.remove_prefix(kPrefixOfVariables.size());
  const std::string found = nearest(name.substr(kPrefixOfVariables.size()), words);
  return found.empty() ? "" : std::string(kPrefixOfVariables) + found;
}

}  // namespace reprosum::base
