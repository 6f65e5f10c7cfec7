#include "reveal/capture/reach_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "reveal/check/far_sizes.h"
#include "reveal/check/random_data.h"
#include "spec/checked.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::Shape3;
using Side = std::int64_t Shape3::*;

constexpr std::array<Side, 3> kSides{&Shape3::m, &Shape3::n, &Shape3::k};
constexpr int kEven = 120, kOnLimit = 16;                  // the latter for each product
constexpr int kOneEven = 12, kJustBeyond = 8, kThin = 24;  // for each side
constexpr int kBelowBorder = 24;                           // for each atom of an excluded part
constexpr std::int64_t kThinSize = 16, kBeside = 64;
// Libraries cut sizes at multiples of such blocks, and few or single ones are left behind the last.
constexpr std::int64_t kLeastBlock = 512;
constexpr int kBlocks = 8;  // powers of two from there on
constexpr std::int64_t kBehindBlock[] = {1, 1, 1, 2, 3, -1};
constexpr int kBesideBlock = 32, kBehindFirst = 2;  // for each side; of these, for each block
constexpr int kMostTries = 4000;                    // for one of these numbers
constexpr int kTriesOfSize = 4;
constexpr std::int64_t kFarElements = 6'000'000;  // the sum of the sizes of one side
constexpr std::int64_t kFewOutputs = 8;
// Close to a corner, by what one product costs.
constexpr std::pair<double, int> kCorners[] = {{0x1p23, 6}, {0x1p28, 3}, {0x1p31, 2}, {1e300, 1}};
constexpr double kFewCost = 0x1p27;  // of the others, where they cost more, one of so many:
constexpr std::int64_t kFewDear = 8;

using Vector = std::array<double, 3>;

bool uses(const Atom& atom, std::size_t side) {
  return side == 0 ? atom.use_m : side == 1 ? atom.use_n : atom.use_k;
}

double determinant(const std::array<Vector, 3>& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    sum += rows[0][i] * (rows[1][(i + 1) % 3] * rows[2][(i + 2) % 3] -
                         rows[1][(i + 2) % 3] * rows[2][(i + 1) % 3]);
  return sum;
}

// Where three limits meet; nullopt if they do not in one point.
std::optional<Shape3> meeting(const std::array<const Atom*, 3>& limits) {
  std::array<Vector, 3> rows{};
  Vector values{};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t side = 0; side < 3; ++side) rows[r][side] = uses(*limits[r], side) ? 1 : 0;
    values[r] = std::log(static_cast<double>(limits[r]->limit));
  }
  const double whole = determinant(rows);
  if (std::abs(whole) < 0.5) return std::nullopt;  // all entries are 0 or 1
  Shape3 shape;
  for (std::size_t side = 0; side < 3; ++side) {
    std::array<Vector, 3> replaced = rows;
    for (std::size_t r = 0; r < 3; ++r) replaced[r][side] = values[r];
    const double size = std::exp(determinant(replaced) / whole);
    if (!(size < 0x1p40)) return std::nullopt;
    shape.*kSides[side] = std::max<std::int64_t>(1, std::llround(size));
  }
  return shape;
}

class Plan {
 public:
  Plan(const ReachRegion& region, std::uint64_t salt) : region_(region), random_(salt) {
    for (std::size_t side = 0; side < 3; ++side)
      for (const Atom& bound : region.bounds)
        if (bound == at_most(side == 0, side == 1, side == 2, bound.limit))
          most_.*kSides[side] = std::min(most_.*kSides[side], bound.limit);
  }

  void add_corners() {
    std::vector<Atom> limits = region_.bounds;
    for (std::size_t side = 0; side < 3; ++side) {
      limits.push_back(at_most(side == 0, side == 1, side == 2, 1));
      // What is claimed begins beyond these.
      limits.push_back(at_most(side == 0, side == 1, side == 2, region_.learned.*kSides[side] + 1));
    }
    for (const auto& conjunction : region_.left_out)
      limits.insert(limits.end(), conjunction.begin(), conjunction.end());
    std::set<Shape3> corners;
    for (std::size_t x = 0; x < limits.size(); ++x)
      for (std::size_t y = x + 1; y < limits.size(); ++y)
        for (std::size_t z = y + 1; z < limits.size(); ++z)
          if (const auto shape = meeting({&limits[x], &limits[y], &limits[z]}))
            corners.insert(*shape);
    for (const Shape3& corner : corners) {
      if (!close_to(corner, 0)) continue;
      const int count = std::find_if(std::begin(kCorners), std::end(kCorners), [&](const auto& of) {
                          return cost(corner) <= of.first;
                        })->second;
      for (int turn = 0; turn < count; ++turn)
        if (const auto shape = close_to(corner, turn)) shapes_.push_back(*shape);
    }
  }

