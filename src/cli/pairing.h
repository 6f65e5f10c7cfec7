// Which entries of two specs speak about the same contexts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace reprosum::cli {

// Compare this thread count of A with that one of B; nullopt: each with the same one.
using ThreadPair = std::optional<std::pair<int, int>>;

// A set of contexts of one routine in which the same pair of entries applies. -1: that spec does
// not cover them.
struct Pairing {
  spec::Routine routine = spec::Routine::dot;
  spec::Type type = spec::Type::f64;
  int a = -1, b = -1;  // indices into Spec::entries
  std::vector<std::string>
      contexts;  // "inc 1:1 threads 2" or "inc 1:1 threads 1:2", alignments said where they matter
};

// @post every context that one of the specs covers at n = 1 is in exactly one pairing; ordered by
// routine, type and entries.
std::vector<Pairing> pair_entries(const spec::Spec& a, const spec::Spec& b,
                                  const ThreadPair& threads);

}  // namespace reprosum::cli
