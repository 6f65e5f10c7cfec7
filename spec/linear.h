// Sums and multiples of linear forms; each throws TooLarge where a coefficient does not fit.
#pragma once

#include "spec/checked.h"
#include "spec/order.h"

namespace reprosum::spec {

inline Linear operator+(const Linear& a, const Linear& b) {
  return {checked_sum(a.q, b.q), checked_sum(a.r, b.r), checked_sum(a.c, b.c)};
}
inline Linear operator-(const Linear& a, const Linear& b) {
  return {checked_difference(a.q, b.q), checked_difference(a.r, b.r), checked_difference(a.c, b.c)};
}
inline Linear operator*(std::int64_t k, const Linear& a) {
  return {checked_product(k, a.q), checked_product(k, a.r), checked_product(k, a.c)};
}
inline bool is_constant(const Linear& value) { return value.q == 0 && value.r == 0; }

// The values of q and r that something holds for.
struct Domain {
  std::int64_t q_lo = 0, q_hi = 0, r_lo = 0, r_hi = 0;

  Int128 least(const Linear& v) const {
    return v.exactly_at(v.q < 0 ? q_hi : q_lo, v.r < 0 ? r_hi : r_lo);
  }
  Int128 greatest(const Linear& v) const {
    return v.exactly_at(v.q < 0 ? q_lo : q_hi, v.r < 0 ? r_lo : r_hi);
  }
  bool operator==(const Domain&) const = default;
  bool fixes_q() const { return q_lo == q_hi; }
  bool fixes_r() const { return r_lo == r_hi; }
};

}  // namespace reprosum::spec
