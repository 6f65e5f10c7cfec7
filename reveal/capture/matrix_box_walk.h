// Every shape of a box, compared once although rules are mended on the way.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "reveal/check/matrix_check.h"

namespace reprosum::reveal {

// A box of small products takes longer to compare than all other shapes together, and each repair
// of a rule would begin it again. So the walk goes on at the shape that was wrong. When it reaches
// the end, it goes through the box once more, because a repair may have spoiled shapes that came
// before it.
class BoxWalk {
 public:
  // Compares products of these shapes; stops at a wrong one.
  using Compare = std::function<MatrixReplayResult(std::span<const spec::Shape3> shapes)>;

  // Shapes differ from each other.
  explicit BoxWalk(std::vector<spec::Shape3> shapes) : shapes_(std::move(shapes)) {}

  const std::vector<spec::Shape3>& shapes() const { return shapes_; }

  // Where nothing is wrong, the result is that of all shapes, by the rules as they are now.
  MatrixReplayResult go_on(const Compare& compare);

 private:
  std::vector<spec::Shape3> shapes_;
  std::size_t at_ = 0;
};

}  // namespace reprosum::reveal
