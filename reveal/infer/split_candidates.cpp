// Generate and test: the parameters come from the data, the rules from spec.
#include "reveal/infer/split_candidates.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "spec/expand.h"

namespace reprosum::reveal::generalize {
namespace {

using spec::Parts;
using spec::Split;

class Generator {
 public:
  Generator(const std::vector<SplitPoint>& points, const std::vector<std::int64_t>& lengths)
      : points_(points), lengths_(lengths) {}

  std::vector<spec::Rule> run() {
    halves();
    constants();
    balanced();
    counted();
    return std::move(found_);
  }

 private:
  void try_split(Split::Kind kind, std::int64_t m) {
    Split split;
    split.kind = kind;
    split.m = m;
    for (const SplitPoint& point : points_)
      if (spec::split_point(split, point.n) != point.h) return;
    found_.push_back(split);
  }

  void try_parts(Parts::Kind kind, std::int64_t count, std::int64_t m, std::int64_t u) {
    Parts parts;
    parts.kind = kind;
    parts.count = count;
    parts.m = m;
    parts.u = u;
    for (const SplitPoint& point : points_) {
      const auto lengths = spec::piece_lengths(parts, point.n);
      if (!lengths || point.n - lengths->back() != point.h) return;
    }
    found_.push_back(parts);
  }

  void halves() {
    std::vector<std::int64_t> multiples(256);
    std::iota(multiples.begin(), multiples.end(), 1);
    multiples.insert(multiples.end(), {320, 384, 448, 500, 512, 768, 1000, 1024, 2048, 4096});
    for (const std::int64_t m : multiples) {
      for (const auto kind : {Split::Kind::half_down, Split::Kind::half_up,
                              Split::Kind::ceil_half_up, Split::Kind::half_near})
        try_split(kind, m);
      if (m % 2 != 0 && m < 130)
        for (const auto kind : {Split::Kind::pow2_below, Split::Kind::pow2_half})
          try_split(kind, m);
    }
  }

  void constants() {
    std::set<std::int64_t> values;
    std::int64_t left = 0, right = 0;  // what divides every left (right) piece
    for (const SplitPoint& point : points_) {
      values.insert({point.h, point.n - point.h});
      left = std::gcd(left, point.h);
      right = std::gcd(right, point.n - point.h);
    }
    for (const std::int64_t common : {left, right})
      for (std::int64_t d = 1; d * d <= common; ++d)
        if (common % d == 0) values.insert({d, common / d});
    for (const std::int64_t c : values) {
      if (c < 2) continue;
      for (const auto kind : {Split::Kind::last, Split::Kind::first, Split::Kind::first_rest,
                              Split::Kind::last_const})
        try_split(kind, c);
    }
  }

  void balanced() {
    std::set<std::int64_t> blocks(lengths_.begin(), lengths_.end());
    for (const SplitPoint& point : points_) blocks.insert(point.n - point.h);
    for (const std::int64_t m : blocks) {
      if (m < 8) continue;
      for (const std::int64_t u : {1, 2, 4, 8, 16, 24, 32, 64})
        try_parts(Parts::Kind::balanced_up, 0, m, u);
      try_parts(Parts::Kind::balanced_ceil, 0, m, 1);
    }
  }

  void counted() {
    for (std::int64_t count = 2; count <= 16; ++count) {
      for (const std::int64_t m : {1, 2, 4, 8, 16, 32, 64, 3, 5, 6, 12, 24})
        for (const auto kind : {Parts::Kind::ceil, Parts::Kind::floor, Parts::Kind::rest})
          try_parts(kind, count, m, 1);
      for (const auto kind : {Parts::Kind::even, Parts::Kind::proportional})
        try_parts(kind, count, 1, 1);
    }
  }

  const std::vector<SplitPoint>& points_;
  const std::vector<std::int64_t>& lengths_;
  std::vector<spec::Rule> found_;
};

}  // namespace

std::vector<spec::Rule> split_candidates(const std::vector<SplitPoint>& points,
                                         const std::vector<std::int64_t>& lengths) {
  return Generator(points, lengths).run();
}

std::vector<std::int64_t> pieces_of(const spec::Rule& rule, std::int64_t n) {
  if (const auto* split = std::get_if<Split>(&rule)) {
    const auto h = spec::split_point(*split, n);
    if (h && *h == n) return {n};
    if (h) return {*h, n - *h};
  } else if (const auto* parts = std::get_if<Parts>(&rule)) {
    if (const auto lengths = spec::piece_lengths(*parts, n)) return *lengths;
  }
  return {};
}

}  // namespace reprosum::reveal::generalize
