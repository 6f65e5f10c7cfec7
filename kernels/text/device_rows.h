// Sums and dot products for a device: a lane of the order is a work-item, a group has some rows.
#pragma once

#include <string>

#include "kernels/plan/plan.h"
#include "kernels/text/device_text.h"
#include "spec/spec.h"

namespace reprosum::kernels::text {

// What the rows of a launch are, and where their values go.
enum class DeviceRows : std::uint8_t {
  whole,   // every row is a sum of its own; its value, rounded to the routine's type
  pieces,  // pieces of rows; their values as doubles, which a combination takes up
};

struct DeviceKernel {
  DeviceEntry entry;
  std::int64_t rows = 1;  // of a group
  std::string text;       // behind device_macros()
};

// n summands of every row by the one plan that holds for n. The arguments of `name`:
//   x, x_at, incx, ldx, (y, y_at, incy, ldy of a dot product), n, rows,
//   whole:  T* out               out[row]
//   pieces: places, count, double* out, at, ldout
//           piece k < count of a row begins at its summand places[k]; out[row*ldout + at + k]
// The first summand of row r is x[x_at + r*ldx], the next one incx further on.
// zero_start: the sum starts at +0. Throws UserError for a plan with too many lanes for a group's
// memory.
DeviceKernel device_rows(const RulePlan& rule, const Plan& plan, spec::Routine routine,
                         spec::Type type, DeviceRows rows, bool zero_start,
                         const std::string& name);

// The plan of the rule that holds for n, or nullptr.
const Plan* plan_at(const RulePlan& rule, std::int64_t n);

}  // namespace reprosum::kernels::text
