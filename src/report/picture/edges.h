// How the edges of a drawing run: from an addition down to its operands, around all other nodes.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "src/report/picture/layout.h"

namespace reprosum::report {

using Point = std::pair<double, double>;
// The four points of a cubic curve, from the centre of the upper node to the top of the lower one.
using Curve = std::array<Point, 4>;

Point point_of(const Curve& curve, double t);  // t = 0..1

// One curve for each operand of each part that is shown. An edge that would run through a third
// node, and so read as another tree, is bowed to the side by as little as it takes. Where no bow
// helps it is left straight.
std::vector<std::vector<Curve>> edge_curves(const Picture& picture, const Layout& layout);

}  // namespace reprosum::report
