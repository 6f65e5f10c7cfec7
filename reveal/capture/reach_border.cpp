#include "reveal/capture/reach_border.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "reveal/check/random_data.h"
#include "spec/checked.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::Shape3;
using Side = std::int64_t Shape3::*;

constexpr std::array<Side, 3> kSides{&Shape3::m, &Shape3::n, &Shape3::k};
constexpr int kTrials = 6;  // near each shape: not every size there is wrong
constexpr int kFewTrials = 4;
constexpr double kDear = 0x1p27;    // of these
constexpr std::int64_t kNear = 32;  // a 32nd
// Few summands or rows show no order, so no border is sought among fewer than this.
constexpr std::int64_t kFewest = 12;

Atom above(std::array<bool, 3> uses, std::int64_t limit) {
  return {Atom::Kind::above, uses[0], uses[1], uses[2], limit, 1, 1};
}

class Search {
 public:
  Search(const Shape3& most, const std::function<bool(const std::vector<Shape3>&)>& is_wrong,
         std::uint64_t salt)
      : most_(most), is_wrong_(is_wrong), random_(salt) {}

  // At this shape or some beside it with slightly longer sizes.
  bool is_wrong(const Shape3& shape) { return is_wrong(shape, most_); }
  bool is_wrong(const Shape3& shape, const Shape3& most) {
    const double cost =
        static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
    std::vector<Shape3> shapes;
    for (int trial = 0; trial < (cost > kDear ? kFewTrials : kTrials); ++trial) {
      Shape3 near = shape;
      for (const Side side : kSides) {
        std::int64_t& size = near.*side;
        if (size >= kFewest) size = std::min(size + random_.below(size / kNear + 8), most.*side);
      }
      shapes.push_back(near);
    }
    return is_wrong_(shapes);
  }

  // The least size at which the shape is wrong still, about; 1 if it does not matter.
  std::int64_t least(Shape3 shape, Side side) {
    std::int64_t right = 1, wrong = shape.*side;
    if (wrong <= kFewest) return 1;
    shape.*side = 1;
    if (is_wrong(shape)) return 1;
    while (wrong - right > std::max<std::int64_t>(1, wrong / kNear)) {
      const std::int64_t middle =
          std::clamp(static_cast<std::int64_t>(
                         std::sqrt(static_cast<double>(right) * static_cast<double>(wrong))),
                     right + 1, wrong - 1);
      shape.*side = middle;
      (is_wrong(shape) ? wrong : right) = middle;
    }
    return wrong <= kFewest ? 1 : wrong;
  }

  // Whether half of one size and more than twice the other are wrong together.
  bool is_product(const Shape3& corner, Side one, Side other) {
    for (const auto& [less, more] : {std::pair(one, other), std::pair(other, one)}) {
      Shape3 shape = corner;
      shape.*less = (shape.*less + 1) / 2;
      shape.*more = shape.*more * 9 / 4;
      if (shape.*more <= most_.*more && !is_wrong(shape)) return false;
    }
    return true;
  }

 private:
  const Shape3& most_;
  const std::function<bool(const std::vector<Shape3>&)>& is_wrong_;
  FastRandom random_;
};

}  // namespace

ReachBorder border_below(const Shape3& wrong, const Shape3& learned, const Shape3& most,
                         const std::function<bool(const std::vector<Shape3>&)>& is_wrong,
                         std::uint64_t salt) {
  Search search(most, is_wrong, salt);
  Shape3 corner = wrong;
  std::array<bool, 3> uses{};
  // The longest size first: the others are cheaper then.
  std::array<std::size_t, 3> sides{0, 1, 2};
  std::sort(sides.begin(), sides.end(),
            [&](std::size_t a, std::size_t b) { return wrong.*kSides[a] > wrong.*kSides[b]; });
  for (const std::size_t side : sides) {
    const std::int64_t least = search.least(corner, kSides[side]);
    uses[side] = least > 1;
    // If the size is set to 1, the other sizes must suffice to make the shape wrong.
    if (uses[side]) corner.*kSides[side] = least;
  }
  ReachBorder border;
  if (std::none_of(uses.begin(), uses.end(), [](bool used) { return used; })) return border;
  bool is_product = false;
  for (std::size_t x = 0; x < 3; ++x)
    for (std::size_t y = x + 1; y < 3; ++y)
      is_product =
          is_product || (uses[x] && uses[y] && search.is_product(corner, kSides[x], kSides[y]));
  // Not every size beyond a border is wrong, least of all with few summands.
  const auto less = [](std::int64_t value) { return value - value / (value < 64 ? 4 : 12) - 1; };
  spec::Int128 product = 1;
  for (std::size_t side = 0; side < 3; ++side) {
    if (!uses[side]) continue;
    product = spec::clamped(product * corner.*kSides[side]);
    std::array<bool, 3> alone{};
    alone[side] = true;
    const std::int64_t wrong_at = corner.*kSides[side], last = learned.*kSides[side];
    const std::int64_t limit = less(wrong_at);
    // What was learned is right up to its end.
    if (!is_product)
      border.above.push_back(above(alone, limit < last && last < wrong_at ? last : limit));
  }
  if (is_product) border.above = {above(uses, less(spec::clamped(product)))};
  // A shape of the learned sizes well beyond the border, if there is one.
  Shape3 inside{std::min(corner.m, learned.m), std::min(corner.n, learned.n),
                std::min(corner.k, learned.k)};
  const auto value = [&] {
    spec::Int128 all = 1;
    for (std::size_t side = 0; side < 3; ++side)
      if (uses[side]) all = spec::clamped(all * inside.*kSides[side]);
    return all;
  };
  for (std::size_t side = 0; side < 3; ++side) {
    std::int64_t& size = inside.*kSides[side];
    const std::int64_t last = learned.*kSides[side];
    while (uses[side] && size < last && (!is_product || 2 * value() < 3 * product))
      size = std::min(size + size / 8 + 1, last);
  }
  if (std::all_of(border.above.begin(), border.above.end(),
                  [&](const Atom& atom) { return atom.holds(inside); }))
    border.is_learned = search.is_wrong(inside, learned);
  return border;
}

}  // namespace reprosum::reveal
