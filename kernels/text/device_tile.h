// Products for a device: a work-item has some outputs of one class, each in the order of the class.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "kernels/plan/plan.h"
#include "kernels/program/tile.h"
#include "kernels/text/device_text.h"

namespace reprosum::kernels::text {

// The outputs of a group. A work-item's lie in runs of `run` neighbours, and those of the group's
// work-items one after the other.
struct DeviceTile {
  int down = 1, across = 1;                // outputs of a work-item
  int items_down = 128, items_across = 1;  // work-items of a group
  int run = 1;                             // divides down and across
  bool staged = false;                     // summands pass through the group's memory
  std::int64_t rows() const { return std::int64_t{down} * items_down; }
  std::int64_t columns() const { return std::int64_t{across} * items_across; }
  auto operator<=>(const DeviceTile&) const = default;
};

// A rectangle of outputs by one plan of a piece. The arguments of `name`:
//   x, x_at, x_step, x_row        row i, summand p of the piece: x[x_at + i*x_row + p*x_step]
//   y, y_at, y_step, y_column     the same of column j
//   c, c_at, c_row, c_column      output (i, j)
//   rows, columns, q, r, alpha, beta
// Groups: those of the rows in turn, and of the columns.
DeviceText device_tile(const Plan& plan, spec::Type type, Ending ending, const DeviceTile& tile,
                       const std::string& name);

// The same with the same arguments, where the lanes of the order are work-items: for outputs whose
// summands are neighbours in memory. A group has `outputs`, down the columns one after the other;
// 0 where the plan has no lanes that are worth it, and no text.
struct DeviceRowsTile {
  DeviceText text;
  std::int64_t outputs = 0;
};
DeviceRowsTile device_tile_rows(const Plan& plan, spec::Type type, Ending ending,
                                const std::string& name);

// What no plan does to a rectangle of outputs. Entries, by their index, all of (c, c_at, c_row,
// c_column, rows, columns, alpha, beta, values), a group for each 128 outputs of a column:
enum class DeviceStep : std::uint8_t {
  set,       // alpha
  multiply,  // beta*c
  add_zero,  // c + 0
  end_store,
  end_scaled,
  end_fuse_output,
  end_scaled_fuse,
  end_add,
  end_add_scaled,
  end_fuse_scaled,  // what the ending does with values[i + j*rows]
};
DeviceStep end_step(Ending ending);
DeviceText device_steps(spec::Type type);
inline constexpr std::int64_t kDeviceSteps = 128;  // outputs of a group

}  // namespace reprosum::kernels::text
