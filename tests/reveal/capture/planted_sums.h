// What habits are made of: sums of a list, and questions about it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/reveal/capture/planted_habits.h"
#include "tests/reveal/target/refusing_targets.h"

namespace reprosum::reveal::testing {

template <typename T>
using Terms = std::vector<T>;

// ---- sums ----

template <typename T>
T forwards(const Terms<T>& t) {
  return left_to_right(t);
}

template <typename T>
T backwards(Terms<T> t) {
  std::reverse(t.begin(), t.end());
  return left_to_right(t);
}

template <typename T>
T in_halves(const Terms<T>& t, std::size_t from, std::size_t to) {
  if (to - from == 1) return t[from];
  const std::size_t middle = from + (to - from) / 2;
  return in_halves(t, from, middle) + in_halves(t, middle, to);
}
template <typename T>
T in_halves(const Terms<T>& t) {
  return t.empty() ? T{0} : in_halves(t, 0, t.size());
}

// Four lanes, folded, and the rest appended.
template <typename T>
T in_lanes(const Terms<T>& t) {
  const std::size_t whole = t.size() / 4 * 4;
  if (whole == 0) return left_to_right(t);
  T lane[4] = {t[0], t[1], t[2], t[3]};
  for (std::size_t k = 4; k < whole; ++k) lane[k % 4] += t[k];
  T sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
  for (std::size_t k = whole; k < t.size(); ++k) sum += t[k];
  return sum;
}

// Rounded after each addition in another format, and once more at the end.
template <typename Wide, typename T>
T accumulated_in(const Terms<T>& t) {
  Wide sum = t.empty() ? Wide{0} : static_cast<Wide>(t[0]);
  for (std::size_t k = 1; k < t.size(); ++k) sum += static_cast<Wide>(t[k]);
  return static_cast<T>(sum);
}

template <typename T>
T corrected(const Terms<T>& t) {  // Kahan
  T sum = 0, correction = 0;
  for (const T term : t) {
    const T next_term = term - correction, next = sum + next_term;
    correction = (next - sum) - next_term;
    sum = next;
  }
  return sum;
}

// ---- questions ----

template <typename T, typename Ask>
bool all_of(const Terms<T>& t, Ask ask) {
  return !t.empty() && std::all_of(t.begin(), t.end(), ask);
}
template <typename T, typename Ask>
bool any_of(const Terms<T>& t, Ask ask) {
  return std::any_of(t.begin(), t.end(), ask);
}
template <typename T>
bool fits_bits(T value, int bits) {
  int exponent;
  const T whole = std::ldexp(std::frexp(value, &exponent), bits);
  return std::isfinite(value) && whole == std::trunc(whole);
}
template <typename T>
constexpr int bits_of = std::numeric_limits<T>::digits;
template <typename T>
constexpr int top_of = std::numeric_limits<T>::max_exponent;

// The sum where the question is answered with yes, and left to right otherwise.
template <typename Ask, typename Sum>
std::function<FunctionTarget::Function()> where(Ask ask, Sum sum) {
  return [=] {
    return over_summands(
        [=](const auto& terms) { return ask(terms) ? sum(terms) : forwards(terms); });
  };
}
template <typename Sum>
std::function<FunctionTarget::Function()> always(Sum sum) {
  return [=] { return over_summands([=](const auto& terms) { return sum(terms); }); };
}

// As arguments of where(): each is one overload set.
inline constexpr auto kBackwards = [](const auto& t) { return backwards(t); };
inline constexpr auto kInHalves = [](const auto& t) { return in_halves(t); };
inline constexpr auto kInLanes = [](const auto& t) { return in_lanes(t); };
inline constexpr auto kCorrected = [](const auto& t) { return corrected(t); };

}  // namespace reprosum::reveal::testing