  void add_others() {
    add_some(kEven, [&] { return evenly(); });
    for (const Atom& bound : region_.bounds)
      if (int{bound.use_m} + int{bound.use_n} + int{bound.use_k} > 1)
        add_some(kOnLimit, [&] { return on(bound); });
    for (const Side side : kSides) {
      const std::int64_t from = region_.learned.*side + 1, to = most_.*side;
      if (from > to) continue;
      const auto with = [&](std::int64_t size, std::int64_t others) {
        Shape3 shape{log_uniform(1, std::min(most_.m, others)),
                     log_uniform(1, std::min(most_.n, others)),
                     log_uniform(1, std::min(most_.k, others))};
        shape.*side = size;
        return shape;
      };
      const auto any = [&] { return from + random_.below(to - from + 1); };
      const std::int64_t near = std::min(to, from + kBeside);
      add_some(kOneEven, [&] { return with(any(), spec::kFarthest); });
      add_some(kJustBeyond,
               [&] { return with(from + random_.below(near - from + 1), spec::kFarthest); });
      add_some(kThin, [&] {
        return with(random_.below(2) == 0 ? any() : log_uniform(from, to), kThinSize);
      });
    }
  }

  void add_beside_blocks() {
    for (const Side side : kSides) {
      const std::int64_t to = most_.*side;
      const auto thin = [&](std::int64_t size, std::int64_t least) {
        Shape3 shape;
        for (const Side other : kSides) {
          const std::int64_t most = std::min(most_.*other, kThinSize);
          shape.*other = other == side ? size : log_uniform(std::min(least, most), most);
        }
        return shape;
      };
      add_some(kBesideBlock, [&] {
        const std::int64_t block = kLeastBlock << random_.below(kBlocks);
        return thin(block * (1 + random_.below(std::max<std::int64_t>(1, to / block))) +
                        kBehindBlock[random_.below(std::ssize(kBehindBlock))],
                    1);
      });
      for (std::int64_t block = kLeastBlock; block < to; block *= 2)
        add_some(kBehindFirst, [&] { return thin(block + 1, kThinSize / 2); });
    }
  }

  // Shapes have summands enough to tell orders apart. Outputs cost most: there are few beside many
  // rows or columns, and beside many summands so many that whole blocks of them and single ones are
  // met.
  void add_every_size(std::int64_t to) {
    for (const Side side : kSides) {
      for (std::int64_t size = region_.learned.*side + 1; size <= std::min(to, most_.*side); ++size)
        add_thin(side, size);
      for (const std::int64_t size :
           far_sizes(std::max(to, region_.learned.*side), most_.*side, kFarElements, random_))
        add_thin(side, size);
    }
  }

  // Shapes that miss one atom of an excluded part by little while its other atoms hold: the border
  // was found from few shapes and may be too high.
  void add_below_borders() {
    for (const auto& conjunction : region_.left_out)
      for (const Atom& atom : conjunction) {
        const auto others_hold = [&](const Shape3& shape) {
          return std::all_of(conjunction.begin(), conjunction.end(), [&](const Atom& other) {
            return other == atom || other.holds(shape);
          });
        };
        int turn = 0;
        add_some(kBelowBorder, [&] {
          const std::int64_t below = 1 + atom.limit / (turn++ % 2 == 0 ? 8 : 2);
          const Shape3 shape =
              on(at_most(atom.use_m, atom.use_n, atom.use_k,
                         std::max<std::int64_t>(1, atom.limit - random_.below(below))));
          return others_hold(shape) ? shape : Shape3{};
        });
      }
  }

  std::vector<Shape3> in_random_order() {
    std::shuffle(shapes_.begin(), shapes_.end(), std::mt19937_64(random_.bits()));
    return std::move(shapes_);
  }

 private:
  void add_thin(Side side, std::int64_t size) {
    for (int turn = 0; turn < kTriesOfSize; ++turn) {
      const auto few = [&] {
        return side == &Shape3::k ? 1 + random_.below(kThinSize) : log_uniform(1, kFewOutputs);
      };
      Shape3 shape{few(), few(), kThinSize / 2 + random_.below(kThinSize / 2)};
      for (const Side each : kSides) shape.*each = std::min(shape.*each, most_.*each);
      shape.*side = size;
      if (!region_.claims(shape)) continue;
      shapes_.push_back(shape);
      return;
    }
  }

