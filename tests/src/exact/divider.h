// One rounding of a quotient by MPFR, and entries of systems to divide.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/src/exact/generators.h"
#include "tests/src/exact/referee.h"

namespace reprosum::exact::testing {

// sum / divisor rounded once, by MPFR: 9000 bits are more than a quotient and the middle of two
// numbers can share.
template <class T>
class Divider {
 public:
  Divider() { mpfr_init2(quotient_, 9000); }
  ~Divider() { mpfr_clear(quotient_); }
  Divider(const Divider&) = delete;
  Divider& operator=(const Divider&) = delete;

  T operator()(const Referee& sum, T divisor) {
    const T rounded = sum.rounded<T>(Rounding::nearest_even);
    T result;
    if (!std::isfinite(rounded) && !mpfr_regular_p(sum.sum())) {
      result = rounded / divisor;
    } else if (std::isnan(rounded) || (std::isinf(rounded) && specials(sum))) {
      result = rounded / divisor;
    } else if (mpfr_zero_p(sum.sum())) {
      result = rounded / divisor;
    } else if (divisor == 0) {
      const bool minus = (mpfr_sgn(sum.sum()) < 0) != std::signbit(divisor);
      result = minus ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    } else {
      mpfr_div_d(quotient_, sum.sum(), divisor, MPFR_RNDN);
      result = sizeof(T) == 8 ? static_cast<T>(mpfr_get_d(quotient_, MPFR_RNDN))
                              : static_cast<T>(mpfr_get_flt(quotient_, MPFR_RNDN));
    }
    return std::isnan(result) ? std::numeric_limits<T>::quiet_NaN() : result;
  }

 private:
  // Infinite for its terms, not for its size?
  static bool specials(const Referee& sum) {
    return std::isinf(sum.rounded<T>(Rounding::toward_zero));
  }
  mpfr_t quotient_;
};

// n numbers of a kind.
template <class T>
std::vector<T> entries(Kind kind, std::size_t n, std::mt19937_64& random) {
  std::vector<T> all;
  while (all.size() < n) {
    const Terms<T> terms = make_terms<T>(kind, n, true, random);
    all.insert(all.end(), terms.x.begin(), terms.x.end());
    all.insert(all.end(), terms.y.begin(), terms.y.end());
  }
  all.resize(n);
  return all;
}

}  // namespace reprosum::exact::testing
