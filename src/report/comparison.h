// What `diff` says about groups of contexts.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/diff_matrix.h"
#include "spec/spec.h"
#include "spec/surface.h"
#include "src/report/pairing.h"
#include "src/report/wording.h"

namespace reprosum::report {

// One group of contexts of one routine.
struct Comparison {
  std::string routine;   // "sdot", "sgemm NT"
  std::string verdict;   // "same", "differs", "only in A", "only in B", "same, other coverage",
                         // "defined nowhere" (of two orders)
  std::string contexts;  // in one line
  std::string text;      // further details in whole lines; "" if there are none
  std::string brief;     // the same in one line, for a routine named before; "": nothing shorter
  Json json;
  bool same() const { return verdict == "same"; }
};

std::vector<Comparison> compare_entries(const spec::Spec& a, const spec::Spec& b,
                                        const ThreadPair& threads);
std::vector<Comparison> compare_empty(const spec::Spec& a, const spec::Spec& b,
                                      const ThreadPair& threads);  // calls without summands

// What compare_entries() asks about a pairing that both sides cover; it names the routine and the
// contexts. The specs must outlive them. For sum and dot: the first size and the first addition at
// which two orders part.
class OrderComparer {
 public:
  OrderComparer(const spec::Spec& a, const spec::Spec& b) : a_(a), b_(b) {}
  Comparison compare(const Pairing& pairing);

 private:
  const spec::Spec &a_, &b_;
  // Many groups of contexts share one pair of orders.
  std::map<std::pair<std::size_t, std::size_t>, std::optional<spec::OrderDifference>> known_;
};

// For gemv and gemm: the first shape, output and addition at which they part, and how.
class RegionComparer {
 public:
  RegionComparer(const spec::Spec& a, const spec::Spec& b) : a_(a), b_(b), comparer_(a, b) {}
  Comparison compare(const Pairing& pairing);

 private:
  const spec::Spec &a_, &b_;
  spec::MatrixComparer comparer_;
};

}  // namespace reprosum::report
