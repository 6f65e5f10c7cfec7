#include "kernels/text/device_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/program/lower_tile.h"
#include "kernels/program/values.h"
#include "kernels/text/device_program.h"
#include "spec/error.h"
#include "spec/linear.h"

namespace reprosum::kernels::text {
namespace {

constexpr std::int64_t kStage = 16;      // summands of a stage, about
constexpr std::int64_t kMostStage = 32;  // that a group's memory has room for
constexpr std::int64_t kLongLoop = 16;   // iterations
constexpr int kPadding = 4;              // keeps columns of a panel in different banks

class TilePlaces : public DevicePlaces {
 public:
  explicit TilePlaces(const DeviceTile& tile) : tile_(tile) {}

  std::string element(const program::Access& access, const std::string& summand) const override {
    if (access.operand == program::kOutput)
      return fmt::format("{} ? {} : 0", has(access), output(access));
    const bool is_first = access.operand == program::kFirst;
    const std::string vector =
        is_first ? fmt::format("x{}", access.down) : fmt::format("y{}", access.across);
    if (summand.empty()) return vector + "[0]";
    return fmt::format("{}[({}) * {}]", vector, summand, is_first ? "x_step" : "y_step");
  }
  std::string store(const program::Access& access, const std::string& value) const override {
    return fmt::format("if ({}) {} = {};", has(access), output(access), value);
  }

  // Loops that read neighbouring summands: all turns of both operands together.
  std::optional<StagedLoop> staged(const program::Instruction& i) const override {
    const program::Loop& l = i.loop;
    if (!tile_.staged || (spec::is_constant(l.count) && l.count.c < kLongLoop)) return std::nullopt;
    std::optional<StagedLoop> loop;
    for (const program::Instruction& inner : i.blocks[0]) {
      if (inner.op != program::Op::load || inner.access.operand == program::kOutput) continue;
      const program::Access& a = inner.access;
      const spec::Linear place = a.at + spec::Linear{0, 0, a.offsets[0]};
      if (!loop) loop = StagedLoop{place, a.per_iteration, l.each, 1, 1};
      if (a.per_iteration != loop->per_iteration || a.at.q != loop->at.q || a.at.r != loop->at.r)
        return std::nullopt;
      const std::int64_t last = std::max(loop->at.c + loop->reach - 1, place.c);
      loop->at.c = std::min(loop->at.c, place.c);
      loop->reach = last - loop->at.c + 1;
    }
    if (!loop || loop->per_iteration < 1 || loop->reach > kMostStage) return std::nullopt;
    const std::int64_t step = loop->per_iteration * loop->each;
    loop->turns = std::max<std::int64_t>(1, (kStage - loop->reach) / step + 1);
    if (loop->summands() > kMostStage) return std::nullopt;
    return loop;
  }
  std::vector<std::string> fetch(const StagedLoop& loop) const override {
    const std::int64_t summands = loop.summands();
    most_ = std::max(most_, summands);
    std::vector<std::string> lines;
    const auto side = [&](const char* vector, const char* output, std::int64_t outputs,
                          const char* count, const char* tile) {
      lines.push_back(fmt::format("for (int e = ITEM; e < {}; e += {}) {{", outputs * summands,
                                  tile_.items_down * tile_.items_across));
      lines.push_back(
          fmt::format("  const int k = {0}_{1} == 1 ? e % {2} : e / {3}, "
                      "p = {0}_{1} == 1 ? e / {2} : e % {3};",
                      vector, output, outputs, summands));
      lines.push_back(
          fmt::format("  const I64 one = {} + k < {} ? {} + k : 0;", tile, count, tile));
      lines.push_back(fmt::format(
          "  if (p < width) {0}_panel[p * {1} + k] = {0}s[{0}_at + one * {0}_{2} + (from + p) * "
          "{0}_step];",
          vector, outputs + kPadding, output));
      lines.emplace_back("}");
    };
    side("x", "row", tile_.rows(), "rows", "i_tile");
    side("y", "column", tile_.columns(), "columns", "j_tile");
    return lines;
  }
  std::string fetched(const program::Access& access, const std::string& summand) const override {
    const bool is_first = access.operand == program::kFirst;
    return fmt::format("{}_panel[({}) * {} + {}{}]", is_first ? "x" : "y", summand,
                       (is_first ? tile_.rows() : tile_.columns()) + kPadding,
                       is_first ? "i_own" : "j_own",
                       behind(is_first ? access.down : access.across,
                              is_first ? tile_.items_down : tile_.items_across));
  }
  // Summands of the largest stage; 0: nothing is staged.
  std::int64_t most() const { return most_; }

  // Where output k of a work-item is, behind its first.
  std::string behind(std::int64_t k, int items) const {
    const std::int64_t offset = k / tile_.run * items * tile_.run + k % tile_.run;
    return offset == 0 ? "" : fmt::format(" + {}", offset);
  }

 private:
  static std::string has(const program::Access& access) {
    return fmt::format("has_i{} && has_j{}", access.down, access.across);
  }
  static std::string output(const program::Access& access) {
    return fmt::format("c[ci{} + cj{}]", access.down, access.across);
  }

