// One axis: from the words of some sizes to segments with periods.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "reveal/region/words.h"

namespace reprosum::reveal::region {

class AxisLearner {
 public:
  using WordSource = std::function<Runs(std::int64_t size)>;

  using Fits = std::function<bool(std::int64_t size, const Runs& expected)>;

  // Sizes first..last are wanted. `fits` says whether a word agrees with the outputs of a size; it
  // may look at fewer of them than `source`, which gives the whole word. Samples depend on the seed
  // only, so that a second look at an axis asks for the same sizes.
  AxisLearner(WordSource source, Fits fits, std::int64_t first, std::int64_t last,
              std::uint64_t seed)
      : source_(std::move(source)),
        fits_(std::move(fits)),
        first_(first),
        last_(last),
        random_(seed) {}

  // Segments from `first` upwards; the last one ends where no rule was found, or at `last`.
  spec::Axis learn();
  // Whether the last segment has a period (then sizes beyond it can be predicted).
  static bool is_periodic(const spec::Axis& axis) {
    return !axis.empty() && !axis.back().schemas.empty();
  }
  // Segments of one short period each may be long blocks: up to this size it would show. 0 where
  // nothing suggests it.
  static std::int64_t size_that_shows_blocks(const spec::Axis& axis);

 private:
  const Runs& runs(std::int64_t size);
  const spec::Word& word(std::int64_t size);
  bool fit(std::int64_t from, std::int64_t to, spec::Segment& segment);
  bool fit(std::int64_t from, std::int64_t to, std::int64_t period, spec::Segment& segment);
  std::optional<spec::Axis> in_blocks(const spec::Axis& axis);
  std::int64_t first_failure(const spec::Segment& segment);
  bool agrees(const spec::Segment& segment, std::int64_t size);
  spec::Segment next_segment(std::int64_t from);

  WordSource source_;
  Fits fits_;
  std::int64_t first_, last_;
  std::mt19937_64 random_;
  std::set<std::int64_t> tried_;  // periods of blocks
  std::map<std::int64_t, Runs> runs_;
  std::map<std::int64_t, spec::Word> words_;
};

}  // namespace reprosum::reveal::region
