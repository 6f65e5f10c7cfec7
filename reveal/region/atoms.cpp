#include "reveal/region/atoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;
using Kind = spec::Atom::Kind;

int variables(const spec::Atom& atom) { return atom.use_m + atom.use_n + atom.use_k; }

// A narrow interval says more than a wide one, a simple product is likelier than a long one.
double score(int count, std::int64_t low, std::int64_t high, const spec::Atom& atom) {
  const double width =
      std::log(static_cast<double>(high) / static_cast<double>(std::max<std::int64_t>(1, low)));
  return count - 0.3 * width - 0.05 * variables(atom);
}

// A number is as round as it has trailing zeros, in base ten or two.
double roundness(std::int64_t value) {
  if (value <= 0) return 0;
  int twos = 0, tens = 0;
  for (std::int64_t v = value; v % 2 == 0; v /= 2) ++twos;
  for (std::int64_t v = value; v % 10 == 0; v /= 10) ++tens;
  return std::max<double>(twos, 3.4 * tens);
}

}  // namespace

std::int64_t product(const spec::Atom& atom, const Shape3& shape) {
  return (atom.use_m ? shape.m : 1) * (atom.use_n ? shape.n : 1) * (atom.use_k ? shape.k : 1);
}

spec::Atom negation(spec::Atom atom) {
  switch (atom.kind) {
    case Kind::at_most:
      atom.kind = Kind::above;
      break;
    case Kind::above:
      atom.kind = Kind::at_most;
      break;
    case Kind::taller:
      atom.kind = Kind::not_taller;
      break;
    case Kind::not_taller:
      atom.kind = Kind::taller;
      break;
    case Kind::wider:
      atom.kind = Kind::not_wider;
      break;
    case Kind::not_wider:
      atom.kind = Kind::wider;
      break;
    case Kind::equal:
      atom.kind = Kind::unequal;
      break;
    case Kind::unequal:
      atom.kind = Kind::equal;
      break;
  }
  return atom;
}

Shape3 beside_panels(const spec::Atom& atom, Shape3 shape, bool is_whole) {
  const bool bounds_n = atom.kind == Kind::taller || atom.kind == Kind::not_wider;
  const bool is_strict = atom.kind == Kind::taller || atom.kind == Kind::wider;
  std::int64_t& bounded = bounds_n ? shape.n : shape.m;
  std::int64_t& other = bounds_n ? shape.m : shape.n;
  const std::int64_t own_panel = bounds_n ? atom.b : atom.a, panel = bounds_n ? atom.a : atom.b;
  const std::int64_t panels = is_whole ? std::max<std::int64_t>(1, other / panel) : other / panel;
  if (is_whole) other = panels * panel;
  bounded = (is_strict ? panels : panels + 1) * own_panel - 1;
  return shape;
}

std::int64_t roundest(std::int64_t low, std::int64_t high) {
  std::int64_t best = low;
  double most = -1;
  // Beyond some thousand candidates the roundest are multiples of a large power.
  const std::int64_t step = std::max<std::int64_t>(1, (high - low) / 100000);
  for (std::int64_t value = low; value < high; value += step) {
    const double r = std::max(roundness(value), roundness(value + 1) - 0.5);
    if (r > most) {
      most = r;
      best = value;
    }
  }
  return best;
}

std::optional<Bracket> fit_atom(const std::vector<Border>& borders, bool is_gemv, int least) {
  std::optional<Bracket> best;
  double best_score = 0;
  for (int use = 1; use < 8; ++use) {
    spec::Atom atom;
    atom.use_m = use & 1;
    atom.use_n = use & 2;
    atom.use_k = use & 4;
    if (is_gemv && atom.use_n) continue;
    for (const Kind kind : {Kind::at_most, Kind::above}) {
      atom.kind = kind;
      std::vector<std::pair<std::int64_t, std::int64_t>> intervals;
      for (const Border& border : borders) {
        const std::int64_t out = product(atom, border.out);
        intervals.push_back(kind == Kind::at_most ? std::pair{product(atom, border.in_low), out}
                                                  : std::pair{out, product(atom, border.in_high)});
      }
      for (const auto& [start, end] : intervals) {
        if (start >= end) continue;
        Bracket bracket{atom, start, end, 0, 0};
        for (std::size_t i = 0; i < intervals.size(); ++i) {
          const auto& [low, high] = intervals[i];
          if (low > start || start >= high) continue;
          ++bracket.explains;
          const std::int64_t k = borders[i].out.k;
          if (bracket.k == 0 || k < bracket.k) bracket.k = k;
          bracket.high = std::min(bracket.high, high);
        }
        const double s = score(bracket.explains, bracket.low, bracket.high, atom);
        if (bracket.explains >= least && (!best || s > best_score)) {
          best = bracket;
          best_score = s;
        }
      }
    }
  }
  if (best) best->atom.limit = roundest(best->low, best->high);
  return best;
}

}  // namespace reprosum::reveal::region
