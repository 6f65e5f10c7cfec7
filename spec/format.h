// Number formats as values, and the formats that a routine computes in.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprosum::spec {

// A binary floating-point format. Its numbers are doubles here: none has more than 53 bits.
// Everything else about one is asked with the functions below, so that a new one is a row of the
// table in format.cpp and no condition anywhere.
struct Format {
  enum class Subnormals : std::uint8_t {
    kept,
    zero,  // a result below the least normal number becomes a zero of its sign
  };
  enum class Specials : std::uint8_t {
    ieee,     // the largest exponent is that of infinities and NaN
    one_nan,  // no infinity, one NaN of each sign, with all bits set; too large becomes NaN
    none,     // neither; too large becomes the largest number
  };
  std::uint8_t exponent_bits = 11;
  std::uint8_t significand_bits = 53;  // with the leading one; 0: unbounded (exact)
  Subnormals subnormals = Subnormals::kept;
  Specials specials = Specials::ieee;

  friend constexpr bool operator==(const Format& a, const Format& b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }
  // Narrower ones first.
  constexpr auto operator<=>(const Format& other) const {
    const auto key = [](const Format& f) {
      return std::array{f.significand_bits, f.exponent_bits,
                        static_cast<std::uint8_t>(f.subnormals),
                        static_cast<std::uint8_t>(f.specials)};
    };
    return key(*this) <=> key(other);
  }

  static const Format f64, f32, f16, bf16, tf32, e4m3, e5m2;
  static const Format exact;  // of products alone: they are not rounded by themselves
};
inline constexpr Format Format::f64{11, 53};
inline constexpr Format Format::f32{8, 24};
inline constexpr Format Format::f16{5, 11};
inline constexpr Format Format::bf16{8, 8};
inline constexpr Format Format::tf32{8, 11};
inline constexpr Format Format::e4m3{4, 4, Format::Subnormals::kept, Format::Specials::one_nan};
inline constexpr Format Format::e5m2{5, 3};
inline constexpr Format Format::exact{0, 0};

constexpr bool is_exact(const Format& format) { return format.significand_bits == 0; }
// Exponents of the greatest and of the least normal power of two, and of the least number.
constexpr int greatest_exponent(const Format& format) {
  const int half = 1 << (format.exponent_bits - 1);
  return format.specials == Format::Specials::ieee ? half - 1 : half;
}
constexpr int least_exponent(const Format& format) { return 2 - (1 << (format.exponent_bits - 1)); }
constexpr int least_subnormal_exponent(const Format& format) {
  return least_exponent(format) - format.significand_bits + 1;
}
double largest(const Format& format);
double least_normal(const Format& format);
double least_subnormal(const Format& format);
// The value rounded to nearest even in the format; for f64 the value itself. NaN stays NaN, if the
// format has one.
double rounded(const Format& format, double value);
// What is made of a magnitude that was rounded to the format's bits as if its exponents had no
// upper limit: itself, or where it is too large or a subnormal number that is not kept, what the
// format has instead. `value` may be infinite.
double within(const Format& format, double value);
// "f32"; "exact"; "e6m9" for one without a name, which no document has.
std::string name(const Format& format);
std::optional<Format> format_from_name(std::string_view name);

// The formats of a routine: that of the numbers it is given, of the products that it rounds, of
// what it adds in (where an order says narrow), and of its result.
struct Type {
  Format input = Format::f64, product = Format::f64, accumulator = Format::f64,
         output = Format::f64;

  constexpr Type() = default;
  constexpr Type(Format in, Format of_products, Format sum, Format out)
      : input(in), product(of_products), accumulator(sum), output(out) {}
  constexpr explicit Type(Format all) : Type(all, all, all, all) {}

  friend constexpr bool operator==(const Type& a, const Type& b) {
    using Words = std::array<std::uint64_t, 2>;
    return std::bit_cast<Words>(a) == std::bit_cast<Words>(b);
  }
  constexpr auto operator<=>(const Type&) const = default;

  static const Type f32, f64, f16, bf16;
};
inline constexpr Type Type::f32{Format::f32};
inline constexpr Type Type::f64{Format::f64};
inline constexpr Type Type::f16{Format::f16};
inline constexpr Type Type::bf16{Format::bf16};

// "f32" where all formats are one, else "bf16/exact/f32/bf16": input, product, accumulator, output.
std::string name(const Type& type);
// Only what name() writes; the product alone may be exact.
std::optional<Type> type_from_name(std::string_view name);
// Bytes of a number of the input's format as it is stored: 4 of f32, 2 of bf16, 4 of tf32.
int bytes(const Type& type);

// Whether what is asked of is f32 or, if not, f64, by a part that serves these two and no other.
// Throws UserError, naming the type, for any other: so a third one is nowhere taken for f64.
inline bool is_f32(const Type& type);
inline bool is_f64(const Type& type) { return !is_f32(type); }
// The same as a question, for what goes around the refusal.
constexpr bool is_native(const Type& type) { return type == Type::f32 || type == Type::f64; }

[[noreturn]] void refuse_type(const Type& type);
inline bool is_f32(const Type& type) {
  if (type == Type::f32) return true;
  if (type != Type::f64) refuse_type(type);
  return false;
}

template <class T>
constexpr Type type_of() = delete;
template <>
constexpr Type type_of<float>() {
  return Type::f32;
}
template <>
constexpr Type type_of<double>() {
  return Type::f64;
}

}  // namespace reprosum::spec
