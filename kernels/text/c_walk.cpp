#include "kernels/text/c_walk.h"

#include <map>

#include "kernels/text/c_order.h"
#include "spec/error.h"

namespace reprosum::kernels::text {
namespace {

const std::map<std::string, std::string>& cuts() {
  static const auto& all = *new const std::map<std::string, std::string>{
      {"cut_half_down", "  return n / 2 / m * m;\n"},
      {"cut_half_up", "  return (n / 2 + m - 1) / m * m;\n"},
      {"cut_ceil_half_up", "  return ((n + 1) / 2 + m - 1) / m * m;\n"},
      {"cut_half_near", "  return (n / 2 + m / 2) / m * m;\n"},
      {"cut_pow2_below", "  int64_t h = m;\n  while (2 * h < n) h *= 2;\n  return h;\n"},
      {"cut_pow2_half", "  int64_t h = m;\n  while (4 * h <= n) h *= 2;\n  return h;\n"},
      {"cut_last", "  return (n - 1) / m * m;\n"},
      {"cut_last_const", "  return n - m;\n"},
      {"cut_first", "  (void)n;\n  return m;\n"},
      {"cut_first_rest", "  return (n - 1) % m + 1;\n"},
      {"cut_remainder", "  return n / m * m;\n"},
  };
  return all;
}

const std::map<std::string, std::string>& lengths() {
  static const auto& all = *new const std::map<std::string, std::string>{
      {"length_balanced_up",
       "  const int64_t left = n - at;\n"
       "  if (left >= 2 * m) return m;\n"
       "  return left > m ? (left / 2 + u - 1) / u * u : left;\n"},
      {"length_balanced_ceil",
       "  const int64_t left = n - at;\n"
       "  if (left >= 2 * m) return m;\n"
       "  return left > m ? (left + 1) / 2 : left;\n"},
      {"length_ceil",
       "  const int64_t width = ((n + count - 1) / count + m - 1) / m * m;\n"
       "  return n - at < width ? n - at : width;\n"},
      {"length_floor", "  return k + 1 < count ? n / count / m * m : n - at;\n"},
      {"length_even", "  return n / count + (k < n % count);\n"},
      {"length_proportional", "  return n / count * (k + 1) + n % count * (k + 1) / count - at;\n"},
      {"length_rest",
       "  const int64_t left = n - at, pieces = count - k;\n"
       "  const int64_t width = ((left + pieces - 1) / pieces + m - 1) / m * m;\n"
       "  return left < width ? left : width;\n"},
      {"length_fixed", "  return n - at < m ? n - at : m;\n"},
  };
  return all;
}

}  // namespace

std::string cut_function(spec::Split::Kind kind) {
  using Kind = spec::Split::Kind;
  switch (kind) {
    case Kind::half_down:
      return "cut_half_down";
    case Kind::half_up:
      return "cut_half_up";
    case Kind::ceil_half_up:
      return "cut_ceil_half_up";
    case Kind::half_near:
      return "cut_half_near";
    case Kind::pow2_below:
      return "cut_pow2_below";
    case Kind::pow2_half:
      return "cut_pow2_half";
    case Kind::last:
      return "cut_last";
    case Kind::last_const:
      return "cut_last_const";
    case Kind::first:
      return "cut_first";
    case Kind::first_rest:
      return "cut_first_rest";
    case Kind::remainder:
      return "cut_remainder";
  }
  throw InternalError("cut_function: unknown kind");
}

std::string length_function(spec::Parts::Kind kind) {
  using Kind = spec::Parts::Kind;
  switch (kind) {
    case Kind::balanced_up:
      return "length_balanced_up";
    case Kind::balanced_ceil:
      return "length_balanced_ceil";
    case Kind::ceil:
      return "length_ceil";
    case Kind::floor:
      return "length_floor";
    case Kind::even:
      return "length_even";
    case Kind::proportional:
      return "length_proportional";
    case Kind::rest:
      return "length_rest";
    case Kind::fixed:
      return "length_fixed";
  }
  throw InternalError("length_function: unknown kind");
}

std::string c_helpers(const Helpers& helpers, spec::Type type) {
  std::string text;
  for (const std::string& name : helpers) {
    if (name == "add_narrow") {
      text += spec::is_f32(type)
                  ? "static double add_narrow(double a, double b) { return (float)a + (float)b; }\n"
                  : "static double add_narrow(double a, double b) { return a + b; }\n";
    } else if (name == "times") {
      text += spec::is_f32(type)
                  ? "static double times(float a, double b) { return a * (float)b; }\n"
                  : "static double times(double a, double b) { return a * b; }\n";
    } else if (name == "fused") {
      text += spec::is_f32(type)
                  ? "static double fused(float a, double b, double c) {\n"
                    "  return fmaf(a, (float)b, (float)c);\n}\n"
                  : "static double fused(double a, double b, double c) { return fma(a, b, c); }\n";
    } else if (name == "add_wide") {
      text += "static double add_wide(double a, double b) { return a + b; }\n";
    } else if (cuts().contains(name)) {
      text += "static int64_t " + name + "(int64_t n, int64_t m) {\n" + cuts().at(name) + "}\n";
    } else {
      text += "static int64_t " + name +
              "(int64_t n, int64_t at, int64_t k, int64_t count, int64_t m, int64_t u) {\n"
              "  (void)n, (void)at, (void)k, (void)count, (void)m, (void)u;\n" +
              lengths().at(name) + "}\n";
    }
  }
  return text;
}

}  // namespace reprosum::kernels::text
