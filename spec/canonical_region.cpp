#include "spec/canonical_region.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace reprosum::spec {
namespace {

constexpr Count kOnce{1, 0};

void append(std::vector<TypeRun>& runs, const TypeRun& run) {
  if (run.length == Count{}) return;
  if (runs.empty() || runs.back().type != run.type) {
    runs.push_back(run);
    return;
  }
  runs.back().length.c += run.length.c;
  runs.back().length.q += run.length.q;
}

Word canonical(const Word& word) {
  Word out;
  for (const WordItem& item : word) {
    WordItem tidy{item.times, {}};
    for (const TypeRun& run : item.runs) append(tidy.runs, run);
    if (tidy.runs.empty() || tidy.times == Count{}) continue;
    // Copies of one run are a longer run. Valid words have no product in Q^2.
    if (tidy.runs.size() == 1) {
      const Count times = tidy.times, length = tidy.runs[0].length;
      tidy.runs[0].length = {times.c * length.c, times.c * length.q + times.q * length.c};
      tidy.times = kOnce;
    }
    if (tidy.times == kOnce && !out.empty() && out.back().times == kOnce) {
      for (const TypeRun& run : tidy.runs) append(out.back().runs, run);
    } else {
      out.push_back(std::move(tidy));
    }
  }
  return out;
}

void canonicalize(Axis& axis) {
  for (Segment& segment : axis) {
    if (segment.schemas.empty()) segment.period = 1;
    for (Word& word : segment.words) word = canonical(word);
    for (Word& word : segment.schemas) word = canonical(word);
  }
}

void canonicalize(MatrixClass& output, std::int64_t k_max) {
  auto& rules = output.beta_zero_up_to;
  const auto last = std::find_if(rules.begin(), rules.end(),
                                 [&](const auto& rule) { return rule.first >= k_max; });
  if (last != rules.end()) {
    output.beta_zero = last->second;
    rules.erase(last, rules.end());
  }
  for (std::size_t k = rules.size(); k-- > 0;) {
    const auto next = k + 1 < rules.size() ? rules[k + 1].second : output.beta_zero;
    if (rules[k].second == next) rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

void canonicalize(MatrixRegime& regime) {
  for (MatrixClass& output : regime.classes) canonicalize(output, regime.k_max);
  std::sort(regime.guard.begin(), regime.guard.end());
  regime.guard.erase(std::unique(regime.guard.begin(), regime.guard.end()), regime.guard.end());
  canonicalize(regime.rows);
  canonicalize(regime.columns);
  std::vector<MatrixClass> classes;
  std::vector<std::int32_t> renumbered(regime.classes.size(), -1);
  for (auto& row : regime.table)
    for (std::int32_t& entry : row) {
      if (entry < 0) continue;
      std::int32_t& number = renumbered[std::size_t(entry)];
      if (number < 0) {
        const MatrixClass& known = regime.classes[std::size_t(entry)];
        const auto it = std::find(classes.begin(), classes.end(), known);
        number = static_cast<std::int32_t>(it - classes.begin());
        if (it == classes.end()) classes.push_back(known);
      }
      entry = number;
    }
  regime.classes = std::move(classes);
}

}  // namespace reprosum::spec
