// The independent referee: sums and dot products held by MPFR in more bits than any of them has,
// and rounded once by MPFR. Special values by the rules of include/reprosum/exact.h, spelled out.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "src/exact/values/round.h"

namespace reprosum::exact::testing {

template <class T>
using BitsOf = typename Format<T>::Bits;

template <class T>
BitsOf<T> bits(T value) {
  return std::bit_cast<BitsOf<T>>(value);
}

inline mpfr_rnd_t mpfr_mode(Rounding mode) {
  switch (mode) {
    case Rounding::toward_zero:
      return MPFR_RNDZ;
    case Rounding::upward:
      return MPFR_RNDU;
    case Rounding::downward:
      return MPFR_RNDD;
    default:
      return MPFR_RNDN;
  }
}

inline constexpr Rounding kModes[] = {Rounding::nearest_even, Rounding::toward_zero,
                                      Rounding::upward, Rounding::downward};

class Referee {
 public:
  // 4196 bits of products and 404 for carries; products of three need kTriples.
  static constexpr mpfr_prec_t kTriples = 6800;
  explicit Referee(mpfr_prec_t bits = 4600) {
    mpfr_init2(sum_, bits);
    mpfr_init2(product_, 192);
    mpfr_init2(factor_, 64);
    clear();
  }
  ~Referee() {
    mpfr_clear(sum_);
    mpfr_clear(product_);
    mpfr_clear(factor_);
  }
  Referee(const Referee&) = delete;
  Referee& operator=(const Referee&) = delete;

  void clear() {
    mpfr_set_zero(sum_, 1);
    nan_ = plus_ = minus_ = any_ = not_minus_zero_ = not_plus_zero_ = false;
  }

  void add(double x) {
    if (!note(x)) return;
    inexact_ |= mpfr_add_d(sum_, sum_, x, MPFR_RNDN) != 0;
  }

  void add_product(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) {
      note(x * y);  // zeros, infinities and NaN: exact in any arithmetic
      return;
    }
    note(std::signbit(x) == std::signbit(y) ? 1.0 : -1.0);
    mpfr_set_d(factor_, x, MPFR_RNDN);
    inexact_ |= mpfr_mul_d(product_, factor_, y, MPFR_RNDN) != 0;
    inexact_ |= mpfr_add(sum_, sum_, product_, MPFR_RNDN) != 0;
  }

  void add_triple(double x, double y, double z) {
    const double kind = sign_and_kind(sign_and_kind(x) * sign_and_kind(y)) * sign_and_kind(z);
    note(kind);
    if (!std::isfinite(kind) || kind == 0) return;
    mpfr_set_d(factor_, x, MPFR_RNDN);
    inexact_ |= mpfr_mul_d(product_, factor_, y, MPFR_RNDN) != 0;
    inexact_ |= mpfr_mul_d(product_, product_, z, MPFR_RNDN) != 0;
    inexact_ |= mpfr_add(sum_, sum_, product_, MPFR_RNDN) != 0;
  }

  // False if MPFR itself had to round: then it is no referee.
  bool trustworthy() const { return !inexact_; }

  template <class T>
  T rounded(Rounding mode) const {
    if (nan_ || (plus_ && minus_)) return std::numeric_limits<T>::quiet_NaN();
    if (plus_ || minus_)
      return plus_ ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    if (mpfr_zero_p(sum_)) {
      const bool minus =
          any_ && (!not_minus_zero_ || (mode == Rounding::downward && not_plus_zero_));
      return minus ? T(-0.0) : T(0.0);
    }
    if constexpr (std::is_same_v<T, float>) return mpfr_get_flt(sum_, mpfr_mode(mode));
    return static_cast<T>(mpfr_get_d(sum_, mpfr_mode(mode)));
  }

  mpfr_srcptr sum() const { return sum_; }
  // A NaN or an infinity decides.
  bool is_special() const { return nan_ || plus_ || minus_; }

 private:
  // 1 or -1 for any finite number but zero.
  static double sign_and_kind(double x) {
    return std::isfinite(x) && x != 0 ? std::copysign(1.0, x) : x;
  }

  // Is the term finite?
  bool note(double term) {
    any_ = true;
    if (term != 0 || !std::signbit(term)) not_minus_zero_ = true;
    if (term != 0 || std::signbit(term)) not_plus_zero_ = true;
    if (std::isnan(term)) nan_ = true;
    if (std::isinf(term)) (term > 0 ? plus_ : minus_) = true;
    return std::isfinite(term);
  }

  mpfr_t sum_, product_, factor_;
  bool nan_, plus_, minus_, any_, not_minus_zero_, not_plus_zero_;
  bool inexact_ = false;
};

}  // namespace reprosum::exact::testing
