// Blocks of terms by the cheapest way that proves itself: narrow slices, wide slices, exponent
// buckets, carry-save digits. What a way gives is used only after its premises were seen to hold.
//
// Not here: kernels that read the inexact flag; they would save the second pass over sums that
// cancel, which cost 3 to 5 times a rounded sum in cache, twice beyond. Buckets filled from
// vectors that were taken apart by vector instructions, and products of far apart exponents in
// one pass. Residuals of solutions of three parts, for certified solutions of systems whose
// errors grow by 2^30 and more.
#pragma once

#include <cstdint>
#include <memory>

#include "src/exact/machine/float_environment.h"
#include "src/exact/machine/path_counts.h"
#include "src/exact/sums/kernels.h"
#include "src/exact/values/accumulator.h"
#include "src/exact/values/buckets.h"
#include "src/exact/values/carry_save.h"

namespace reprosum::exact {

class Ladder {
 public:
  explicit Ladder(const Kernels& kernels) : kernels_(kernels) {}

  // n <= kBlock terms.
  void add_values(std::int64_t n, const double* x);
  void add_products(std::int64_t n, const double* x, const double* y);

  // The sum so far. Which zeros were among the terms is not in it.
  const Accumulator<double>& total();

 private:
  enum Level { kNarrow = 0, kWide = 1, kDigits = 2 };

  template <class Run, class Add>
  void add_block(int guess, Run&& run, Add&& add);
  // The buckets, if they are worth it by now, and there is memory for them.
  Buckets* buckets();
  void add_to_buckets(Buckets& buckets, std::int64_t n, const double* terms);
  template <class Add>
  void add_to_digits(Add&& add);

  const Kernels& kernels_;
  FloatEnvironment environment_;
  Accumulator<double> total_;
  CarrySave<double> digits_;
  std::unique_ptr<Buckets> buckets_;
  std::int64_t in_digits_ = 0, in_buckets_ = 0;
  int exponent_ = 0;
  bool has_exponent_ = false;
  int level_ = kNarrow;
  int until_narrow_ = 0;  // blocks before a cheaper level is tried again
  int patience_ = 0;      // what that was set to
};

}  // namespace reprosum::exact
