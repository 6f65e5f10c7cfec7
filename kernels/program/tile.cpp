#include "kernels/program/tile.h"

namespace reprosum::kernels {

std::string TileShape::text() const {
  std::string text = std::to_string(vectors) + "x" + std::to_string(columns) + "e" +
                     std::to_string(static_cast<int>(ending));
  if (masked) text += "m";
  if (!vector_is_x) text += "y";
  if (vector_step > 0) text += "v" + std::to_string(vector_step);
  if (scalar_step > 0) text += "s" + std::to_string(scalar_step);
  if (rows > 0) text += "r" + std::to_string(rows);
  return text;
}

}  // namespace reprosum::kernels
