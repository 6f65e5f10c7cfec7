#include "kernels/text/device_combine.h"

#include <fmt/format.h>

namespace reprosum::kernels::text {
namespace {

constexpr int kGroup = 128;

// A sum's values are added one after the other, as the order has them.
constexpr const char* kSum = R"(    const I64 sum = {0};
    GLOBAL const I64 *one = list + list[sum];
    const I64 target = one[0], is_wide = one[1], count_of_values = one[2];
    double total = one[3] < 0 ? 0.0 : row_values[one[3]];
    UNROLL
    for (I64 k = 1; k < count_of_values; ++k) {{
      const double value = one[3 + k] < 0 ? 0.0 : row_values[one[3 + k]];
      total = is_wide ? ADDD(total, value) : {1};
    }}
    row_values[target] = total;
)";

}  // namespace

DeviceText device_combine(spec::Type type, spec::Flush flush) {
  const bool is_f32 = spec::is_f32(type);
  const char* const narrow =
      is_f32 ? "(double)ADDF((float)total, (float)value)" : "ADDD(total, value)";
  DeviceText made;
  made.text = device_macros() + device_flush(flush, type);
  made.entries = {{"combine", kGroup}, {"combine_rest", kGroup}};
  made.text += fmt::format(
      "\nKERNEL({0}) void combine(GLOBAL const I64 *list, I64 first, I64 count, "
      "GLOBAL double *values, I64 ldv, I64 rows) {{\n"
      "  const I64 unit = GROUP * {0} + ITEM;\n"
      "  if (unit < rows * count) {{\n"
      "    GLOBAL double *row_values = values + unit / count * ldv;\n",
      kGroup);
  made.text += fmt::format(fmt::runtime(kSum), "first + unit % count", narrow) + "  }\n}\n";
  made.text += fmt::format(
      "\nKERNEL({}) void combine_rest(GLOBAL const I64 *list, I64 levels, I64 count, "
      "GLOBAL double *values, I64 ldv, I64 rows, I64 root, GLOBAL {} *out) {{\n"
      "  GLOBAL double *row_values = values + GROUP * ldv;\n"
      "  for (I64 level = 0; level < count; ++level) {{\n"
      "    const I64 first = list[levels + level], end = list[levels + level + 1];\n"
      "    for (I64 at = first + ITEM; at < end; at += {}) {{\n",
      kGroup, device_type(false, type), kGroup);
  made.text += fmt::format(fmt::runtime(kSum), "at", narrow);
  made.text += fmt::format("    }}\n    BARRIER();\n  }}\n  if (ITEM == 0) out[GROUP] = {};\n}}\n",
                           is_f32 ? "NARROW(row_values[root])" : "row_values[root]");
  return made;
}

}  // namespace reprosum::kernels::text
