#include "spec/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "spec/error.h"

namespace reprosum::spec {
namespace {

constexpr std::pair<const char*, Format> kFormats[] = {
    {"f64", Format::f64},   {"f32", Format::f32},    {"f16", Format::f16},
    {"bf16", Format::bf16}, {"tf32", Format::tf32},  {"e4m3", Format::e4m3},
    {"e5m2", Format::e5m2}, {"exact", Format::exact}};

// What a value beyond the largest number becomes.
double overflowed(const Format& format, double value) {
  switch (format.specials) {
    case Format::Specials::ieee:
      return std::copysign(std::numeric_limits<double>::infinity(), value);
    case Format::Specials::one_nan:
      return std::copysign(std::numeric_limits<double>::quiet_NaN(), value);
    case Format::Specials::none:
      return std::copysign(largest(format), value);
  }
  throw InternalError("format: unknown kind of specials");
}

}  // namespace

double largest(const Format& format) {
  // All ones, or where these are the NaN, one less.
  const double ones = format.specials == Format::Specials::one_nan ? 2 : 1;
  return std::ldexp(2 - std::ldexp(ones, 1 - format.significand_bits), greatest_exponent(format));
}

double least_normal(const Format& format) { return std::ldexp(1.0, least_exponent(format)); }
double least_subnormal(const Format& format) {
  return std::ldexp(1.0, least_subnormal_exponent(format));
}

double rounded(const Format& format, double value) {
  if (format == Format::f64 || is_exact(format) || value == 0) return value;
  if (format == Format::f32) return static_cast<double>(static_cast<float>(value));
  if (std::isnan(value)) return value;
  if (std::isinf(value)) return overflowed(format, value);
  const int unit =
      std::max(std::ilogb(value), least_exponent(format)) - format.significand_bits + 1;
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return within(format, result);
}

double within(const Format& format, double value) {
  if (std::abs(value) > largest(format)) return overflowed(format, value);
  const bool is_subnormal = std::abs(value) < least_normal(format);
  if (is_subnormal && format.subnormals == Format::Subnormals::zero)
    return std::copysign(0.0, value);
  return value;
}

std::string name(const Format& format) {
  for (const auto& [name, known] : kFormats)
    if (known == format) return name;
  return "e" + std::to_string(format.exponent_bits) + "m" +
         std::to_string(format.significand_bits - 1);
}

std::optional<Format> format_from_name(std::string_view name) {
  for (const auto& [known, format] : kFormats)
    if (name == known) return format;
  return std::nullopt;
}

std::string name(const Type& type) {
  if (type == Type(type.input)) return name(type.input);
  return name(type.input) + "/" + name(type.product) + "/" + name(type.accumulator) + "/" +
         name(type.output);
}

std::optional<Type> type_from_name(std::string_view text) {
  std::array<Format, 4> formats;
  std::size_t count = 0;
  for (std::string_view rest = text; count < formats.size(); ++count) {
    const std::size_t end = rest.find('/');
    const auto format = format_from_name(rest.substr(0, end));
    if (!format) return std::nullopt;
    formats[count] = *format;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const auto& [input, product, accumulator, output] = formats;
  const Type type = count == 0 ? Type(input) : Type(input, product, accumulator, output);
  if (is_exact(type.input) || is_exact(type.accumulator) || is_exact(type.output))
    return std::nullopt;
  if (name(type) != text) return std::nullopt;
  return type;
}

int bytes(const Type& type) {
  const int bits = type.input.exponent_bits + type.input.significand_bits;
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(bits)) / 8);
}

void refuse_type(const Type& type) {
  throw UserError("only the interpreter supports type " + name(type) +
                  "; this part needs f32 or f64");
}

}  // namespace reprosum::spec
