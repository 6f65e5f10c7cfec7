// What one node of an order computes, in one place for both evaluators.
#pragma once

#include <cmath>

#include "spec/error.h"
#include "spec/flushed.h"
#include "spec/order.h"

namespace reprosum::spec {

// Every value is carried in a double. For f32 data that needs no tag of its format: a narrow value
// is a float, so rounding it to narrow again and widening it are both the identity. For f64 data
// nothing is wider, so a wide node or product is refused.
template <class T>
struct Arithmetic {
  static constexpr bool kHasWide = sizeof(T) == sizeof(float);

  static void require(bool wide) {
    if (wide && !kHasWide)
      throw UserError("the order has a wide node, but nothing is wider than f64");
  }
  static double add(NodeFormat format, double left, double right) {
    if (kHasWide && format == NodeFormat::narrow)
      return static_cast<double>(static_cast<T>(left) + static_cast<T>(right));
    return left + right;
  }
  static double narrowed(double value) { return static_cast<double>(static_cast<T>(value)); }
  static double rounded(T x, T y) { return static_cast<double>(x * y); }
  static double exact(T x, T y) { return static_cast<double>(x) * static_cast<double>(y); }
  static double fused(NodeFormat format, double left, T x, T y) {
    if (kHasWide && format == NodeFormat::narrow)
      return static_cast<double>(std::fma(x, y, static_cast<T>(left)));
    return std::fma(static_cast<double>(x), static_cast<double>(y), left);
  }

  // The same where subnormal numbers may be taken as zero: then everything is narrow.
  static double add(Flush flush, NodeFormat format, double left, double right) {
    if (flush == Flush::none) return add(format, left, right);
    return Flushed<T>(flush).add(static_cast<T>(left), static_cast<T>(right));
  }
  static double rounded(Flush flush, T x, T y) {
    return flush == Flush::none ? rounded(x, y) : Flushed<T>(flush).multiply(x, y);
  }
  static double fused(Flush flush, NodeFormat format, double left, T x, T y) {
    if (flush == Flush::none) return fused(format, left, x, y);
    return Flushed<T>(flush).fused(static_cast<T>(left), x, y);
  }
};

}  // namespace reprosum::spec
