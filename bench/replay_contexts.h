// Which contexts of a spec a replay must visit, and how many random vectors each of them gets.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace reprosum::bench {

// One thread count and one part of the increments that an entry covers.
struct ReplayContext {
  const spec::Entry* entry = nullptr;  // of the spec that was handed in
  int threads = 1;
  spec::Increments increments;                 // y is 0 for sum
  std::vector<std::pair<int, int>> addresses;  // admitted (x, y) modulo 64, multiples of an element
  std::int64_t vectors = 0;

  bool unit() const;  // has the increments of ordinary calls
  // Contexts as a guard counts them: residue pairs are contexts of their own.
  std::int64_t count() const;
};

// The contexts of one routine with one thread count.
struct ReplayRow {
  spec::Routine routine = spec::Routine::dot;
  spec::Type type = spec::Type::f64;
  int threads = 1;
  std::vector<ReplayContext> contexts;  // unit increments first
};

// Every context of every entry of sum and dot. A routine gets `vectors` of them: 3 in 100 for each
// context with other increments than 1 (less where these would take more than 3 in 5), the rest for
// the others. The spec must outlive the rows.
std::vector<ReplayRow> replay_rows(const spec::Spec& spec, std::int64_t vectors);

}  // namespace reprosum::bench
