#include "reveal/capture/matrix_edge.h"

#include <algorithm>

#include "reveal/capture/product_capture.h"
#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::MatrixRegime;
using spec::Shape3;

constexpr std::size_t kMostShapes = 64;  // on one product

std::int64_t product_of(const Atom& atom, const Shape3& shape) {
  return (atom.use_m ? shape.m : 1) * (atom.use_n ? shape.n : 1) * (atom.use_k ? shape.k : 1);
}

bool is_bound_of_product(const Atom& atom) {
  return atom.kind == Atom::Kind::above && int{atom.use_m} + int{atom.use_n} + int{atom.use_k} >= 2;
}

std::vector<std::int64_t> divisors_of(std::int64_t value, std::int64_t most) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= std::min(value, most); ++d)
    if (value % d == 0) divisors.push_back(d);
  return divisors;
}

// A bound on the rows that the wrong shapes keep and no right one does.
std::optional<Atom> rows_of(const std::vector<Shape3>& wrong, const std::vector<Shape3>& right) {
  const auto by_rows = [](const Shape3& a, const Shape3& b) { return a.m < b.m; };
  const std::int64_t most = std::max_element(wrong.begin(), wrong.end(), by_rows)->m;
  const std::int64_t least = std::min_element(wrong.begin(), wrong.end(), by_rows)->m;
  const auto keeps = [&](Atom::Kind kind, std::int64_t limit) {
    Atom atom;
    atom.kind = kind;
    atom.use_m = true;
    atom.limit = limit;
    return std::none_of(right.begin(), right.end(), [&](const Shape3& s) { return atom.holds(s); })
               ? std::optional(atom)
               : std::nullopt;
  };
  if (auto few = keeps(Atom::Kind::at_most, most)) return few;
  return keeps(Atom::Kind::above, least - 1);
}

}  // namespace

std::vector<Shape3> shapes_on(const Atom& product, std::int64_t value, const Shape3& largest,
                              bool is_gemv) {
  std::vector<Shape3> shapes;
  const auto sizes = [&](bool is_used, std::int64_t of, std::int64_t most) {
    return is_used ? divisors_of(of, most)
                   : std::vector<std::int64_t>{1, std::min<std::int64_t>(most, 37)};
  };
  for (const std::int64_t m : sizes(product.use_m, value, largest.m)) {
    const std::int64_t rest = product.use_m ? value / m : value;
    for (const std::int64_t n : sizes(product.use_n && !is_gemv, rest, is_gemv ? 1 : largest.n)) {
      const std::int64_t left = product.use_n && !is_gemv ? rest / n : rest;
      const std::int64_t k = product.use_k ? left : std::min<std::int64_t>(37, largest.k);
      if (k > largest.k || product_of(product, {m, n, k}) != value) continue;
      if (shapes.empty() || shapes.back() != Shape3{m, n, k}) shapes.push_back({m, n, k});
    }
  }
  if (shapes.size() > kMostShapes) {  // evenly
    std::vector<Shape3> kept;
    for (std::size_t s = 0; s < kMostShapes; ++s)
      kept.push_back(shapes[s * shapes.size() / kMostShapes]);
    shapes = std::move(kept);
  }
  return shapes;
}

std::optional<MatrixRegime> on_the_edge(
    const std::vector<MatrixRegime>& regimes, std::size_t wrong, const Shape3& shape,
    const Shape3& largest, bool is_gemv,
    const std::function<bool(const std::vector<MatrixRegime>&, const Shape3&)>& is_right) {
  const MatrixRegime& regime = regimes[wrong];
  const auto bound = std::find_if(regime.guard.begin(), regime.guard.end(), [&](const Atom& atom) {
    return is_bound_of_product(atom) && product_of(atom, shape) == atom.limit + 1;
  });
  if (bound == regime.guard.end()) return std::nullopt;
  for (const std::int64_t step : {1, 2, 5}) {
    Shape3 beyond = shape;
    (bound->use_k ? beyond.k : beyond.m) += step;
    if (!is_right(regimes, beyond)) return std::nullopt;
  }
  std::vector<Shape3> wrong_ones{shape}, right_ones;
  for (const Shape3& other : shapes_on(*bound, bound->limit + 1, largest, is_gemv))
    if (other != shape && deciding_regime(regimes, other) == wrong)
      (is_right(regimes, other) ? right_ones : wrong_ones).push_back(other);
  MatrixRegime edge = regime;
  edge.guard.push_back(*bound);
  edge.guard.back().kind = Atom::Kind::at_most;
  ++edge.guard.back().limit;
  if (const auto rows = rows_of(wrong_ones, right_ones)) edge.guard.push_back(*rows);
  for (const MatrixRegime& other : regimes) {
    if (&other == &regime) continue;
    MatrixRegime tried = other;
    tried.guard = edge.guard;
    if (std::all_of(wrong_ones.begin(), wrong_ones.end(),
                    [&](const Shape3& one) { return is_right({tried}, one); }))
      return tried;
  }
  cover_nothing(edge);
  return edge;
}

}  // namespace reprosum::reveal
