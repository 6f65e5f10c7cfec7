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
#include "spec/order.h"
#include "spec/region.h"
#include "spec/tree.h"

namespace reprosum::spec {

const char* name(Routine routine);  // "dot"
// "sdot"; of a type that BLAS has no letter for "dot(bf16)".
std::string blas_name(Routine routine, Type type);
std::optional<std::pair<Routine, Type>> routine_from_blas_name(const std::string& name);

// What was done to believe an entry; outside the hash. Sizes of sum and dot are shapes {1, 1, n},
// and their vectors outputs. What was not done is 0 or empty.
struct Certificate {
  // For sum and dot, whose one order is revealed at many sizes:
  std::vector<std::int64_t> revealed;   // sizes whose whole tree was revealed without a prediction
  std::vector<std::int64_t> all_nodes;  // sizes at which every node was tested
  int repetitions = 0;                  // of the all-node check
  std::vector<std::int64_t> probed;     // sizes at which random masks were tested
  int probes_per_size = 0;

  std::int64_t shapes_learned = 0;   // shapes whose map was looked at while the rule was sought
  std::int64_t shapes_checked = 0;   // held-out shapes, every output compared by random replay
  std::int64_t outputs_checked = 0;  // outputs of these, bit-equal to the interpreter
  std::int64_t special_outputs = 0;  // those with signed zeros, subnormals, Inf or NaN in the data
  // Calls besides, of each class of data that a library may branch on ("nonnegative", ...;
  // reveal/check/random_data.h), and up to which n every size was among them.
  std::map<std::string, std::int64_t> classes;
  std::int64_t every_size_to = 0;
  Shape3 largest;          // the greatest m, n and k tested by anything
  std::int64_t calls = 0;  // executions of the probed routine
  std::uint64_t seed = 0;
  std::vector<std::string> not_checked;  // plain sentences: what this certificate does not say
  bool operator==(const Certificate&) const = default;
};

// The calls that a guard admits, and which output follows which order. A sum or dot product is a
// product of one output without alpha, beta and C: its only regime has one class.
struct Entry {
  Routine routine = Routine::dot;
  Type type = Type::f64;
  Guard guard;
  std::vector<MatrixRegime> regimes;  // the first one whose guard holds decides
  std::int64_t m_max = 1, n_max = 1;  // no claim beyond; the regimes say how long sums may be
  Certificate certificate;
};

// An entry of sum or dot that covers 1..k_max numbers. `order` is an index into Spec::orders.
Entry entry_of_one_output(Routine routine, Type type, Guard guard, std::size_t order,
                          std::int64_t k_max);
// The order of sum or dot. @pre !has_matrices(entry.routine)
std::size_t order_of(const Entry& entry);
// The most summands of any regime.
std::int64_t most_summands(const Entry& entry);

struct Refusal {        // something a capture was asked for and did not certify
  std::string routine;  // "sdot"
  std::string context;  // "incx=-1, threads=2"
  std::string reason;   // not_deterministic, not_a_tree, exact, input_dependent, ...
  std::string detail;
  bool operator==(const Refusal&) const = default;
};

struct Spec {
  std::vector<Order> orders;
  std::vector<Entry> entries;
  std::vector<EmptyRule> empty_rules;                           // calls without summands
  std::vector<std::pair<std::string, std::string>> provenance;  // outside the hash; sorted by key
  std::vector<Refusal> refusals;                                // outside the hash
};

// The entry that covers the call (its shape included), one that limits neither data nor alpha if
// there is one; or nullptr and, in *why, the first thing that is not covered.
const Entry* find(const Spec& spec, const Context& call, std::string* why = nullptr);

// @post orders sorted and without duplicates, entries sorted, guards sorted and deduplicated.
void canonicalize(Spec& spec);

}  // namespace reprosum::spec
