// A format by MPFR's exponent range and subnormalize, which share no code with spec/.
#pragma once

#include <mpfr.h>

#include "spec/format.h"

namespace reprosum::spec::test {

// @pre a format with infinities that keeps subnormal numbers.
inline double rounded_by_mpfr(const Format& format, mpfr_srcptr exact) {
  mpfr_t result;
  mpfr_init2(result, format.significand_bits);
  int ternary = mpfr_set(result, exact, MPFR_RNDN);
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  // MPFR's significands lie in [1/2, 1).
  mpfr_set_emin(3 - (1 << (format.exponent_bits - 1)) - (format.significand_bits - 1));
  mpfr_set_emax(1 << (format.exponent_bits - 1));
  ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
  mpfr_subnormalize(result, ternary, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const double value = mpfr_get_d(result, MPFR_RNDN);
  mpfr_clear(result);
  return value;
}

}  // namespace reprosum::spec::test
