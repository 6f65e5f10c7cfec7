// Planted sums and products that take subnormal numbers as zero: which ones is found, the order is
// captured with it, and every other way to flush is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "reveal/capture.h"
#include "reveal/target/function_target.h"
#include "spec/evaluate/replay.h"
#include "spec/expand.h"

namespace reprosum::reveal {
namespace {

using spec::Flush;

template <class T>
T flushed(T value) {
  return std::abs(value) < std::numeric_limits<T>::min() ? std::copysign(T(0), value) : value;
}

// Products and fused products are rounded from twice as many bits, as if exponents had no limit.
float product(Flush flush, float x, float y, float sum, bool is_fused) {
  if (spec::flushes_inputs(flush)) x = flushed(x), y = flushed(y), sum = flushed(sum);
  const double exact = double(x) * double(y);
  if (!is_fused && spec::flushes_results(flush) && std::abs(exact) < 0x1p-126 - 0x1p-151)
    return std::copysign(0.0F, float(exact));
  if (!is_fused) return float(exact);
  const float value = std::fma(x, y, sum);
  if (!spec::flushes_results(flush)) return value;
  const float scaled = std::abs(x) < std::abs(y) ? std::fma(x * 0x1p64F, y, sum * 0x1p64F)
                                                 : std::fma(x, y * 0x1p64F, sum * 0x1p64F);
  const bool is_tiny = std::abs(value) <= 0x1p-126F && std::abs(scaled) < 0x1p-62F;
  return is_tiny ? std::copysign(0.0F, value) : value;
}

template <class T>
T add(Flush flush, T a, T b) {
  if (spec::flushes_inputs(flush)) a = flushed(a), b = flushed(b);
  return spec::flushes_results(flush) ? flushed(a + b) : a + b;
}

// Four lanes, which start at +0 or with their first summands, folded by halves; the rest is
// appended.
template <class T>
FunctionTarget::Function four_lanes(Flush flush, bool from_zero) {
  return [=](const Call& call, const double* x, const double*) {
    const std::int64_t whole = call.k / 4 * 4;
    std::int64_t k = 0;
    T sum = 0;
    if (whole > 0) {
      T lanes[4] = {};
      for (; k < whole; ++k) {
        const T value = T(x[k]);
        lanes[k % 4] = k < 4 && !from_zero ? value : add(flush, lanes[k % 4], value);
      }
      sum = add(flush, add(flush, lanes[0], lanes[2]), add(flush, lanes[1], lanes[3]));
    } else if (!from_zero) {
      sum = T(x[k++]);
    }
    for (; k < call.k; ++k) sum = add(flush, sum, T(x[k]));
    return double(sum);
  };
}

FunctionTarget::Function chain_of_products(Flush flush, bool is_fused) {
  return [=](const Call& call, const double* x, const double* y) {
    float sum = product(flush, float(x[0]), float(y[0]), 0, false);
    for (std::int64_t k = 1; k < call.k; ++k) {
      const float last = product(flush, float(x[k]), float(y[k]), sum, is_fused);
      sum = is_fused ? last : add(flush, sum, last);
    }
    return double(sum);
  };
}

spec::Spec captured(const FunctionTarget::Function& function, spec::Routine routine,
                    spec::Type type) {
  CaptureOptions options;
  options.routines = {{routine, type}};
  options.increments = {{1, routine == spec::Routine::sum ? 0 : 1}};
  options.n_max = 600;
  options.random_vectors = 600;
  options.every_size_to = 200;
  return capture([&](int) { return std::make_unique<FunctionTarget>(function); }, options);
}

std::string first_refusal(const spec::Spec& spec) {
  return spec.refusals.empty() ? "" : spec.refusals[0].reason + ": " + spec.refusals[0].detail;
}

void expect_flush(const spec::Spec& spec, Flush flush) {
  ASSERT_EQ(spec.entries.size(), 1U) << first_refusal(spec);
  EXPECT_EQ(spec::most_summands(spec.entries[0]), 600);
  EXPECT_EQ(spec.orders[spec::order_of(spec.entries[0])].flush, flush);
}

constexpr Flush kAll[] = {Flush::none, Flush::inputs, Flush::results, Flush::both};

TEST(FlushCapture, SumsAreCaptured) {
  for (const Flush flush : kAll) {
    SCOPED_TRACE(static_cast<int>(flush));
    expect_flush(captured(four_lanes<float>(flush, false), spec::Routine::sum, spec::Type::f32),
                 flush);
    expect_flush(captured(four_lanes<double>(flush, false), spec::Routine::sum, spec::Type::f64),
                 flush);
  }
}

// A summand is flushed with the first result at the latest, so it changes nothing if inputs are
// flushed as well. If inputs alone are flushed, the place of a +0 changes more bits than signs of
// zero.
TEST(FlushCapture, LanesFromZeroAreCaptured) {
  for (const Flush flush : kAll) {
    SCOPED_TRACE(static_cast<int>(flush));
    const spec::Spec spec =
        captured(four_lanes<float>(flush, true), spec::Routine::sum, spec::Type::f32);
    ASSERT_EQ(spec.entries.size(), 1U) << first_refusal(spec);
    EXPECT_EQ(spec::most_summands(spec.entries[0]), 600);
    EXPECT_EQ(spec::flushes_results(spec.orders[spec::order_of(spec.entries[0])].flush),
              spec::flushes_results(flush));
  }
}

// One accumulator from +0.
TEST(FlushCapture, ChainsFromZeroAreCaptured) {
  for (const Flush flush : kAll) {
    SCOPED_TRACE(static_cast<int>(flush));
    const auto chain = [=](const Call& call, const double* x, const double*) {
      float sum = 0;
      for (std::int64_t k = 0; k < call.k; ++k) sum = add(flush, sum, float(x[k]));
      return double(sum);
    };
    const spec::Spec spec = captured(chain, spec::Routine::sum, spec::Type::f32);
    ASSERT_EQ(spec.entries.size(), 1U) << first_refusal(spec);
    EXPECT_EQ(spec::flushes_results(spec.orders[spec::order_of(spec.entries[0])].flush),
              spec::flushes_results(flush));
  }
}

TEST(FlushCapture, ProductsAreCaptured) {
  for (const Flush flush : kAll)
    for (const bool is_fused : {false, true}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(flush)) + (is_fused ? " fused" : ""));
      expect_flush(
          captured(chain_of_products(flush, is_fused), spec::Routine::dot, spec::Type::f32), flush);
    }
}

