// What adds the values of an order's pieces, for sums that are walked.
#pragma once

#include <cstdint>

#include "kernels/text/device_text.h"

namespace reprosum::kernels::text {

// A sum of values, first to last: the list has its target, whether it is wide (1) or narrow (0),
// the number of values, and their places; place -1 is the constant +0. Places are of a row's
// `values`, which are doubles, ldv a row.
inline constexpr std::int64_t kZeroPlace = -1;

// Two entries, by their index:
//   0: (list, first, count, double* values, ldv, rows)
//      sums first .. first + count - 1 of every row; list[s] is where sum s is in the list
//   1: (list, levels, count, double* values, ldv, rows, root, T* out)
//      a group for each row: levels, one after the other; list[levels + l] and list[levels + l + 1]
//      are the first sum of level l and the first one behind it. Then out[row] = values[root].
DeviceText device_combine(spec::Type type, spec::Flush flush);

}  // namespace reprosum::kernels::text
