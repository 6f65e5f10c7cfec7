#include "kernels/text/device_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/program/lower_rule.h"
#include "kernels/program/values.h"
#include "kernels/text/device_program.h"
#include "spec/error.h"

namespace reprosum::kernels::text {
namespace {

constexpr int kGroup = 128;        // work-items, if rows are to be had
constexpr int kOneLane = 64;       // rows of a group where a row has one work-item
constexpr int kMemory = 16 << 10;  // bytes of a group's memory that suffice; more lets fewer run
constexpr int kMostMemory = 32 << 10;  // every device has as much

// The rule as far as one of its plans goes.
RulePlan only(const RulePlan& rule, const Plan& plan) {
  RulePlan one;
  one.block = rule.block;
  one.first_symbolic = plan.domain.q_lo;
  one.hot = {plan};
  one.is_wide = plan.is_wide(static_cast<int>(plan.nodes.size()) - 1);
  return one;
}

std::string vector_arguments(const char* vector, const char* type) {
  return fmt::format("GLOBAL const {1} *RESTRICT {0}s, I64 {0}_at, I64 inc{0}, I64 ld{0}, ", vector,
                     type);
}

class RowPlaces : public DevicePlaces {
 public:
  std::string element(const program::Access& access, const std::string& summand) const override {
    const char* const vector = access.operand == program::kFirst ? "x" : "y";
    if (summand.empty()) return fmt::format("{}[0]", vector);
    return fmt::format("{0}[({1}) * inc{0}]", vector, summand);
  }
  std::string store(const program::Access&, const std::string&) const override {
    throw InternalError("device text: a row that stores");
  }
};

class RowsText {
 public:
  RowsText(const program::Program& program, spec::Type type, bool has_y, DeviceRows rows)
      : program_(program), stages_(stages_of(program)), type_(type), has_y_(has_y), rows_(rows) {
    const int slot = stages_.is_wide || spec::is_f64(type) ? 8 : 4;
    const int bytes = stages_.memory * slot;
    if (bytes > kMostMemory) throw UserError("more lanes than a group's memory holds");
    per_group_ = stages_.width == 1 ? kOneLane : std::max(1, kGroup / stages_.width);
    while (per_group_ > 1 && per_group_ * bytes > kMemory) per_group_ /= 2;
  }

  DeviceKernel run(bool zero_start) {
    DeviceKernel made;
    made.entry = {program_.name, std::int64_t{per_group_} * stages_.width};
    made.rows = per_group_;
    const DeviceBody body = device_body(program_, stages_, RowPlaces(), "if (is_first) {");
    made.text = body.tables + head(made.entry.group) + places() + body.statements + "    " +
                result(body.value, zero_start) + "\n  }\n}\n";
    return made;
  }

 private:
  bool is_whole() const { return rows_ == DeviceRows::whole; }

  std::string head(std::int64_t group) const {
    const char* const t = device_type(false, type_);
    std::string text =
        fmt::format("KERNEL({}) void {}({}", group, program_.name, vector_arguments("x", t));
    if (has_y_) text += vector_arguments("y", t);
    text += "I64 n, I64 rows, ";
    text += is_whole() ? fmt::format("GLOBAL {} *out) {{\n", t)
                       : "GLOBAL const I64 *places, I64 count, GLOBAL double *out, I64 at, "
                         "I64 ldout) {\n";
    return text;
  }

  std::string places() const {
    std::string text;
    if (stages_.memory > 0)
      text += fmt::format("  LOCAL {} memory[{}];\n", device_type(stages_.is_wide, type_),
                          per_group_ * stages_.memory);
    const int w = stages_.width;
    text += w == 1 ? "  const int own = ITEM, is_lane_0 = 1;\n"
                   : fmt::format(
                         "  const int lane = ITEM % {0}, own = ITEM / {0}, "
                         "is_lane_0 = lane == 0;\n",
                         w);
    // A row beyond the last one does what the first one does, and keeps it for itself.
    text += fmt::format("  const I64 unit = GROUP * {} + own, units = rows{};\n", per_group_,
                        is_whole() ? "" : " * count");
    text += "  const int is_first = is_lane_0 && unit < units;\n";
    const char* const row =
        is_whole() ? "(unit < units ? unit : 0)" : "(unit < units ? unit / count : 0)";
    text += fmt::format("  const I64 row = {};\n", row);
    if (!is_whole())
      text += "  const I64 piece = unit < units ? unit % count : 0, place = places[piece];\n";
    const char* const t = device_type(false, type_);
    for (const char* const v : {"x", "y"}) {
      if (*v == 'y' && !has_y_) continue;
      text += fmt::format("  GLOBAL const {0} *{1} = {1}s + {1}_at + row * ld{1}{2};\n", t, v,
                          is_whole() ? "" : fmt::format(" + place * inc{}", v));
    }
    if (stages_.memory > 0) text += fmt::format("  const int base = own * {};\n", stages_.memory);
    if (program_.block > 0)
      text += fmt::format("  const I64 q = n / {0}, r = n % {0};\n", program_.block);
    else
      text += "  const I64 q = 0, r = n;\n";
    return text + "  (void)q, (void)r;\n";
  }

  std::string result(std::string value, bool zero_start) const {
    const bool is_wide = program_.wide_result && spec::is_f32(type_);
    if (is_wide && (is_whole() || zero_start)) value = "NARROW(" + value + ")";
    if (zero_start) value = fmt::format("ADD{}({}, 0)", device_suffix(false, type_), value);
    return is_whole() ? fmt::format("out[row] = {};", value)
                      : fmt::format("out[row * ldout + at + piece] = {};", value);
  }

  const program::Program& program_;
  const Stages stages_;
  const spec::Type type_;
  const bool has_y_;
  const DeviceRows rows_;
  int per_group_ = 1;
};

}  // namespace

DeviceKernel device_rows(const RulePlan& rule, const Plan& plan, spec::Routine routine,
                         spec::Type type, DeviceRows rows, bool zero_start,
                         const std::string& name) {
  program::FunctionShape shape{name};
  shape.strided = true;
  shape.unrolled = false;
  const program::Program program = program::lower_rule(only(rule, plan), routine, type, shape, 256);
  return RowsText(program, type, routine == spec::Routine::dot, rows).run(zero_start);
}

const Plan* plan_at(const RulePlan& rule, std::int64_t n) {
  const std::int64_t q = rule.block > 0 ? n / rule.block : 0, r = n - q * rule.block;
  for (const auto* plans : {&rule.cold, &rule.hot})
    for (const Plan& plan : *plans) {
      const Domain& d = plan.domain;
      const bool has_q = rule.block == 0 || (d.q_lo <= q && q <= d.q_hi);
      if (has_q && d.r_lo <= r && r <= d.r_hi) return &plan;
    }
  return nullptr;
}

}  // namespace reprosum::kernels::text