void expect_refused(const FunctionTarget::Function& function, spec::Routine routine) {
  const spec::Spec spec = captured(function, routine, spec::Type::f32);
  EXPECT_TRUE(spec.entries.empty());
  EXPECT_FALSE(spec.refusals.empty());
}

// Tiny before it is rounded, as on other processors; or subnormal after it is rounded among
// subnormal numbers, as in software; or the whole result alone.
TEST(FlushCapture, OtherWaysAreRefused) {
  const auto chain = [](auto multiply) {
    return [=](const Call& call, const double* x, const double* y) {
      float sum = multiply(float(x[0]), float(y[0]));
      for (std::int64_t k = 1; k < call.k; ++k)
        sum = flushed(sum + multiply(float(x[k]), float(y[k])));
      return double(sum);
    };
  };
  {
    SCOPED_TRACE("before rounding");
    expect_refused(chain([](float x, float y) {
                     const double exact = double(x) * double(y);
                     return std::abs(exact) < 0x1p-126 ? std::copysign(0.0F, float(exact))
                                                       : float(exact);
                   }),
                   spec::Routine::dot);
  }
  {
    SCOPED_TRACE("after rounding among subnormal numbers");
    expect_refused(chain([](float x, float y) { return flushed(x * y); }), spec::Routine::dot);
  }
  {
    SCOPED_TRACE("the result alone");
    expect_refused(
        [](const Call& call, const double* x, const double*) {
          float sum = float(x[0]);
          for (std::int64_t k = 1; k < call.k; ++k) sum += float(x[k]);
          return double(flushed(sum));
        },
        spec::Routine::sum);
  }
}

}  // namespace
}  // namespace reprosum::reveal
