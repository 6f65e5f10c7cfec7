// A long sequential sum on a device, out of order with its bits: kernels/chain/README.md proves it.
#pragma once

#include <cstdint>

#include "kernels/chain/chain.h"
#include "kernels/text/device_text.h"
#include "spec/spec.h"

namespace reprosum::kernels::text {

// Blocks are of kChainBlock summands; a group of kChainGroup work-items has one. `values` are
// doubles, 3 for each block of each row, one kind after the other: guesses (ends of binades), net
// sums, sums of sizes. The first summand of row r is x[x_at + r*ldx], the next one incx further on.
inline constexpr std::int64_t kChainBlock = 256, kChainGroup = 64;

// Four entries, by their index, with X: x, x_at, incx, ldx, (y, y_at, incy, ldy of a dot product):
//   0: (X, n, rows, blocks, values)  about the sum of each block; a group for each block and row
//   1: (blocks, values)              about where each block starts: its binade; a group for each
//   row 2: (X, n, rows, blocks, values)  the block inside that binade; a group for each block and
//   row 3: (X, n, rows, blocks, values, out)  out[row]: the blocks that hold, the others one by
//   one; a
//                                    group for each row
// from_zero: the sum starts at +0, else at the first summand; zero_start: +0 is added in the end.
DeviceText device_chain(chain::Op op, spec::Type type, bool from_zero, bool zero_start);

}  // namespace reprosum::kernels::text
