// Hostile chains: data that cross binades, tie, cancel, overflow and vanish.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace reprosum::kernels::test {

inline constexpr int kChainKinds = 21;

// One summand of a kind; `scale` is a power of two and `ulp` that of the first summand, 1.x *
// scale.
template <class T>
double chain_summand(int kind, std::int64_t k, double scale, double ulp, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<double> normal;
  constexpr int kFraction = std::numeric_limits<T>::digits - 1;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - 1;
  const auto eighths = [&](int most) {
    return (static_cast<double>(random() % (2 * most + 1)) - most) / 8;
  };
  switch (kind) {
    case 0:
      return unit(random);
    case 1:
      return normal(random);
    case 2:
      return std::ldexp(2 * unit(random) - 1, static_cast<int>(random() % 80) - 40);
    case 3:
      return static_cast<double>(random() % 9) - 4;
    case 4:  // few ties
      return (std::round(3 * normal(random)) + (random() % 64 == 0 ? 0.5 : 0)) * ulp;
    case 5:  // half of them tie
      return (static_cast<double>(random() % 17) - 8) / 2 * ulp;
    case 6:  // subnormal, and about the least normal numbers
      return std::ldexp(normal(random), kLeast - static_cast<int>(random() % kFraction));
    case 7:  // near overflow
      return std::ldexp(normal(random), std::numeric_limits<T>::max_exponent - 6);
    case 8:  // stretches of one sign
      return (k / 97 % 3 == 2 ? unit(random) - 0.3 : unit(random)) /
             static_cast<double>(1 + random() % 4);
    case 9:
      return k / 150 % 2 != 0 ? normal(random) : std::abs(normal(random));
    case 10:  // eighths of an ulp beside the first
      return eighths(17) * ulp + (k % 300 < 150 ? 3 : -3) * ulp / 8;
    case 11:  // jumps of half a binade and more among small ones
      return random() % 37 == 0 ? (random() % 2 == 0 ? -1 : 1) * (0.4 + unit(random)) * scale
                                : eighths(9) * ulp;
    case 12:  // there and back within a block
      return k % 48 == 1 ? -0.6 * scale : k % 48 == 2 ? 0.6 * scale : eighths(80) * ulp;
    case 13:  // drifts over an end of the binade by single units, both ways
      return (k / 700 % 2 == 0 ? 1 : -1) * static_cast<double>(random() % 3) * ulp +
             eighths(4) * ulp;
    case 14:  // about 2^e, a quarter to three quarters of a unit beside it
      return (random() % 2 == 0 ? 1 : -1) * (2 + static_cast<double>(random() % 5)) / 8 * ulp;
    case 15:
      return random() % 500 == 0   ? std::numeric_limits<double>::infinity()
             : random() % 900 == 0 ? std::numeric_limits<double>::quiet_NaN()
             : random() % 50 == 0  ? -0.0
                                   : -unit(random);
    case 16:  // subnormal beside a least normal number
      return std::ldexp(normal(random), kLeast - kFraction + 2);
    case 17:  // long calm, then most of the binade at once
      return (k % 977 == 600   ? 0.7 * scale
              : k % 977 == 976 ? -0.7 * scale
                               : 0) +
             (static_cast<double>(random() % 3) - 1 + eighths(3)) * ulp;
    case 18:  // long calm, then onto the lower end of the binade, and nearly half a unit too far
      return k % 977 >= 600 && k % 977 < 605 ? -1.4 * ulp
             : k % 977 == 900                ? 5.5 * ulp
                                             : eighths(1) * ulp;
    case 19:  // long calm, then onto the lower end by ties, which even accumulators do not have
      switch (k % 977) {
        case 600:
        case 602:
          return -0.5 * ulp;
        case 601:
          return -ulp;
        case 603:
          return -0.4 * ulp;
        case 900:
          return 3.5 * ulp;
        default:
          return eighths(1) * ulp;
      }
    default:  // large ones that cancel, small ones between
      return k % 64 == 3 ? 1000 * scale : k % 64 == 4 ? -1000 * scale : normal(random) * ulp;
  }
}

// The first summand, which decides the binade; the others are summands of the kind.
template <class T>
double chain_start(int kind, double scale, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  if (kind == 14 || kind == 10) return scale;
  if (kind == 17) return 1.05 * scale;
  if (kind == 19) return scale * (1 + 3 * double{std::numeric_limits<T>::epsilon()});
  if (kind == 18) return scale * (1 + 5 * double{std::numeric_limits<T>::epsilon()});
  if (kind == 13) return random() % 2 == 0 ? 1.9999 * scale : scale;
  if (kind == 16) return std::ldexp(1 + unit(random), std::numeric_limits<T>::min_exponent - 1);
  return (1 + unit(random)) * scale;
}

template <class T>
struct ChainData {
  int kind = 0;
  std::vector<T> x, y;
};

// Products are of the kind as well: exact ones (y a power of two), or of two random factors.
template <class T>
ChainData<T> chain_data(int kind, std::int64_t n, std::mt19937_64& random) {
  ChainData<T> data{kind, {}, {}};
  const int exponent = static_cast<int>(random() % 21) - 10;
  const double scale = std::ldexp(1, exponent);
  const double ulp = std::ldexp(1, exponent + 1 - std::numeric_limits<T>::digits);
  const double factor = random() % 4 == 0 ? std::ldexp(1, static_cast<int>(random() % 9) - 4) : 1;
  const bool is_negative = random() % 2 == 0;
  const bool is_rough = kind < 4 && random() % 2 == 0;
  std::normal_distribution<double> normal;
  for (std::int64_t k = 0; k < n; ++k) {
    double p = k == 0 && kind > 2 ? chain_start<T>(kind, scale, random)
                                  : chain_summand<T>(kind, k, scale, ulp, random);
    if (is_negative) p = -p;
    data.x.push_back(static_cast<T>(p / factor));
    data.y.push_back(static_cast<T>(is_rough ? normal(random) : factor));
  }
  return data;
}

}  // namespace reprosum::kernels::test
