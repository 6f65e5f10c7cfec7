// A product whose outputs have their summands side by side: lanes of the order are work-items.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/program/lower_tile.h"
#include "kernels/program/values.h"
#include "kernels/text/device_lanes.h"
#include "kernels/text/device_program.h"
#include "kernels/text/device_tile.h"
#include "spec/error.h"

namespace reprosum::kernels::text {
namespace {

constexpr int kGroup = 128;        // work-items
constexpr int kMemory = 16 << 10;  // bytes of a group's memory

class TileRowPlaces : public DevicePlaces {
 public:
  std::string element(const program::Access& access, const std::string& summand) const override {
    if (access.operand == program::kOutput) return "unit < units ? *c : 0";
    const char* const vector = access.operand == program::kFirst ? "x" : "y";
    if (summand.empty()) return fmt::format("{}[0]", vector);
    return fmt::format("{0}[({1}) * {0}_step]", vector, summand);
  }
  std::string store(const program::Access&, const std::string& value) const override {
    return fmt::format("*c = {};", value);
  }
};

}  // namespace

DeviceRowsTile device_tile_rows(const Plan& plan, spec::Type type, Ending ending,
                                const std::string& name) {
  TileShape shape;
  shape.rows = 1;
  shape.ending = ending;
  const program::Program program = program::lower_tile(plan, type, shape, name, 256);
  const Stages stages = stages_of(program);
  const int w = stages.width;
  const int bytes = stages.memory * spec::bytes(type);
  if (w < 2 || bytes > kMemory) return {};
  int rows = std::max(1, kGroup / w);
  while (rows > 1 && rows * bytes > kMemory) rows /= 2;
  const DeviceBody body = device_body(program, stages, TileRowPlaces(), "if (is_first) {");
  DeviceRowsTile made;
  made.outputs = rows;
  made.text.entries = {{name, rows * w}};
  made.text.text =
      body.tables +
      fmt::format(
          "KERNEL({0}) void {1}(GLOBAL const {2} *RESTRICT xs, I64 x_at, I64 x_step, I64 x_row, "
          "GLOBAL const {2} *RESTRICT ys, I64 y_at, I64 y_step, I64 y_column, "
          "GLOBAL {2} *cs, I64 c_at, I64 c_row, I64 c_column, I64 rows, I64 columns, I64 q, I64 r, "
          "{2} alpha, {2} beta) {{\n"
          "  LOCAL {2} memory[{3}];\n"
          "  const int lane = ITEM % {4}, own = ITEM / {4}, base = own * {5};\n"
          "  const I64 unit = GROUP * {6} + own, units = rows * columns;\n"
          "  const int is_first = lane == 0 && unit < units;\n"
          "  const I64 i = unit < units ? unit % rows : 0, j = unit < units ? unit / rows : 0;\n"
          "  GLOBAL const {2} *x = xs + x_at + i * x_row;\n"
          "  GLOBAL const {2} *y = ys + y_at + j * y_column;\n"
          "  GLOBAL {2} *c = cs + c_at + i * c_row + j * c_column;\n"
          "  (void)q, (void)r, (void)alpha, (void)beta;\n",
          rows * w, name, device_type(false, type), rows * stages.memory, w, stages.memory, rows) +
      body.statements + "  }\n}\n";
  return made;
}

}  // namespace reprosum::kernels::text
