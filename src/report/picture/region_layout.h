// Where everything stands in the drawing of a region map.
#pragma once

#include <string>
#include <vector>

#include "src/report/picture/region_picture.h"

namespace reprosum::report {

// Where the bands of one axis stand; edges has one more than there are bands.
struct BandScale {
  std::vector<double> edges{0};
  double unit = 0;  // of one output; 0 if bands are not to scale
  double size() const { return edges.back(); }
};

struct RegionLayout {
  static constexpr double kMargin = 28, kHeader = 92;

  const BandAxis &across, &down;  // columns and rows; a gemv's strip lies: rows and columns
  BandScale x{}, y{};
  std::vector<std::vector<std::string>> legend{};  // lines of each class; the last one is small
  double width = 0, height = 0;                    // of the drawing
  double left = 0, top = 0;                        // of the map
  double brackets = 0;                             // foot of the brackets over the columns
  bool upright = false;                            // numbers of columns are turned
  bool to_scale = false;                           // every output is a square
};

// The layout refers to the picture.
RegionLayout region_layout(const RegionPicture& picture, const RegionCaption& caption);

}  // namespace reprosum::report
