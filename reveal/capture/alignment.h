// Which addresses matter: residue pairs of the first elements modulo 64 bytes, sorted into classes.
//
// The bits of random cancelling data over all residue pairs sort the addresses of a sum or dot
// product into classes. The smallest modulus that explains the classes becomes the guard. For gemv
// and gemm, capture/matrix_addresses moves each operand and leading dimension alone from several
// places, and random combinations must agree. Each class is a context of its own. beta = 1 and
// other beta are contexts of their own if 1 times C gives other bits than 1/2 times 2*C
// (capture/matrix_beta).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reveal/target.h"

namespace reprosum::reveal {

struct AlignmentClasses {
  int modulus = 1;  // smallest power of two at which the classes are a function of the residues
  // classes[k]: residue pairs (x, y) modulo `modulus`, ascending; y is 0 for sum. The class that
  // holds (0, 0) comes first.
  std::vector<std::vector<std::pair<int, int>>> classes;
};

// Groups all residue pairs by the bits of random cancelling data at several sizes. `thorough` tries
// every pair; otherwise x alone, y alone and both together move, and everything is tried only if
// one of those changes a bit.
AlignmentClasses alignment_classes(Target& target, const Call& context, bool thorough,
                                   std::uint64_t seed);

// Whether the target puts vectors of n elements where calls say, or chooses their addresses itself.
bool places_vectors(Target& target, const Call& context, std::int64_t n);

}  // namespace reprosum::reveal
