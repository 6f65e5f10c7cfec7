#include "kernels/matrix/tile.h"

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

bool is_tile_plan(const Plan& plan, std::string& why) {
  why = "wide values";
  for (std::size_t k = 0; k < plan.nodes.size(); ++k)
    if (plan.is_wide(static_cast<int>(k))) return false;
  for (const Run& run : plan.runs) {
    if (run.format == spec::Format::wide) return false;
    for (const Addend& addend : run.body)
      for (const BodyOp& op : addend)
        if (op.is_add ? op.format == spec::Format::wide : op.leaf == spec::Leaf::exact)
          return false;
  }
  why.clear();
  if (plan.nodes.empty()) why = "a schema without summands";
  return why.empty();
}

}  // namespace reprosum::kernels
