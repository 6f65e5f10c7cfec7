// Random matrices for whole products, with the memory that holds them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "reveal/check/random_data.h"
#include "reveal/target.h"
#include "spec/spec.h"

namespace reprosum::reveal {

// op(A) row by row, op(B) column by column, C column by column. The memory serves one product after
// the other: asking for it anew takes as long as filling it.
class Matrices {
 public:
  std::span<double> a, b, c;

  // Fills A, B and C of the call's shapes. Row i and column i % n are made as the pair that Data
  // describes, so that their products underflow, cancel or overflow as the kind says; every other
  // row and column are a mixture. A class that describes one vector alone fills whole matrices.
  void fill(const Call& call, Data kind, FastRandom& random);

  // Puts small numbers of random signs, which alpha does not make zero, for zeros of A and B.
  void leave_no_zero_factors(spec::Type type, FastRandom& random);

  // C about as small as the least normal number, and the alpha (never 0) that makes sums of
  // ordinary size as small: what alpha is fused with shows in the digits that are lost there.
  double put_near_underflow(spec::Type type, FastRandom& random);

  // Factors, none of them zero that was not, so small that every product underflows, and a C of
  // zeros, mostly -0: where a sum begins, and what is fused with +0, shows in signs alone.
  void put_vanishing_products(spec::Type type, FastRandom& random);

  // Makes every element of A or of B the same.
  void make_constant(bool is_b, double value);

  // B := A or -A, as stored. @pre as_one_matrix(call)
  void make_one_matrix(const Call& call, bool is_negated = false);

  std::size_t values() const { return a.size() + b.size() + c.size(); }

  // Gives memory of more elements back.
  void keep(std::size_t most);

 private:
  void fill_whole(const Call& call, Data kind, FastRandom& random);
  void resize(std::size_t m, std::size_t n, std::size_t k);

  std::span<double> beside_;  // room for a row or for another C
  std::unique_ptr<double[]> memory_;
  std::size_t size_ = 0;
};

// The call of a gemm with B in A's memory; nullopt where the stored matrices have other shapes.
// Their leading dimension is that of A.
std::optional<Call> as_one_matrix(Call call);

// Which alpha and beta are drawn.
struct ScalarLimits {
  bool is_alpha_one = false;
  bool may_alpha_be_zero = true;
  bool are_finite = false;    // no Inf, no NaN
  bool are_moderate = false;  // an alpha that makes no factor zero: none that is subnormal
};

// Alpha and beta, mostly at work; each of 0 (of either sign), 1 and -1 in turn, and now and then an
// Inf, a NaN, a subnormal or a huge number.
std::pair<double, double> random_scalars(spec::Type type, const ScalarLimits& limits,
                                         FastRandom& random);

}  // namespace reprosum::reveal
