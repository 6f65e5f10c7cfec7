// Conditions between the shapes where a rule is right and those where it is not, all of them known.
#include <algorithm>
#include <utility>

#include "reveal/region/atoms.h"
#include "reveal/region/box.h"

namespace reprosum::reveal::region {
namespace {

using spec::Atom;
using spec::Shape3;
using Kind = Atom::Kind;

constexpr int most_conditions = 5;
// A condition that excludes every wrong shape is taken at once if it keeps so many right ones.
constexpr double enough_kept = 0.7;
constexpr double least_gain = 0.02;

struct Known {
  Shape3 shape;
  bool is_right = false;
};

struct Choice {
  Atom atom;
  std::size_t right = 0, wrong = 0;  // that it admits
};

std::vector<Atom> usable_atoms() {
  std::vector<Atom> atoms;
  for (const Kind kind : {Kind::at_most, Kind::above})
    for (int use = 1; use < 8; ++use)
      atoms.push_back({kind, (use & 1) != 0, (use & 2) != 0, (use & 4) != 0, 0, 1, 1});
  return atoms;
}

struct Best {
  std::optional<Choice> exact;   // admits no wrong shape
  std::optional<Choice> greedy;  // admits more of the right than of the wrong ones
  double gain = 0;               // of the second
};

void consider(const Choice& choice, std::size_t right, std::size_t wrong, Best& best) {
  if (choice.right == 0) return;
  if (choice.wrong == 0 && (!best.exact || choice.right > best.exact->right)) best.exact = choice;
  const double gain = static_cast<double>(choice.right) / static_cast<double>(right) -
                      static_cast<double>(choice.wrong) / static_cast<double>(wrong);
  if (gain <= best.gain) return;
  best.gain = gain;
  best.greedy = choice;
}

// Every limit of a product: the shapes on its inner side come first.
void consider_limits(Atom atom, const std::vector<Known>& shapes, std::size_t right,
                     std::size_t wrong, Best& best) {
  const bool is_upper = atom.kind == Kind::at_most;
  std::vector<std::pair<std::int64_t, bool>> by_product;
  for (const Known& one : shapes) by_product.emplace_back(product(atom, one.shape), one.is_right);
  std::sort(by_product.begin(), by_product.end());
  if (!is_upper) std::reverse(by_product.begin(), by_product.end());
  Choice choice{atom};
  for (std::size_t at = 0; at < by_product.size();) {
    const std::int64_t value = by_product[at].first;
    for (; at < by_product.size() && by_product[at].first == value; ++at)
      ++(by_product[at].second ? choice.right : choice.wrong);
    if (at == by_product.size()) break;
    const std::int64_t next = by_product[at].first;
    choice.atom.limit = is_upper ? roundest(value, next) : roundest(next, value);
    consider(choice, right, wrong, best);
  }
}

Best choose(const std::vector<Known>& shapes) {
  const auto is_right = [](const Known& one) { return one.is_right; };
  const auto right =
      static_cast<std::size_t>(std::count_if(shapes.begin(), shapes.end(), is_right));
  const std::size_t wrong = shapes.size() - right;
  Best best;
  for (const Atom& atom : usable_atoms()) consider_limits(atom, shapes, right, wrong, best);
  return best;
}

}  // namespace

std::optional<std::vector<Atom>> separate(const std::vector<Shape3>& right,
                                          const std::vector<Shape3>& wrong) {
  std::vector<Known> shapes;
  for (const Shape3& shape : right) shapes.push_back({shape, true});
  for (const Shape3& shape : wrong) shapes.push_back({shape, false});
  std::vector<Atom> atoms;
  for (;;) {
    const auto left_right = static_cast<std::size_t>(
        std::count_if(shapes.begin(), shapes.end(), [](const Known& one) { return one.is_right; }));
    if (left_right == 0) return std::nullopt;
    if (left_right == shapes.size()) return atoms;
    if (static_cast<int>(atoms.size()) == most_conditions) return std::nullopt;
    const Best best = choose(shapes);
    const bool is_last = static_cast<int>(atoms.size()) + 1 == most_conditions;
    const bool is_exact = best.exact && (is_last || best.gain < least_gain ||
                                         static_cast<double>(best.exact->right) >=
                                             enough_kept * static_cast<double>(left_right));
    if (!is_exact && (is_last || best.gain < least_gain)) return std::nullopt;
    const Atom atom = is_exact ? best.exact->atom : best.greedy->atom;
    atoms.push_back(atom);
    std::erase_if(shapes, [&](const Known& one) { return !atom.holds(one.shape); });
  }
}

}  // namespace reprosum::reveal::region
