// How far beyond the sizes that they were learned from do the rules of gemv and gemm hold?
//
// Rules of gemv and gemm are learned from products of up to 2048 rows, columns and summands.
// They say what they would do with more: words of rows go on with their period, orders with
// theirs. capture/matrix_reach asks whether the library does (--reach, in
// CaptureOptions::reach). It claims up to 131,072 of each size, 2^23 elements of an operand and
// 2^33 multiplications, and draws shapes of that very region (capture/reach_region). Where a
// product of sizes exceeds some value, a corner of the region does, so that all corners are
// drawn, some shapes on each limit, and others evenly in the logarithms. All rows of A are equal
// in them, and all columns of B (MatrixCheck::is_uniform): outputs of one class have equal bits
// then, and the interpreter replays one of each class.
//
// Every size up to 4,200 (CaptureOptions::every_size_to) is compared besides, in thin shapes:
// blocks of whatever length leave each of their rests behind there.
//
// What is wrong is made smaller as long as it is wrong (capture/reach_border). The sizes that
// had to stay say what is left out: sizes that all exceed a value of their own, or a product of
// sizes that does. Regimes that cover nothing say so in the spec. All shapes are drawn anew
// then, near the new limit above all, until every one is right. After ten borders, sizes in
// which products are still wrong end where they were learned.
//
// Sums of gemv that the learned rule does not explain up to 16,384 summands are looked at first
// (gone_on in matrix/running_update): the least wrong number of summands is the end of a block,
// and what follows goes on in such blocks from what is in C, if random updates say so. gemv T of
// OpenBLAS does that, 2048 doubles or 4096 floats at a time.
//
// Rows that are taken in blocks have a period only beyond several blocks. Where these are longer
// than some 600 rows, or begin otherwise (OpenBLAS Haswell: sgemm 320, sgemv N 4096 rows), the
// rules end at the last size that was learned or at the block.
//
// A target that takes 0.15 s for 512 x 512 x 512 is asked for 2^30 multiplications at most, and
// no more are claimed beyond 2048.
#pragma once

#include <string>
#include <vector>

#include "reveal/capture.h"
#include "reveal/capture/reach_region.h"
#include "reveal/capture/routine_capture.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// Lets the rules of the entry cover longer products, as far as options.reach asks for, and leaves
// out of these what has other bits: random products of every context are compared, of the very
// shapes that are claimed then (reach_region.h), until all that were drawn anew are right. What is
// wrong is left out from the least sizes on at which it was wrong, or from the least product of
// sizes; of the learned sizes, too, if it is wrong there. The certificate gets what was compared.
// Of a slow target the dearest products are neither asked for nor claimed.
// @pre the entry holds up to options.largest. Throws what a target throws; the entry is sound then.
void reach_beyond(Targets& targets, spec::Entry& entry, const std::vector<spec::Order>& orders,
                  const CaptureOptions& options);

// What the entry may cover beyond options.largest, as far as options.reach goes.
ReachRegion reach_of(const spec::Entry& entry, const CaptureOptions& options);

// What a certificate says of products beyond those sizes.
std::string reach_not_checked(const spec::Shape3& learned);

}  // namespace reprosum::reveal