  const DeviceTile tile_;
  mutable std::int64_t most_ = 0;
};

// Outputs that the rectangle has not have the first one's factors, and are neither read nor stored:
// others write the first one.
std::string side(const TilePlaces& places, const char* index, const char* count, int outputs,
                 int items, const char* step) {
  std::string text;
  for (int k = 0; k < outputs; ++k)
    text += fmt::format(
        "  const I64 {0}{1} = {0}_tile + {0}_own{2};\n  const int has_{0}{1} = {0}{1} < {3};\n"
        "  const I64 c{0}{1} = has_{0}{1} ? {0}{1} * {4} : 0;\n",
        index, k, places.behind(k, items), count, step);
  return text;
}
std::string pointers(const char* vector, const char* index, int outputs, const char* step,
                     const char* type) {
  std::string text;
  for (int k = 0; k < outputs; ++k)
    text += fmt::format(
        "  GLOBAL const {0} *{1}{2} = {1}s + {1}_at + (has_{3}{2} ? {3}{2} * {4} : 0);\n", type,
        vector, k, index, step);
  return text;
}

}  // namespace

DeviceText device_tile(const Plan& plan, spec::Type type, Ending ending, const DeviceTile& tile,
                       const std::string& name) {
  TileShape shape;
  shape.vectors = tile.down;
  shape.columns = tile.across;
  shape.ending = ending;
  const unsigned one_output = spec::is_f32(type) ? 32 : 64;
  const program::Program program = program::lower_tile(plan, type, shape, name, one_output);
  const TilePlaces places(tile);
  const DeviceBody body = device_body(program, stages_of(program), places, "{");
  const char* const t = device_type(false, type);
  const int group = tile.items_down * tile.items_across;
  DeviceText made;
  made.entries = {{name, group}};
  made.text = fmt::format(
      "KERNEL({0}) void {1}(GLOBAL const {2} *RESTRICT xs, I64 x_at, I64 x_step, I64 x_row, "
      "GLOBAL const {2} *RESTRICT ys, I64 y_at, I64 y_step, I64 y_column, "
      "GLOBAL {2} *cs, I64 c_at, I64 c_row, I64 c_column, I64 rows, I64 columns, I64 q, I64 r, "
      "{2} alpha, {2} beta) {{\n"
      "  const I64 groups_down = (rows + {3}) / {4};\n"
      "  const I64 i_tile = GROUP % groups_down * {4}, j_tile = GROUP / groups_down * {6};\n"
      "  const int i_own = ITEM % {5} * {7}, j_own = ITEM / {5} * {7};\n",
      group, name, t, tile.rows() - 1, tile.rows(), tile.items_down, tile.columns(), tile.run);
  if (places.most() > 0)
    made.text += fmt::format("  LOCAL {0} x_panel[{1}];\n  LOCAL {0} y_panel[{2}];\n", t,
                             places.most() * (tile.rows() + kPadding),
                             places.most() * (tile.columns() + kPadding));
  made.text += side(places, "i", "rows", tile.down, tile.items_down, "c_row");
  made.text += side(places, "j", "columns", tile.across, tile.items_across, "c_column");
  made.text += pointers("x", "i", tile.down, "x_row", t);
  made.text += pointers("y", "j", tile.across, "y_column", t);
  made.text +=
      fmt::format("  GLOBAL {} *c = cs + c_at;\n  (void)q, (void)r, (void)alpha, (void)beta;\n", t);
  made.text += body.statements + "  }\n}\n";
  return made;
}

DeviceStep end_step(Ending ending) {
  return static_cast<DeviceStep>(static_cast<int>(DeviceStep::end_store) +
                                 static_cast<int>(ending));
}

DeviceText device_steps(spec::Type type) {
  const char* const s = device_suffix(false, type);
  const char* const t = device_type(false, type);
  const auto with = [&](const char* text) { return fmt::format(fmt::runtime(text), s); };
  // As DeviceStep has them.
  const std::pair<const char*, std::string> all[] = {
      {"set", "alpha"},
      {"multiply", with("MUL{0}(beta, c[at])")},
      {"add_zero", with("ADD{0}(c[at], 0)")},
      {"end_store", "v"},
      {"end_scaled", with("MUL{0}(alpha, v)")},
      {"end_fuse_output", with("FMA{0}(beta, c[at], v)")},
      {"end_scaled_fuse", with("FMA{0}(beta, c[at], MUL{0}(alpha, v))")},
      {"end_add", with("ADD{0}(c[at], v)")},
      {"end_add_scaled", with("ADD{0}(c[at], MUL{0}(alpha, v))")},
      {"end_fuse_scaled", with("FMA{0}(alpha, v, c[at])")},
  };
  DeviceText made;
  made.text = device_macros();
  for (const auto& [name, value] : all) {
    made.entries.push_back({name, kDeviceSteps});
    const bool has_value = std::string(name).starts_with("end_");
    made.text += fmt::format(
        "\nKERNEL({0}) void {1}(GLOBAL {2} *c, I64 c_at, I64 c_row, I64 c_column, I64 rows, "
        "I64 columns, {2} alpha, {2} beta, GLOBAL const {2} *values) {{\n"
        "  const I64 groups_down = (rows + {3}) / {0};\n"
        "  const I64 i = GROUP % groups_down * {0} + ITEM, j = GROUP / groups_down;\n"
        "  const I64 at = c_at + i * c_row + j * c_column;\n"
        "  (void)columns, (void)alpha, (void)beta, (void)values;\n"
        "  if (i < rows) {{\n{4}    c[at] = {5};\n  }}\n}}\n",
        kDeviceSteps, name, t, kDeviceSteps - 1,
        has_value ? fmt::format("    const {} v = values[i + j * rows];\n", t) : "", value);
  }
  return made;
}

}  // namespace reprosum::kernels::text
