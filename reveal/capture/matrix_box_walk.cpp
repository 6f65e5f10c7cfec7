#include "reveal/capture/matrix_box_walk.h"

#include <algorithm>

namespace reprosum::reveal {

MatrixReplayResult BoxWalk::go_on(const Compare& compare) {
  for (;;) {
    MatrixReplayResult result = compare(std::span(shapes_).subspan(at_));
    if (result.wrong) {
      const auto wrong = std::find(shapes_.begin(), shapes_.end(), result.wrong->shape);
      at_ = static_cast<std::size_t>(wrong - shapes_.begin());
      return result;
    }
    if (at_ == 0) return result;
    at_ = 0;
  }
}

}  // namespace reprosum::reveal
