// How far beyond the sizes that they were learned from do the rules of gemv and gemm hold?
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
void reach_beyond(Targets& targets, spec::MatrixEntry& entry,
                  const std::vector<spec::Order>& orders, const CaptureOptions& options);

// What the entry may cover beyond options.largest, as far as options.reach goes.
ReachRegion reach_of(const spec::MatrixEntry& entry, const CaptureOptions& options);

// What a certificate says of products beyond those sizes.
std::string reach_not_checked(const spec::Shape3& learned);

}  // namespace reprosum::reveal
