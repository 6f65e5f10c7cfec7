// From captured contexts to the entries of a spec: contexts that share an order become one entry.
#pragma once

#include <cstdint>
#include <vector>

#include "spec/spec.h"

namespace reprosum::reveal {

// One captured context: increments, a thread count, a class of addresses.
struct Piece {
  std::vector<spec::Increments> increments;
  int threads = 1;
  spec::AddressGuard addresses;
  std::size_t order = 0;  // index into Spec::orders
  std::int64_t n_max = 0;
  std::int64_t replayed = 0;  // random vectors beyond the order's own certificate
};

// Appends entries for the pieces. A guard is a product of increments, threads and residues, so only
// pieces that fill such a product share an entry. certificates[k] belongs to orders[k].
void append_entries(spec::Routine routine, spec::Type type, const std::vector<Piece>& pieces,
                    const std::vector<spec::Certificate>& certificates, spec::Spec& spec);

}  // namespace reprosum::reveal
