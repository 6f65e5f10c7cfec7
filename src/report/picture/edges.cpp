#include "src/report/picture/edges.h"

#include <algorithm>
#include <cmath>

namespace reprosum::report {
namespace {

constexpr double kClearance = 3;  // pixels between an edge and a node that it passes
constexpr double kBowStep = 16, kWidestBow = 320;
constexpr int kSamples = 24;  // of a curve; nodes are wider than what lies between two

Curve curve(const Box& from, const Box& to, double bow) {
  const double top = to.y - to.height / 2, bend = (top - from.y) * 0.55;
  return {Point{from.x, from.y}, Point{from.x + bow, from.y + bend * 0.6},
          Point{to.x + bow, top - bend}, Point{to.x, top}};
}

bool touches(const Point& point, const Box& box) {
  return std::abs(point.first - box.x) < box.width / 2 + kClearance &&
         std::abs(point.second - box.y) < box.height / 2 + kClearance;
}

class Router {
 public:
  Router(const Picture& picture, const Layout& layout) : picture_(picture), layout_(layout) {}

  Curve route(std::size_t from, std::size_t to) const {
    const Box &upper = layout_.boxes[from], &lower = layout_.boxes[to];
    // To the side on which the operand stands first, so that bows do not cross the others.
    const double side = lower.x < upper.x ? -1 : 1;
    for (double bow = 0; bow <= kWidestBow; bow += kBowStep)
      for (const double sign : {side, -side}) {
        const Curve tried = curve(upper, lower, sign * bow);
        if (is_clear(tried, from, to)) return tried;
      }
    return curve(upper, lower, 0);
  }

 private:
  bool is_clear(const Curve& tried, std::size_t from, std::size_t to) const {
    for (int k = 1; k < kSamples; ++k) {
      const Point point = point_of(tried, static_cast<double>(k) / kSamples);
      for (std::size_t p = 0; p < picture_.parts.size(); ++p)
        if (p != from && p != to && layout_.boxes[p].shown && touches(point, layout_.boxes[p]))
          return false;
    }
    return true;
  }

  const Picture& picture_;
  const Layout& layout_;
};

}  // namespace

Point point_of(const Curve& curve, double t) {
  const double u = 1 - t;
  const std::array<double, 4> weights = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
  Point out{0, 0};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    out.first += weights[k] * curve[k].first;
    out.second += weights[k] * curve[k].second;
  }
  return out;
}

std::vector<std::vector<Curve>> edge_curves(const Picture& picture, const Layout& layout) {
  std::vector<std::vector<Curve>> out(picture.parts.size());
  const Router router(picture, layout);
  for (std::size_t p = 0; p < picture.parts.size(); ++p) {
    if (!layout.boxes[p].shown) continue;
    for (const Operand& operand : picture.parts[p].operands)
      out[p].push_back(router.route(p, static_cast<std::size_t>(operand.part)));
  }
  return out;
}

}  // namespace reprosum::report
