// Functions for FunctionTarget: two plain orders, and sums that are no order at all and must be
// refused. Each serves sum and dot in f32 and f64.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "reveal/target/function_target.h"
#include "tests/reveal/target/exact_accumulator.h"

namespace reprosum::reveal::testing {

// Summand k as the routine adds it: x[k], or the product rounded to T.
template <typename T>
std::vector<T> summands(const Call& call, const double* x, const double* y) {
  std::vector<T> terms(static_cast<std::size_t>(call.k));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    terms[k] = static_cast<T>(x[k]);
    if (call.routine == spec::Routine::dot) terms[k] *= static_cast<T>(y[k]);
  }
  return terms;
}

// A Function from a generic callable that gets std::vector<T>& and returns T.
template <typename Sum>
FunctionTarget::Function over_summands(Sum sum) {
  return [sum](const Call& call, const double* x, const double* y) mutable -> double {
    if (spec::is_f32(call.type)) {
      auto terms = summands<float>(call, x, y);
      return sum(terms);
    }
    auto terms = summands<double>(call, x, y);
    return sum(terms);
  };
}

template <typename T>
T left_to_right(const std::vector<T>& terms) {
  if (terms.empty()) return 0;
  return std::accumulate(terms.begin() + 1, terms.end(), terms.front());
}

// ---- orders ----

inline FunctionTarget::Function sequential() {
  return over_summands([](const auto& terms) { return left_to_right(terms); });
}

// floor(n/2) summands on the left.
inline FunctionTarget::Function pairwise() {
  return over_summands([](auto& terms) {
    using T = typename std::decay_t<decltype(terms)>::value_type;
    const auto sum = [&](const auto& self, std::size_t from, std::size_t to) -> T {
      if (to - from == 1) return terms[from];
      const std::size_t middle = from + (to - from) / 2;
      return self(self, from, middle) + self(self, middle, to);
    };
    return terms.empty() ? T{0} : sum(sum, 0, terms.size());
  });
}

// ---- no orders ----

// The correctly rounded exact sum (of exact products).
inline FunctionTarget::Function exact() {
  return [](const Call& call, const double* x, const double* y) -> double {
    ExactAccumulator sum;
    const bool dot = call.routine == spec::Routine::dot;
    for (std::int64_t k = 0; k < call.k; ++k) sum.add_product(x[k], dot ? y[k] : 1.0);
    return spec::is_f32(call.type) ? sum.to_float() : sum.to_double();
  };
}

inline FunctionTarget::Function kahan() {
  return over_summands([](const auto& terms) {
    using T = typename std::decay_t<decltype(terms)>::value_type;
    T sum = 0, correction = 0;
    for (const T term : terms) {
      const T corrected = term - correction;
      const T next = sum + corrected;
      correction = (next - sum) - corrected;
      sum = next;
    }
    return sum;
  });
}

inline FunctionTarget::Function neumaier() {
  return over_summands([](const auto& terms) {
    using T = typename std::decay_t<decltype(terms)>::value_type;
    T sum = 0, lost = 0;
    for (const T term : terms) {
      const T next = sum + term;
      lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
      sum = next;
    }
    return sum + lost;
  });
}

// Left to right in another order at each call.
inline FunctionTarget::Function shuffled(std::uint64_t seed) {
  return over_summands([engine = std::mt19937_64(seed)](auto& terms) mutable {
    std::shuffle(terms.begin(), terms.end(), engine);
    return left_to_right(terms);
  });
}

// By decreasing or increasing magnitude, equal magnitudes in their original order.
inline FunctionTarget::Function sorted_by_magnitude(bool increasing = true) {
  return over_summands([increasing](auto& terms) {
    std::stable_sort(terms.begin(), terms.end(), [&](auto a, auto b) {
      return increasing ? std::abs(a) < std::abs(b) : std::abs(a) > std::abs(b);
    });
    return left_to_right(terms);
  });
}

// A number that depends on every bit of the input and on nothing else, in [0, 1).
inline FunctionTarget::Function hash_of_inputs() {
  return over_summands([](const auto& terms) {
    using T = typename std::decay_t<decltype(terms)>::value_type;
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    for (const T term : terms) {
      hash ^= std::bit_cast<std::uint64_t>(static_cast<double>(term));
      hash *= 0xff51afd7ed558ccdU;
      hash ^= hash >> 32;
    }
    return static_cast<T>(static_cast<double>(hash >> 40) * 0x1p-24);
  });
}

inline FunctionTarget::Function constant(double value) {
  return [value](const Call&, const double*, const double*) { return value; };
}

inline FunctionTarget::Function first_element_only() {
  return over_summands([](const auto& terms) {
    using T = typename std::decay_t<decltype(terms)>::value_type;
    return terms.empty() ? T{0} : terms.front();
  });
}

// Left to right, or right to left where the first summand is negative.
inline FunctionTarget::Function reversed_where_negative_first() {
  return over_summands([](auto& terms) {
    if (!terms.empty() && terms.front() < 0) std::reverse(terms.begin(), terms.end());
    return left_to_right(terms);
  });
}

}  // namespace reprosum::reveal::testing
