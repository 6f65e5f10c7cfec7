#include "tests/src/exact/generators.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/exact/values/float_bits.h"

namespace reprosum::exact::testing {
namespace {

template <class T>
class Maker {
 public:
  using F = Format<T>;
  using Bits = typename F::Bits;
  using Limits = std::numeric_limits<T>;

  Maker(bool dot, std::mt19937_64& random) : dot_(dot), random_(random) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  T any() { return std::bit_cast<T>(static_cast<Bits>(random_())); }
  T finite() {
    for (;;) {
      const T value = any();
      if (std::isfinite(value)) return value;
    }
  }
  T sign() { return below(2) != 0 ? T(1) : T(-1); }
  // 1 <= |m| < 2, sometimes with few or all bits set.
  T mantissa() {
    Bits fraction = static_cast<Bits>(random_()) & ((Bits(1) << F::kFraction) - 1);
    if (below(4) == 0) fraction = (Bits(1) << F::kFraction) - 1;
    if (below(4) == 0) fraction &= fraction - (Bits(1) << below(F::kFraction));
    return sign() * std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(T(1)) | fraction));
  }
  T sized(int low, int high) {
    const auto exponent = low + static_cast<int>(below(static_cast<std::uint64_t>(high - low + 1)));
    return std::ldexp(mantissa(), exponent);
  }

  // A term of value v (v's bits are few enough for any power of two beside it).
  void put(T v) {
    if (!dot_) return push(v, T(0));
    const int shift = static_cast<int>(below(17)) - 8;
    const T other = std::ldexp(sign(), shift);
    const T moved = std::ldexp(v, -shift) * (other < 0 ? T(-1) : T(1));
    if (std::isfinite(moved) && std::ldexp(moved, shift) == (other < 0 ? -v : v))
      push(moved, other);
    else
      push(v, T(1));
  }
  void push(T a, T b) {
    out.x.push_back(a);
    if (dot_) out.y.push_back(b);
  }
  // v and terms that cancel each other, or v in two pieces.
  void put_in_pieces(T v) {
    const T big =
        sized(-20, 20) * std::ldexp(T(1), std::min(std::ilogb(v), Limits::max_exponent - 30));
    const T rest = v - big;
    if (below(2) != 0 && std::isfinite(big) && rest + big == v && v - rest == big &&
        big - (big - rest) == rest) {
      // The subtraction above was exact only if its parts say so; else the pieces are another sum,
      // which is as good a case.
      put(big);
      put(rest);
    } else {
      put(v);
    }
  }

  void tie(std::size_t n, bool neighbour) {
    const int low = Limits::min_exponent + 2 * Limits::digits, high = Limits::max_exponent - 10;
    const T v = sized(low, high);
    const T half = std::ldexp(sign(), std::ilogb(v) - Limits::digits);
    put_in_pieces(v);
    put(half);
    for (std::size_t i = 2; i + 1 < n; i += 2) cancel(finite());
    if (!neighbour) return;
    const int most = std::ilogb(half) - Limits::min_exponent;
    put(std::ldexp(
        sign(), std::ilogb(half) - 1 - static_cast<int>(below(static_cast<std::uint64_t>(most)))));
  }
  void cancel(T v) {
    const T other = dot_ ? finite() : T(0);
    push(v, other);
    push(-v, other);
  }

  void fill(Kind kind, std::size_t n) {
    const int least = Limits::min_exponent - Limits::digits, most = Limits::max_exponent - 1;
    if (kind == Kind::tie || kind == Kind::tie_neighbour)
      return tie(n, kind == Kind::tie_neighbour);
    if (kind == Kind::cancelling) {
      for (std::size_t i = 0; i + 1 < n; i += 2) cancel(below(2) != 0 ? finite() : sized(-3, 3));
      if (below(2) != 0) push(sized(least, most), dot_ ? sized(least, 0) : T(0));
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
      push(one(kind, least, most), dot_ ? other(kind, least, most) : T(0));
  }

  Terms<T> out;

 private:
  T one(Kind kind, int least, int most) {
    switch (kind) {
      case Kind::any_bits:
        return any();
      case Kind::finite_bits:
        return finite();
      case Kind::near:
        return sized(-2, 2);
      case Kind::wide:
        return sized(least, most);
      case Kind::subnormal:
        return dot_ ? sized(least, least / 2 - 8)
                    : sign() * std::bit_cast<T>(static_cast<Bits>(below(Bits(1) << F::kFraction)));
      case Kind::overflow:
        return dot_            ? sized(most / 2 - 1, most / 2 + 2)
               : below(3) == 0 ? sign() * Limits::max()
                               : sized(most - 60, most);
      case Kind::special: {
        const T values[] = {Limits::infinity(),
                            -Limits::infinity(),
                            T(0),
                            T(-0.0),
                            finite(),
                            finite(),
                            finite(),
                            Limits::max(),
                            below(4) == 0 ? Limits::quiet_NaN() : T(1)};
        return values[below(9)];
      }
      default:
        return below(2) != 0 ? T(0.0) : T(-0.0);
    }
  }
  T other(Kind kind, int least, int most) {
    if (kind == Kind::zeros) return below(2) != 0 ? one(kind, least, most) : finite();
    if (kind == Kind::overflow) return sized(most - most / 2 - 2, most - most / 2 + 1);
    return one(kind, least, most);
  }

  bool dot_;
  std::mt19937_64& random_;
};

}  // namespace

const char* name(Kind kind) {
  static const char* const names[] = {"any_bits",   "finite_bits",   "near",      "wide",
                                      "tie",        "tie_neighbour", "subnormal", "overflow",
                                      "cancelling", "special",       "zeros"};
  return names[static_cast<int>(kind)];
}

template <class T>
Terms<T> make_terms(Kind kind, std::size_t n, bool dot, std::mt19937_64& random) {
  Maker<T> maker(dot, random);
  maker.fill(kind, n);
  Terms<T>& out = maker.out;
  for (std::size_t i = out.x.size(); i > 1; --i) {
    const std::size_t k = random() % i;
    std::swap(out.x[i - 1], out.x[k]);
    if (dot) std::swap(out.y[i - 1], out.y[k]);
  }
  return out;
}

template Terms<float> make_terms(Kind, std::size_t, bool, std::mt19937_64&);
template Terms<double> make_terms(Kind, std::size_t, bool, std::mt19937_64&);

}  // namespace reprosum::exact::testing
