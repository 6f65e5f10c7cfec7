// How far beyond the sizes that they were learned from do the rules of gemv and gemm hold?
//
// Rules are learned from products of up to 2048 rows, columns and summands. They also say what a
// longer product would do: the words of rows and the orders repeat with their periods.
// reach_beyond() asks whether the library does that, up to the sizes of CaptureOptions::reach
// (--reach): at most 131,072 of each size, 2^23 elements of an operand and 2^33 multiplications.
//
// Shapes are drawn from the very region that will be claimed (capture/reach_region): some close to
// every corner, where three limits meet, some on each limit, and others evenly in the logarithms.
// If an order changes where a product of sizes exceeds some value, at least one corner lies beyond
// that border. All rows of A are equal in these products, and all columns of B
// (MatrixCheck::is_uniform), so that outputs of one class have equal bits and the interpreter
// replays only one of each class.
//
// Thin products are compared at every size up to 4,200 as well (CaptureOptions::every_size_to): for
// a block of any length below that, every remainder occurs among these sizes. So are some hundred
// sizes above, which libraries may tell from others (check/far_sizes).
//
// When a product is wrong, its sizes are made smaller as long as it stays wrong
// (capture/reach_border). The sizes that could not shrink bound what is excluded: shapes where each
// of them exceeds a limit of its own, or where their product exceeds one. For example, if a product
// of m = 9000, n = 3, k = 5000 stays wrong with m = n = 1 and with k down to 4100, all shapes whose
// k is above a limit somewhat below 4100 are excluded. The spec says so by regimes that cover
// nothing. Then all shapes are drawn anew, many of them near the new limits, until every one is
// right. After ten such borders, each size that a wrong product has beyond the learned ones ends
// where it was learned.
//
// A long sum of gemv may be added block by block into C: gemv T of OpenBLAS takes 2048 doubles or
// 4096 floats at a time. While the rules are learned, go_on_beyond() therefore looks at up to
// 16,384 summands. Where the learned rule fails first, a block ends; random updates must confirm
// that blocks of one length go on from there (gone_on in matrix/running_update).
//
// Words of rows repeat only after several blocks of rows. If these blocks are longer than some 600
// rows, or the first one differs from the others, the rules end at the last size that was learned
// or at the end of a block (OpenBLAS Haswell has blocks of 320 rows for sgemm, 4096 for sgemv N).
//
// Other limits hold for a target that takes 0.15 s or more for 512 x 512 x 512: it is asked for
// products of at most 2^30 multiplications, and no more are claimed beyond 2048.
#pragma once

#include <string>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/reach_region.h"
#include "reveal/capture/routine_capture.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// Lets the rules of the entry cover longer products, as far as options.reach asks for, and excludes
// shapes that have other bits. Random products of every context are compared, of the very shapes
// that are claimed then (reach_region.h), until all that were drawn anew are right. Excluded shapes
// begin at the least sizes, or the least product of sizes, that was wrong; learned shapes are
// excluded as well if they are wrong there. The certificate gets what was compared. The dearest
// products of a slow target are neither asked for nor claimed.
// @pre the entry holds up to options.largest. Throws what a target throws; the entry is sound then.
void reach_beyond(Targets& targets, spec::Entry& entry, const std::vector<spec::Order>& orders,
                  const CaptureOptions& options);

// What the entry may cover beyond options.largest, as far as options.reach goes.
ReachRegion reach_of(const spec::Entry& entry, const CaptureOptions& options);

// What a certificate says of products beyond those sizes.
std::string reach_not_checked(const spec::Shape3& learned, std::int64_t every_size_to);

}  // namespace reprosum::reveal
