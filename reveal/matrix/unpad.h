// Padded loops written out by their residues.
#pragma once

#include "spec/order.h"

namespace reprosum::reveal {

// The same trees with a case of its own for every residue of a padded loop, where that can be
// written (blocks of at most 64). Kernels that load the last few summands under a mask add +0 in
// place of the missing ones, so that zero starts depend on the residue.
spec::Order unpadded(const spec::Order& order);

}  // namespace reprosum::reveal
