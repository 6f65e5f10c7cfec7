// What somebody may have meant who wrote a word that is none.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprosum::base {

// How many letters must be added, taken away, replaced or swapped with their neighbour.
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// The word that is nearest to what was written; "" if none is within a third of its letters, as
// then the writer meant something else.
template <class Words>
std::string nearest(std::string_view written, const Words& words) {
  std::string best;
  std::size_t least = written.size() / 3 + 1;
  for (const std::string_view word : words)
    if (const std::size_t far = distance(written, word); far < least) {
      least = far;
      best = word;
    }
  return best;
}

}  // namespace reprosum::base
