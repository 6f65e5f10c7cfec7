#include "spec/names.h"

#include <algorithm>

namespace reprosum::spec {

std::string unknown_fused_sum(std::string_view word) {
  const std::string name(word.substr(0, 40));
  for (const char* unit : {"truncated", "floored", "grouped", "flushed"})
    if (word == unit)
      return "fused nodes whose sum is '" + name + "', as in some matrix units, are not known yet";
  return "unknown sum of a fused node '" + name + "': 'exact' is known";
}

std::string chain_name(std::size_t index) {
  static constexpr std::string_view kLetters = "abcdeghijklmnopstuvwyz";
  std::string name;
  for (std::size_t k = index + 1; k > 0; k = (k - 1) / kLetters.size())
    name.push_back(kLetters[(k - 1) % kLetters.size()]);
  std::reverse(name.begin(), name.end());
  if (name == "wide") return "Wide";
  return name == "out" ? "Out" : name;
}

}  // namespace reprosum::spec
