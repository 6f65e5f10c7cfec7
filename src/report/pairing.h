// Which entries of two specs speak about the same contexts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/spec.h"

namespace reprosum::report {

// Compare this thread count of A with that one of B; nullopt: each with the same one.
using ThreadPair = std::optional<std::pair<int, int>>;

// Calls that differ only in their shape and within what `where` lists.
struct Place {
  spec::Increments increments;
  std::string threads;  // "2"; "1:2" where thread counts are compared
  std::string where;    // ", by columns and rows, A without gaps"; "": all of sum and dot
};

// The contexts of one routine in which the same entries apply. An empty side does not cover them.
struct Pairing {
  std::string name;  // "sgemm NT"
  spec::Routine routine = spec::Routine::gemm;
  std::vector<const spec::Entry*> a, b;  // the first that covers a shape decides
  std::vector<Place> places;             // unit increments first
};

// @post every context that one of the specs covers for some shape is in exactly one pairing;
// ordered by routine, type and transposition, then by the first context.
std::vector<Pairing> pair_entries(const spec::Spec& a, const spec::Spec& b,
                                  const ThreadPair& threads);

// "inc 1:1 2:1, threads 1 2, by columns; inc -1:1, threads 1, by columns and rows".
std::string text_of(const Pairing& pairing);

// One for each place: "inc 1:1 threads 2, by columns".
std::vector<std::string> contexts_of(const Pairing& pairing);

}  // namespace reprosum::report
