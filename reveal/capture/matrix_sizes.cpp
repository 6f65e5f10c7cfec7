#include "reveal/capture/matrix_sizes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reveal/capture/product_capture.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::MatrixRegime;
using spec::Shape3;
using Side = std::int64_t Shape3::*;

constexpr std::array<Side, 3> kSides{&Shape3::m, &Shape3::n, &Shape3::k};
constexpr std::int64_t kBeside[] = {-2, -1, 1, 2};
// From a size to others that may be equal as well: even ones, whole blocks, round numbers.
constexpr std::int64_t kFurther[] = {1, 2, 4, 10, 16, 64, 100};
constexpr int kTurns = 3;
constexpr std::int64_t kFewSizes = 16;  // below here an order need not show
constexpr std::size_t kMostSingle = 8;  // values of one size that are left out one by one

Atom atom_of(Atom::Kind kind, const std::vector<std::size_t>& sides, std::int64_t limit) {
  Atom atom;
  atom.kind = kind;
  atom.limit = limit;
  for (const std::size_t side : sides)
    (side == 0 ? atom.use_m : side == 1 ? atom.use_n : atom.use_k) = true;
  return atom;
}

std::vector<Atom> single(std::size_t side, std::int64_t value) {
  std::vector<Atom> atoms{atom_of(Atom::Kind::at_most, {side}, value)};
  if (value > 1) atoms.push_back(atom_of(Atom::Kind::above, {side}, value - 1));
  return atoms;
}

class Search {
 public:
  Search(const Shape3& wrong, const Shape3& largest, const FirstWrong& first_wrong)
      : wrong_(wrong), largest_(largest), first_wrong_(first_wrong) {}

  // Whether all shapes with another value beside it are right.
  bool needs(std::size_t side) const {
    std::vector<Shape3> beside;
    for (const std::int64_t by : kBeside) add({side}, wrong_.*kSides[side] + by, beside);
    return !beside.empty() && !first_wrong_(beside);
  }

  bool is_equal_enough(const std::vector<std::size_t>& sides) const {
    const std::int64_t size = wrong_.*kSides[sides[0]];
    std::vector<Shape3> others;
    for (const std::int64_t by : kFurther)
      for (const std::int64_t other : {size - by, size + by}) add(sides, other, others);
    for (const std::int64_t other : {size / 2, 2 * size}) add(sides, other, others);
    return first_wrong_(others).has_value();
  }

  // The least size at which such a shape is wrong.
  std::int64_t least(const std::vector<std::size_t>& sides) const {
    std::vector<Shape3> smaller;
    for (std::int64_t size = 1; size < wrong_.*kSides[sides[0]]; ++size) add(sides, size, smaller);
    const auto first = first_wrong_(smaller);
    return (first ? *first : wrong_).*kSides[sides[0]];
  }

 private:
  void add(const std::vector<std::size_t>& sides, std::int64_t size,
           std::vector<Shape3>& shapes) const {
    Shape3 shape = wrong_;
    for (const std::size_t side : sides) {
      if (size < 1 || size > largest_.*kSides[side]) return;
      shape.*kSides[side] = size;
    }
    shapes.push_back(shape);
  }

  const Shape3 &wrong_, &largest_;
  const FirstWrong& first_wrong_;
};

}  // namespace

std::vector<Atom> sizes_of_wrong(const Shape3& wrong, const Shape3& largest, bool is_gemv,
                                 const FirstWrong& first_wrong) {
  // Rare data may show what is wrong, or rare addresses: then the shapes beside it look right.
  for (int turn = 0; turn < kTurns; ++turn)
    if (!first_wrong(std::array{wrong})) return {};
  const Search search(wrong, largest, first_wrong);
  std::vector<std::size_t> needed;
  for (std::size_t side = 0; side < kSides.size(); ++side)
    if ((!is_gemv || side != 1) && search.needs(side)) needed.push_back(side);
  std::vector<Atom> atoms;
  while (!needed.empty()) {
    const std::int64_t size = wrong.*kSides[needed[0]];
    const auto rest = std::stable_partition(needed.begin(), needed.end(), [&](std::size_t side) {
      return wrong.*kSides[side] == size;
    });
    const std::vector<std::size_t> alike(needed.begin(), rest);
    needed.erase(needed.begin(), rest);
    if (alike.size() > 1 && search.is_equal_enough(alike)) {
      atoms.push_back(atom_of(Atom::Kind::equal, alike, 0));
      const std::int64_t least = search.least(alike);
      if (least > kFewSizes) atoms.push_back(atom_of(Atom::Kind::above, {alike[0]}, least - 1));
      continue;
    }
    for (const std::size_t side : alike)
      for (const Atom& atom : single(side, wrong.*kSides[side])) atoms.push_back(atom);
  }
  return atoms;
}

void leave_out_sizes(std::vector<MatrixRegime>& regimes, const std::vector<Atom>& atoms,
                     const Shape3& wrong, const Shape3& largest, const FirstWrong& first_wrong) {
  const auto put = [&](const std::vector<Atom>& guard) {
    MatrixRegime none;
    none.guard = guard;
    none.k_max = largest.k;
    cover_nothing(none);
    regimes.insert(regimes.begin(), std::move(none));
  };
  for (std::size_t side = 0; side < kSides.size(); ++side) {
    if (atoms != single(side, wrong.*kSides[side])) continue;
    std::vector<std::int64_t> values{wrong.*kSides[side]};
    std::vector<Shape3> others;
    for (std::int64_t value = 1; value <= largest.*kSides[side]; ++value) {
      others.push_back(wrong);
      others.back().*kSides[side] = value;
    }
    while (values.size() <= kMostSingle) {
      std::erase_if(others, [&](const Shape3& one) { return one.*kSides[side] == values.back(); });
      const auto next = first_wrong(others);
      if (!next) break;
      values.push_back((*next).*kSides[side]);
    }
    if (values.size() > kMostSingle)
      return put({atom_of(Atom::Kind::above, {side},
                          *std::min_element(values.begin(), values.end()) - 1)});
    for (const std::int64_t value : values) put(single(side, value));
    return;
  }
  put(atoms);
}

}  // namespace reprosum::reveal
