// The referee: a region rule's predictions against the source, written independently of the
// learner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "reveal/region.h"

namespace reprosum::reveal::region_testing {

// The type of every place of a word, element by element; empty if the axis does not cover the size.
inline std::vector<std::int32_t> spell(const spec::Axis& axis, std::int64_t size) {
  std::vector<std::int32_t> types;
  for (const spec::Segment& segment : axis) {
    if (size < segment.from || size > segment.to) continue;
    const bool listed = size < segment.base;
    const std::int64_t past = size - segment.base;
    const spec::Word& word =
        listed ? segment.words.at(size - segment.from) : segment.schemas.at(past % segment.period);
    const std::int64_t q = listed ? 0 : past / segment.period;
    for (const spec::WordItem& item : word) {
      for (std::int64_t t = 0; t < item.times.at(q); ++t) {
        for (const spec::TypeRun& run : item.runs) {
          types.insert(types.end(), run.length.at(q), run.type);
        }
      }
    }
  }
  return types;
}

inline bool admits(const spec::Atom& atom, const spec::Shape3& s) {
  using Kind = spec::Atom::Kind;
  if (atom.kind == Kind::taller) return s.m / atom.a > s.n / atom.b;
  if (atom.kind == Kind::not_taller) return s.m / atom.a <= s.n / atom.b;
  if (atom.kind == Kind::wider) return s.m / atom.a < s.n / atom.b;
  if (atom.kind == Kind::not_wider) return s.m / atom.a >= s.n / atom.b;
  const std::int64_t x = (atom.use_m ? s.m : 1) * (atom.use_n ? s.n : 1) * (atom.use_k ? s.k : 1);
  return (x <= atom.limit) == (atom.kind == Kind::at_most);
}

struct Tally {
  std::int64_t right = 0, wrong = 0, uncovered = 0, in_bracket = 0;
  std::string first_wrong, holes;
};

class FreshCheck {
 public:
  FreshCheck(SignatureSource& source, const LearnedRegions& learned)
      : source_(source), learned_(learned) {}

  void look(const spec::Shape3& s) {
    for (std::size_t r = 0; r < learned_.regimes.size(); ++r) {
      const spec::MatrixRegime& rule = learned_.regimes[r].rule;
      if (!std::all_of(rule.guard.begin(), rule.guard.end(),
                       [&](const spec::Atom& atom) { return admits(atom, s); })) {
        continue;
      }
      const auto rows = spell(rule.rows, s.m), columns = spell(rule.columns, s.n);
      if (static_cast<std::int64_t>(rows.size()) != s.m ||
          static_cast<std::int64_t>(columns.size()) != s.n) {
        note(s, "an axis");
        return;
      }
      const auto hashes = source_.signatures(s);
      auto& known = hashes_[{r, s.k}];
      bool hole = false, wrong = false;
      for (std::int64_t j = 0; j < s.n; ++j) {
        for (std::int64_t i = 0; i < s.m; ++i) {
          const std::int32_t c = rule.table.at(rows[i]).at(columns[j]);
          hole |= c < 0;
          if (c >= 0 &&
              known.emplace(c, hashes[i + j * s.m]).first->second != hashes[i + j * s.m]) {
            wrong = true;
          }
        }
      }
      if (wrong && tally.first_wrong.empty()) {
        tally.first_wrong = "regime " + std::to_string(r) + ": m " + std::to_string(s.m) + " n " +
                            std::to_string(s.n) + " k " + std::to_string(s.k);
      }
      if (wrong) {
        ++tally.wrong;
      } else if (hole) {
        note(s, "the table");
      } else {
        ++tally.right;
      }
      return;
    }
    note(s, "the guards");
  }

  // Half of the sizes uniform in 1..box, half log-uniform up to the largest; small shapes first.
  void look_at_random(std::int64_t count, const RegionOptions& options, double work,
                      std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::int64_t most) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      const bool is_log = random() % 2 == 0;
      const double top = static_cast<double>(most);
      return std::max<std::int64_t>(
          1, static_cast<std::int64_t>(is_log ? std::pow(top + 0.99, u)
                                              : 1 + u * std::min(top, 300.0)));
    };
    std::vector<spec::Shape3> shapes;
    static constexpr std::int64_t ks[] = {1,   3,   6,   19,  37,  50,   77,
                                          111, 160, 303, 500, 900, 1201, 1999};
    while (static_cast<std::int64_t>(shapes.size()) < count) {
      const spec::Shape3 s{pick(options.largest.m), options.is_gemv ? 1 : pick(options.largest.n),
                           std::min(options.largest.k, ks[random() % 14])};
      if (static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) <= work) {
        shapes.push_back(s);
      }
    }
    std::sort(shapes.begin(), shapes.end(),
              [](const auto& a, const auto& b) { return a.m * a.n < b.m * b.n; });
    for (const spec::Shape3& s : shapes) look(s);
  }

  // m, n and k all large; before them, small shapes of each k say what its hashes are.
  void look_at_large(std::int64_t low, std::int64_t high, int count, double work,
                     std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::int64_t from, std::int64_t to) {
      return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
    };
    for (int at = 0; at < count;) {
      const spec::Shape3 s{pick(low, high), pick(low, high), pick(low, high)};
      if (static_cast<double>(s.m * s.n) * static_cast<double>(s.k) > work) continue;
      ++at;
      for (const std::int64_t size : {5, 29, 64, 110}) {
        look({size, size + 3, s.k});
        look({s.m, size, s.k});
        look({size, s.n, s.k});
      }
      look(s);
    }
  }

  Tally tally;

 private:
  void note(const spec::Shape3& s, const char* what) {
    if (++tally.uncovered > 8) return;
    tally.holes += std::string(" (") + std::to_string(s.m) + " " + std::to_string(s.n) + " " +
                   std::to_string(s.k) + ": " + what + ")";
  }

  SignatureSource& source_;
  const LearnedRegions& learned_;
  std::map<std::pair<std::size_t, std::int64_t>, std::map<std::int32_t, std::uint64_t>> hashes_;
};

}  // namespace reprosum::reveal::region_testing
