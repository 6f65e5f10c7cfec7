// Where entries of gemv or gemm part, and in how many ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/diff_orders.h"
#include "spec/spec.h"

namespace reprosum::spec {

// One way to differ: a pair of orders, one of each spec, that meet at an output and part there; or
// one order with other rules for beta = 0 or alpha = 0.
struct MatrixDifference {
  Shape3 shape;                          // the first one, as shapes_that_matter() sorts them
  std::int64_t i = 0, j = 0;             // its first output that differs so, row by row
  std::int64_t rows = 0, columns = 0;    // the neighbours from (i, j) on that differ so
  std::size_t order_a = 0, order_b = 0;  // indices into Spec::orders
  std::string node_a, node_b;            // where the trees part at this k; "": they do not
  std::string what;                      // for people: "K blocks of 448 against 320 from k = 321"
  std::int64_t shapes = 0;               // shapes tried that have an output which differs so
};

struct MatrixCoverage {
  Shape3 shape;  // the first that only one side covers, or covers only in part
  bool in_a = false;
  std::string what;  // for people: "only the second covers m = 8, n = 1, k = 1"
};

struct MatrixComparison {
  std::vector<MatrixDifference> ways;  // every way that was met, the first one first
  std::int64_t outputs = 0;            // outputs of the first shape that differ in any way
  std::optional<MatrixCoverage> coverage;
  std::int64_t shapes = 0, differing = 0;  // shapes that both cover; those with a difference
  // Each order of one side is one of the other: what differs is where they stand.
  bool same_orders = false;
};

// Compares entries of two specs; both must outlive it. What is found out about pairs of orders
// serves all comparisons.
class MatrixComparer {
 public:
  using Entries = std::vector<const Entry*>;  // the first that covers a shape decides

  MatrixComparer(const Spec& a, const Spec& b) : a_(a), b_(b), orders_(a, b) {}

  // The entries of each side, at least one, hold in the same contexts (their guards are not looked
  // at, but for what they say of data and alpha). Searched: every m, n <= 40 at several k, then
  // sizes near guards, segment borders and order thresholds, and log-uniform ones. Throws UserError
  // if the entries speak of different routines, types or transpositions.
  MatrixComparison compare(const Entries& a, const Entries& b);

 private:
  const Spec &a_, &b_;
  OrderPairs orders_;
};

}  // namespace reprosum::spec
