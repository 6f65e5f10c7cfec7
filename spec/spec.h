// A spec: which order a routine follows in which context, with the evidence for it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/empty.h"
#include "spec/format.h"
#include "spec/guard.h"
#include "spec/matrix.h"
#include "spec/order.h"
#include "spec/tree.h"

namespace reprosum::spec {

const char* name(Routine routine);  // "dot"
// "sdot"; of a type that BLAS has no letter for "dot(bf16)".
std::string blas_name(Routine routine, Type type);
std::optional<std::pair<Routine, Type>> routine_from_blas_name(const std::string& name);

// What was done to believe an order; outside the hash.
struct Certificate {
  std::vector<std::int64_t> revealed;   // sizes whose whole tree was revealed without a prediction
  std::vector<std::int64_t> all_nodes;  // sizes at which every node was tested
  int repetitions = 0;                  // of the all-node check
  std::vector<std::int64_t> probed;     // sizes at which random masks were tested
  int probes_per_size = 0;
  std::int64_t random_vectors = 0;  // hostile random data, replayed by the interpreter, bit-equal
  std::int64_t random_sizes = 0;    // distinct sizes among them
  // Random vectors besides, of each class of data that a library may branch on ("nonnegative", ...;
  // reveal/check/random_data.h), and up to which n every size was among them. Empty and 0: none.
  std::map<std::string, std::int64_t> classes;
  std::int64_t every_size_to = 0;
  std::int64_t largest = 0;  // largest size tested by anything
  std::int64_t calls = 0;    // executions of the probed routine
  std::uint64_t seed = 0;
  std::vector<std::string> not_checked;  // plain sentences: what this certificate does not say
  bool operator==(const Certificate&) const = default;
};

struct Entry {
  Routine routine = Routine::dot;
  Type type = Type::f64;
  Guard guard;
  std::size_t order = 0;   // index into Spec::orders
  std::int64_t n_max = 0;  // covers 1..n_max; n <= 0 is an EmptySum's
  Certificate certificate;
};

struct Refusal {        // something a capture was asked for and did not certify
  std::string routine;  // "sdot"
  std::string context;  // "incx=-1, threads=2"
  std::string reason;   // not_deterministic, not_a_tree, exact, input_dependent, ...
  std::string detail;
  bool operator==(const Refusal&) const = default;
};

struct Spec {
  std::vector<Order> orders;
  std::vector<Entry> entries;                                   // sum and dot
  std::vector<MatrixEntry> matrices;                            // gemv and gemm
  std::vector<EmptySum> empty_sums;                             // n <= 0 of sum and dot
  std::vector<EmptyUpdate> empty_updates;                       // k = 0 of gemv and gemm
  std::vector<std::pair<std::string, std::string>> provenance;  // outside the hash; sorted by key
  std::vector<Refusal> refusals;                                // outside the hash
};

// The entry that covers the call (its shape included), one that limits neither data nor alpha if
// there is one; or nullptr and, in *why, the first thing that is not covered.
const Entry* find(const Spec& spec, const Context& call, std::string* why = nullptr);
const MatrixEntry* find_matrix(const Spec& spec, const Context& call, std::string* why = nullptr);

// @post orders sorted and without duplicates, entries sorted, guards sorted and deduplicated.
void canonicalize(Spec& spec);

}  // namespace reprosum::spec
