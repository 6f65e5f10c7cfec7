// Overflow, underflow, initial values, and the width of accumulators.
#include <cfenv>

#include "tests/reveal/capture/planted_sums.h"

namespace reprosum::reveal::testing {
namespace {

Habit refused(const std::string& name, std::function<FunctionTarget::Function()> make,
              const std::string& reason = "") {
  return {name, Fate::refused, reason, spec::Routine::sum, std::move(make)};
}

template <typename T>
T clamped(T value) {
  const T most = std::numeric_limits<T>::max();
  return std::isinf(value) ? std::copysign(most, value) : value;
}

template <typename T>
T scaled(Terms<T> t, int exponent) {
  for (T& v : t) v = std::ldexp(v, exponent);
  return std::ldexp(forwards(t), -exponent);
}

template <typename T>
T from(T start, const Terms<T>& t) {
  for (const T v : t) start += v;
  return start;
}

template <typename T>
T flushed(T v) {
  return std::abs(v) < std::numeric_limits<T>::min() ? T{0} : v;
}

// The greatest magnitude, zero for none.
template <typename T>
T magnitude(const Terms<T>& t) {
  T most = 0;
  for (const T v : t) most = std::max(most, std::isnan(v) ? T{0} : std::abs(v));
  return most;
}

template <typename T>
T cut_to(T v, int bits) {
  int exponent;
  const T fraction = std::frexp(v, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

// Two numbers that stand for their sum.
template <typename T>
T in_pairs_of_words(const Terms<T>& t) {
  T high = 0, low = 0;
  for (const T v : t) {
    const T sum = high + v, part = sum - high;
    low += (high - (sum - part)) + (v - part);
    high = sum;
  }
  return std::isfinite(low) ? high + low : high;
}

__extension__ typedef __float128 Quad;

}  // namespace

std::vector<Habit> habits_of_range() {
  const auto finite = [](const auto& t) { return std::isfinite(forwards(t)); };
  const auto rescued = [=](auto rescue) {
    return where([=](const auto& t) { return !finite(t); }, rescue);
  };
  return {
      refused("saturates at the end", always([](const auto& t) { return clamped(forwards(t)); })),
      refused("saturates everywhere", always([](const auto& t) {
                auto sum = t.empty() ? 0 : t[0];
                for (std::size_t k = 1; k < t.size(); ++k) sum = clamped(sum + t[k]);
                return sum;
              })),
      refused("sum(2x)/2", always([](const auto& t) { return scaled(t, 1); })),
      refused("2*sum(x/2)", always([](const auto& t) { return scaled(t, -1); })),
      refused("scaled down by 2^20", always([](const auto& t) { return scaled(t, -20); })),
      refused("scaled where large", where(
                                        [](const auto& t) {
                                          using T = typename std::decay_t<decltype(t)>::value_type;
                                          return magnitude(t) > std::ldexp(T{1}, top_of<T> - 20);
                                        },
                                        [](const auto& t) { return scaled(t, -30); })),
      refused("after an overflow, scaled", rescued([](const auto& t) { return scaled(t, -30); })),
      refused("after an overflow, backwards", rescued(kBackwards)),
      refused("after an overflow, halves", rescued(kInHalves)),
      refused("halves, after a NaN forwards", always([](const auto& t) {
                const auto sum = in_halves(t);
                return std::isnan(sum) ? forwards(t) : sum;
              })),
      refused("after an overflow, the greatest number", rescued([](const auto& t) {
                using T = typename std::decay_t<decltype(t)>::value_type;
                return std::numeric_limits<T>::max();
              })),
      refused("leaves NaN out", always([](auto t) {
                std::erase_if(t, [](auto v) { return std::isnan(v); });
                return forwards(t);
              }),
              "skips_nan"),
      refused("NaN at the end is zero", always([](const auto& t) {
                const auto sum = forwards(t);
                return std::isnan(sum) ? decltype(sum){0} : sum;
              }),
              "input_dependent"),
      refused("flushes summands", always([](auto t) {
                for (auto& v : t) v = flushed(v);
                return forwards(t);
              })),
      {"flushes sums", Fate::certified, "", spec::Routine::sum, always([](const auto& t) {
         auto sum = t.empty() ? 0 : t[0];
         for (std::size_t k = 1; k < t.size(); ++k) sum = flushed(sum + t[k]);
         return sum;
       })},
      refused("flushes the result", always([](const auto& t) { return flushed(forwards(t)); })),
      {"starts at +0", Fate::certified, "", spec::Routine::sum, always([](const auto& t) {
         return from(typename std::decay_t<decltype(t)>::value_type{0}, t);
       })},
      {"starts at -0", Fate::certified, "", spec::Routine::sum, always([](const auto& t) {
         return from(-typename std::decay_t<decltype(t)>::value_type{0}, t);
       })},
      refused("starts at the least subnormal", always([](const auto& t) {
                using T = typename std::decay_t<decltype(t)>::value_type;
                return from(std::numeric_limits<T>::denorm_min(), t);
              })),
      refused("starts at 2^-60", always([](const auto& t) {
                using T = typename std::decay_t<decltype(t)>::value_type;
                return from(T(0x1p-60), t);
              })),
      refused("ends with +0 of negative sums of zero", always([](const auto& t) {
                const auto sum = forwards(t);
                return sum == 0 && t.size() > 20 && std::signbit(sum) ? -sum : sum;
              })),
  };
}

std::vector<Habit> habits_of_width() {
  const auto above = [](std::size_t n, auto sum) {
    return where([n](const auto& t) { return t.size() > n; }, sum);
  };
  const auto in_long_double = [](const auto& t) { return accumulated_in<long double>(t); };
  const auto in_double = [](const auto& t) { return accumulated_in<double>(t); };
  const auto in_float = [](const auto& t) { return accumulated_in<float>(t); };
  return {
      {"in double", Fate::certified, "", spec::Routine::sum, always(in_double)},
      refused("in 64 bits", always(in_long_double), "64 significant bits"),
      refused("in 113 bits", always([](const auto& t) { return accumulated_in<Quad>(t); })),
      refused("in two words", always([](const auto& t) { return in_pairs_of_words(t); })),
      {"in float", Fate::right, "", spec::Routine::sum, always(in_float)},
      refused("in 16 bits", always([](const auto& t) {
                auto sum = t.empty() ? 0 : t[0];
                for (std::size_t k = 1; k < t.size(); ++k) sum = cut_to(sum + t[k], 16);
                return sum;
              })),
      {"in 64 bits above n = 1000", Fate::right, "", spec::Routine::sum,
       above(1000, in_long_double)},
      {"in double above n = 1000", Fate::right, "", spec::Routine::sum, above(1000, in_double)},
      {"corrected above n = 1000", Fate::right, "", spec::Routine::sum, above(1000, kCorrected)},
      {"corrected above n = 3000", Fate::right, "", spec::Routine::sum, above(3000, kCorrected)},
      // For f32 that is an addition in f32: 64 bits are more than twice 24.
      {"64 bits, stored at each addition", Fate::right, "", spec::Routine::sum,
       always([](const auto& t) {
         using T = typename std::decay_t<decltype(t)>::value_type;
         T sum = t.empty() ? 0 : t[0];
         for (std::size_t k = 1; k < t.size(); ++k)
           sum = static_cast<T>(static_cast<long double>(sum) + t[k]);
         return sum;
       })},
      refused("the last four in 64 bits", always([](const auto& t) {
                using T = typename std::decay_t<decltype(t)>::value_type;
                const std::size_t head = t.size() > 4 ? t.size() - 4 : 0;
                const Terms<T> first(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(head));
                long double sum = forwards(first);
                for (std::size_t k = head; k < t.size(); ++k) sum += t[k];
                return static_cast<T>(sum);
              })),
      refused("towards zero", always([](const auto& t) {
                std::fesetround(FE_TOWARDZERO);
                volatile auto sum = t.empty() ? 0 : t[0];
                for (std::size_t k = 1; k < t.size(); ++k) sum = sum + t[k];
                std::fesetround(FE_TONEAREST);
                return static_cast<typename std::decay_t<decltype(t)>::value_type>(sum);
              }),
              "directed_rounding"),
  };
}

}  // namespace reprosum::reveal::testing