  std::int64_t log_uniform(std::int64_t from, std::int64_t to) {
    const double least = std::log(static_cast<double>(from)),
                 most = std::log(static_cast<double>(to) + 0.999);
    return std::clamp(static_cast<std::int64_t>(std::exp(least + random_.unit() * (most - least))),
                      from, to);
  }

  // As near to the limit of a product as one of its sizes can be chosen.
  Shape3 on(const Atom& bound) {
    Shape3 shape = evenly();
    auto solved = static_cast<std::size_t>(random_.below(3));
    while (!uses(bound, solved)) solved = (solved + 1) % 3;
    std::int64_t left = bound.limit;
    for (std::size_t side = 0; side < 3; ++side)
      if (side != solved && uses(bound, side)) left /= shape.*kSides[side];
    shape.*kSides[solved] = std::max<std::int64_t>(left, 1);
    return shape;
  }

  Shape3 evenly() {
    return {log_uniform(1, most_.m), log_uniform(1, most_.n), log_uniform(1, most_.k)};
  }

  template <class Draw>
  void add_some(int count, const Draw& draw) {
    for (int turn = 0; turn < kMostTries && count > 0; ++turn) {
      const Shape3 shape = draw();
      if (!region_.claims(shape)) continue;
      if (cost(shape) > kFewCost && random_.below(kFewDear) > 0) {
        --count;
        continue;
      }
      shapes_.push_back(shape);
      --count;
    }
  }

  // Sizes some less than those of the corner; nullopt: none that is claimed was found.
  std::optional<Shape3> close_to(const Shape3& corner, int turn) {
    for (int further = 0; further < 24; ++further) {
      Shape3 shape = corner;
      for (const Side side : kSides) {
        std::int64_t& size = shape.*side;
        const std::int64_t away = 1 + std::min<std::int64_t>(size / 24, kBeside) + further / 4;
        // The first tries are the very corner.
        if (turn + further > 1) size += further % 2 == 0 ? -random_.below(away) : further / 8;
        size = std::clamp<std::int64_t>(size, 1, most_.*side);
      }
      if (region_.claims(shape)) return shape;
    }
    return std::nullopt;
  }

  const ReachRegion& region_;
  Shape3 most_{spec::kFarthest, spec::kFarthest, spec::kFarthest};
  FastRandom random_;
  std::vector<Shape3> shapes_;
};

}  // namespace

Atom at_most(bool m, bool n, bool k, std::int64_t limit) {
  return {Atom::Kind::at_most, m, n, k, limit, 1, 1};
}

double cost(const Shape3& shape) {
  constexpr double kOutput = 100, kFactor = 10;
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  return m * n * (k + kOutput) + (m + n) * k * kFactor;
}

bool ReachRegion::is_beyond(const Shape3& shape) const {
  return shape.m > learned.m || shape.n > learned.n || shape.k > learned.k;
}

bool ReachRegion::claims(const Shape3& shape) const {
  const auto holds = [&](const Atom& atom) { return atom.holds(shape); };
  return std::min({shape.m, shape.n, shape.k}) > 0 && is_beyond(shape) &&
         std::all_of(bounds.begin(), bounds.end(), holds) &&
         std::none_of(left_out.begin(), left_out.end(), [&](const auto& conjunction) {
           return std::all_of(conjunction.begin(), conjunction.end(), holds);
         });
}

std::vector<std::vector<Atom>> ReachRegion::beyond(const std::vector<Atom>& atoms) const {
  const auto holds = [&](const Atom& atom) { return atom.holds(learned); };
  if (!std::all_of(atoms.begin(), atoms.end(), holds)) return {atoms};
  std::vector<std::vector<Atom>> parts;
  for (std::size_t side = 0; side < 3; ++side) {
    if (learned.*kSides[side] == 1) continue;
    parts.push_back(atoms);
    parts.back().push_back(at_most(side == 0, side == 1, side == 2, learned.*kSides[side]));
    parts.back().back().kind = Atom::Kind::above;
  }
  return parts;
}

std::vector<Shape3> plan_every_size(const ReachRegion& region, std::int64_t to,
                                    std::uint64_t salt) {
  Plan plan(region, salt);
  plan.add_every_size(to);
  return plan.in_random_order();
}

std::vector<Shape3> plan_reach(const ReachRegion& region, std::uint64_t salt) {
  Plan plan(region, salt);
  plan.add_corners();
  plan.add_others();
  plan.add_below_borders();
  plan.add_beside_blocks();
  return plan.in_random_order();
}

}  // namespace reprosum::reveal
