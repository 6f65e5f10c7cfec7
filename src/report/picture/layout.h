// Where the parts of a picture stand.
#pragma once

#include <string>
#include <vector>

#include "src/report/picture/picture.h"

namespace reprosum::report {

struct Box {
  double x = 0, y = 0;  // centre
  double width = 0, height = 0;
  bool shown = false;  // reachable from the root
  std::vector<std::string> lines;
};

struct Layout {
  std::vector<Box> boxes;  // by part
  double width = 0, height = 0;
};

// Bottoms in index order on one line; every addition above its operands. Units are SVG pixels.
Layout layout(const Picture& picture);

}  // namespace reprosum::report
