#include "reveal/region/atoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reprosum::reveal::region {
namespace {

using spec::Shape3;
using Kind = spec::Atom::Kind;

constexpr int refine_steps = 40;
constexpr int shapes_per_step = 4;
constexpr double refine_work = 4e6;

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
  }
  return atom;
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

void refine(Maps& maps, Rule& rule, const std::vector<spec::Atom>& also, Bracket& bracket) {
  static constexpr std::int64_t ks[] = {37, 61, 127, 253, 509, 1021};
  spec::Atom& atom = bracket.atom;
  Prober prober(maps, rule);
  prober.also = also;
  rule.forget();
  const bool upper = atom.kind == Kind::at_most;
  int idle = 0;
  for (int step = 0; step < refine_steps && bracket.high - bracket.low > 1 && idle < 4; ++step) {
    const std::int64_t middle = bracket.low + (bracket.high - bracket.low) / 2;
    const std::int64_t slack = (bracket.high - bracket.low) / 8;
    // Shapes whose product is near the middle. Where k decides, few k are used: each new one needs
    // shapes of its own to know its hashes.
    std::vector<Shape3> shapes;
    for (int tries = 0; tries < 600 && static_cast<int>(shapes.size()) < shapes_per_step; ++tries) {
      // Without k in the product one k will do, and no condition on k that is not known yet can
      // come between.
      Shape3 shape{maps.pick_log(1, std::min<std::int64_t>(400, maps.options().largest.m)),
                   maps.is_gemv() ? 1 : maps.pick_log(1, 400), bracket.k};
      if (atom.use_k) shape.k = ks[maps.pick(0, 5)];
      if (atom.use_k && tries % 2) shape.k -= maps.pick(0, 6);
      const std::int64_t target = middle + maps.pick(-slack, slack);
      const std::int64_t rest_m = product(atom, {1, shape.n, shape.k});
      const std::int64_t rest_n = product(atom, {shape.m, 1, shape.k});
      const std::int64_t rest_k = product(atom, {shape.m, shape.n, 1});
      if (atom.use_n && (tries % 2 == 0 || !atom.use_m)) {
        shape.n = target / rest_n;
      } else if (atom.use_m) {
        shape.m = target / rest_m;
      } else {
        shape.k = target / rest_k;
      }
      const std::int64_t x = product(atom, shape);
      const double work = static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                          static_cast<double>(shape.k);
      if (x <= bracket.low || x >= bracket.high ||
          work > std::max(refine_work, 4 * static_cast<double>(x)))
        continue;
      if (!prober.inside(shape)) continue;
      shapes.push_back(shape);
    }
    if (shapes.empty()) {
      ++idle;
      continue;
    }
    std::int64_t least_right = bracket.high, most_right = bracket.low;
    std::int64_t least_wrong = bracket.high, most_wrong = bracket.low;
    int right = 0, wrong = 0;
    for (const Shape3& shape : shapes) {
      // The known side of the bracket must give the hashes, not the shape itself.
      prober.also = also;
      spec::Atom safe = atom;
      safe.limit = upper ? bracket.low : bracket.high - 1;
      prober.also.push_back(safe);
      if (prober.prime(shape.k).empty()) continue;
      const std::int64_t x = product(atom, shape);
      const Verdict verdict = prober.test(shape);
      if (verdict == Verdict::wrong) {
        ++wrong;
        least_wrong = std::min(least_wrong, x);
        most_wrong = std::max(most_wrong, x);
      } else if (verdict == Verdict::right) {
        ++right;
        least_right = std::min(least_right, x);
        most_right = std::max(most_right, x);
      }
    }
    prober.also = also;
    prober.forget();
    if (wrong > 0) {
      idle = 0;
      if (upper) bracket.high = least_wrong;
      if (!upper) bracket.low = most_wrong;
    } else if (right >= 2 || (right == 1 && bracket.high - bracket.low < 64)) {
      idle = 0;
      if (upper) bracket.low = least_right;
      if (!upper) bracket.high = most_right;
    } else {
      ++idle;
    }
  }
  atom.limit = roundest(bracket.low, bracket.high);
}

}  // namespace reprosum::reveal::region
