#include "reveal/capture/matrix_strip.h"

#include <algorithm>
#include <cmath>

#include "reveal/capture/product_capture.h"
#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {
namespace {

using spec::Atom;
using spec::MatrixRegime;
using spec::Shape3;

constexpr std::int64_t kClose = 20;           // wrong by less than this part of the limit
constexpr std::int64_t kWidths[] = {64, 32};  // parts of the limit that may be wrong
constexpr std::int64_t kBelow = 16;           // shapes are looked at that much further below
constexpr int kTries = 400;                   // for each shape with the class
constexpr double kMostWork = 4e8;             // multiplications of all shapes

std::int64_t product_of(const Atom& atom, const Shape3& shape) {
  return (atom.use_m ? shape.m : 1) * (atom.use_n ? shape.n : 1) * (atom.use_k ? shape.k : 1);
}

double work_of(const Shape3& shape) {
  return static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
}

bool has_class(const std::vector<MatrixRegime>& regimes, std::size_t regime,
               std::int32_t output_class, const Shape3& shape) {
  const auto map = spec::regions(regimes, shape);
  if (!map || map->regime != &regimes[regime]) return false;
  return std::any_of(map->rows.begin(), map->rows.end(), [&](const spec::Stretch& rows) {
    return std::any_of(map->columns.begin(), map->columns.end(), [&](const spec::Stretch& columns) {
      return map->class_at(rows.first, columns.first) == output_class;
    });
  });
}

// Shapes whose product is at most `limit` and little less. Some share a size with `shape`.
class Below {
 public:
  Below(const Atom& atom, std::int64_t limit, const Shape3& shape, const Shape3& largest,
        bool is_gemv, std::uint64_t seed)
      : atom_(atom),
        limit_(limit),
        at_(shape),
        largest_(largest),
        is_gemv_(is_gemv),
        random_(seed) {}

  std::optional<Shape3> draw() {
    Shape3 shape{up_to(largest_.m), is_gemv_ ? 1 : up_to(largest_.n), up_to(largest_.k)};
    const std::int64_t kept = random_.below(4);  // 3: none
    if (kept == 0) shape.m = at_.m;
    if (kept == 1) shape.n = at_.n;
    if (kept == 2) shape.k = at_.k;
    std::vector<std::pair<std::int64_t*, std::int64_t>> free;  // sizes to solve for
    if (atom_.use_m && kept != 0) free.emplace_back(&shape.m, largest_.m);
    if (atom_.use_n && kept != 1 && !is_gemv_) free.emplace_back(&shape.n, largest_.n);
    if (atom_.use_k && kept != 2) free.emplace_back(&shape.k, largest_.k);
    if (free.empty()) return std::nullopt;
    const auto [size, most] = free[static_cast<std::size_t>(random_.below(std::ssize(free)))];
    *size = 1;
    const std::int64_t others = product_of(atom_, shape);
    *size = (limit_ - random_.below(limit_ / kBelow + 1)) / others;
    if (*size < 1 || *size > most) return std::nullopt;
    if (product_of(atom_, shape) < limit_ - 2 * (limit_ / kBelow)) return std::nullopt;
    return shape;
  }

 private:
  std::int64_t up_to(std::int64_t most) {  // log-uniform
    return static_cast<std::int64_t>(
        std::exp(random_.unit() * std::log(static_cast<double>(most) + 0.999)));
  }

  const Atom atom_;
  const std::int64_t limit_;
  const Shape3 at_, largest_;
  const bool is_gemv_;
  FastRandom random_;
};

}  // namespace

std::optional<MatrixRegime> strip_below_limit(
    const std::vector<MatrixRegime>& regimes, std::size_t wrong, std::int32_t output_class,
    const Shape3& shape, const Shape3& largest, bool is_gemv, int count, std::uint64_t seed,
    const std::function<bool(std::span<const Shape3>)>& are_right) {
  for (const Atom& atom : regimes[wrong].guard) {
    if (atom.kind != Atom::Kind::at_most) continue;
    if (int{atom.use_m} + int{atom.use_n} + int{atom.use_k} < 2) continue;
    const std::int64_t value = product_of(atom, shape);
    if (kClose * (atom.limit - value) > atom.limit) continue;
    for (const std::int64_t width : kWidths) {
      const std::int64_t strip = atom.limit / width + 1;
      if (value <= atom.limit - strip) continue;
      Below below(atom, atom.limit - strip, shape, largest, is_gemv, seed);
      std::vector<Shape3> shapes;
      double left = kMostWork;
      for (std::int64_t turn = 0; turn < std::int64_t{kTries} * count && std::ssize(shapes) < count;
           ++turn) {
        const auto one = below.draw();
        if (!one || work_of(*one) > left || !has_class(regimes, wrong, output_class, *one))
          continue;
        left -= work_of(*one);
        shapes.push_back(*one);
      }
      if (std::ssize(shapes) < count || !are_right(shapes)) continue;
      // Where the last wrong ones lie is not known: twice the width is left out.
      MatrixRegime regime = regimes[wrong];
      regime.guard.push_back(atom);
      regime.guard.back().kind = Atom::Kind::above;
      regime.guard.back().limit = atom.limit - 2 * strip;
      cover_nothing(regime);
      return regime;
    }
  }
  return std::nullopt;
}

}  // namespace reprosum::reveal
