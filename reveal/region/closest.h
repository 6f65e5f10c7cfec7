// Which of some types known in part a function known in part belongs to.
#pragma once

#include <cstddef>
#include <vector>

namespace reprosum::reveal::region {

// The type that agrees at most places; types.size() if none does at any. agreement(type): at how
// many, -1 if they differ in one.
template <class Type, class Agreement>
std::size_t closest(const std::vector<Type>& types, Agreement&& agreement) {
  std::size_t best = types.size();
  std::ptrdiff_t most = 0;
  for (std::size_t type = 0; type < types.size(); ++type) {
    const std::ptrdiff_t common = agreement(types[type]);
    if (common <= most) continue;
    most = common;
    best = type;
  }
  return best;
}

}  // namespace reprosum::reveal::region
