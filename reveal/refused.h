// Why no order is given. A refusal is a result, not a failure of ours.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace reprosum::reveal {

// reason is one of
//   not_a_sum           outputs are unrelated to the sum of the inputs (garbage)
//   flushes_subnormals  subnormal inputs or results are taken as zero
//   not_deterministic   equal inputs gave different outputs, be it once in some hundred calls
//   exact               outputs are the correctly rounded exact sum: there is no order
//   compensated         more accurate than any tree (Kahan and its kin)
//   input_dependent     the order depends on the values (sorted sums, zero skipping)
//   skips_nan           a NaN among the summands is left out, as by numpy.nansum
//   address_dependent   an address beyond its residue modulo 64, or what operands have to do with
//                       each other in memory, selects the order
//   faces_differ        Fortran's routine and CBLAS's have different orders, or transposes that
//                       are called T and C
//   not_a_tree          the mask answers are not those of any tree
//   directed_rounding   additions or products are rounded toward zero, up, down or away from zero
//   unknown_arithmetic  a tree, but no known arithmetic reproduces the bits
//   unknown_rule        trees, but no rule over n was found
//   unmaskable          masks cannot cancel in this context (every summand is the same, ...)
//   not_probed          the budget (time, calls) ended first
//   not_reached         the whole run was ended before (reveal/capture/run_end.h)
struct Refused : std::runtime_error {
  Refused(std::string reason, const std::string& what)
      : std::runtime_error(what), reason(std::move(reason)) {}
  std::string reason;
};

// What was found at one size n contradicts everything that is known; other sizes may not.
struct RefusedAt : Refused {
  RefusedAt(std::string reason, const std::string& what, std::int64_t n)
      : Refused(std::move(reason), what), n(n) {}
  std::int64_t n;
};

}  // namespace reprosum::reveal
