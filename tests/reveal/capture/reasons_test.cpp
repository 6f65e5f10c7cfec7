// What a capture refuses has a reason that names it, with the evidence, and soon: sums that round
// in a direction, that leave NaN out, and those that now and then give other bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <memory>
#include <random>
#include <string>

#include "reveal/check/rounding.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/reveal/capture/planted_sums.h"

namespace reprosum::reveal::testing {
namespace {

using spec::Routine;
using spec::Type;
using Function = FunctionTarget::Function;

constexpr std::pair<Routine, Type> kReductions[] = {{Routine::sum, Type::f32},
                                                    {Routine::sum, Type::f64},
                                                    {Routine::dot, Type::f32},
                                                    {Routine::dot, Type::f64}};

CaptureOptions options_of(Routine routine, Type type) {
  CaptureOptions options = small_options(routine, type);
  options.n_max = 20'000;
  options.random_vectors = 300;
  options.every_size_to = 300;
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  return options;
}

struct Seen {
  spec::Spec spec;
  std::string why;
  std::int64_t calls = 0;
};

Seen captured(const TargetFactory& open, CaptureOptions options) {
  Seen seen;
  options.progress = [&](const Progress& progress) { seen.calls = progress.calls; };
  seen.spec = capture(open, options);
  seen.why = refusals(seen.spec);
  return seen;
}

TargetFactory factory_of(const Function& function) {
  return [function](int) { return std::make_unique<FunctionTarget>(function); };
}

void expect_refused(const Seen& seen, const std::vector<std::string>& parts) {
  EXPECT_TRUE(seen.spec.entries.empty());
  for (const std::string& part : parts)
    EXPECT_NE(seen.why.find(part), std::string::npos) << part << " is not in\n" << seen.why;
}

// ---- rounding ----

// Left to right in a rounding mode; volatile, so that no operation is moved out of it.
template <typename T>
T rounding_sum(int mode, std::int64_t n, const double* x, const double* y) {
  std::fesetround(mode);
  volatile T sum = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    volatile T term = static_cast<T>(x[k]);
    if (y != nullptr) term = term * static_cast<T>(y[k]);
    sum = k == 0 ? term : sum + term;
  }
  std::fesetround(FE_TONEAREST);
  return sum;
}

Function rounding(int mode) {
  return [mode](const Call& call, const double* x, const double* y) -> double {
    const double* const factors = call.routine == Routine::dot ? y : nullptr;
    return spec::is_f32(call.type) ? rounding_sum<float>(mode, call.k, x, factors)
                                   : rounding_sum<double>(mode, call.k, x, factors);
  };
}

constexpr std::pair<int, const char*> kModes[] = {
    {FE_TOWARDZERO, "toward zero"}, {FE_UPWARD, "upward"}, {FE_DOWNWARD, "downward"}};

TEST(Reasons, ADirectionOfRoundingIsNamed) {
  for (const auto& [mode, name] : kModes)
    for (const auto& [routine, type] : kReductions) {
      SCOPED_TRACE(std::string(name) + " " + spec::blas_name(routine, type));
      const Seen seen = captured(factory_of(rounding(mode)), options_of(routine, type));
      expect_refused(seen, {"directed_rounding: ", std::string("sums are rounded ") + name,
                            "all of 128 sums of two are, and ", " gave ", "nearest is "});
      EXPECT_EQ(seen.why.find("BF16"), std::string::npos) << seen.why;
      EXPECT_LT(seen.calls, 2000);
    }
}

TEST(Reasons, ADirectionOfRoundingIsNamedOfProducts) {
  const auto open = [](int) {
    auto target = std::make_unique<FunctionTarget>(sequential());
    target->set_matrix_function([](const Call& call, std::int64_t, std::int64_t, const double* a,
                                   const double* b, double alpha, double beta, double c) {
      const double sum = alpha * rounding_sum<double>(FE_TOWARDZERO, call.k, a, b);
      return beta == 0 ? sum : sum + beta * c;
    });
    return target;
  };
  CaptureOptions options = options_of(Routine::gemm, Type::f64);
  options.largest = {8, 8, 24};
  options.matrix_work = 1e5;
  expect_refused(captured(open, options), {"directed_rounding: ", "sums are rounded toward zero"});
}

// Products that are cut off, added to nearest, as some matrix units do.
TEST(Reasons, ADirectionOfRoundedFactorsIsNamed) {
  const Function cut = [](const Call& call, const double* x, const double* y) -> double {
    double sum = 0;
    for (std::int64_t k = 0; k < call.k; ++k) {
      const double term = rounding_sum<double>(FE_TOWARDZERO, 1, x + k, y + k);
      sum = k == 0 ? term : sum + term;
    }
    return sum;
  };
  expect_refused(captured(factory_of(cut), options_of(Routine::dot, Type::f64)),
                 {"directed_rounding: ", "products are rounded toward zero"});
}

TEST(Reasons, RoundingToNearestHasNoDirection) {
  // 1 + 2^-53 is a tie; 1 + 3 * 2^-54 is above it, and 1 + 2^-54 below.
  const double next = std::nextafter(1.0, 2.0);
  const auto all = [&](double of_tie) {
    return std::vector<Rounded>{{1, 0x1p-53, of_tie}, {next, -0x1p-54, next}, {1, 0x1p-54, 1}};
  };
  EXPECT_EQ(direction_of(all(1), false), std::nullopt);
  EXPECT_EQ(direction_of(all(next), false), "to nearest, ties away from zero");
  EXPECT_EQ(direction_of(all(0), false), std::nullopt);  // no rounding at all
}

// ---- NaN ----

// What numpy.nansum and pandas do; sums of pandas are corrected as well.
template <typename Sum>
Function without_nan(Sum sum) {
  return over_summands([sum](auto terms) {
    std::erase_if(terms, [](auto v) { return std::isnan(v); });
    return sum(terms);
  });
}

TEST(Reasons, ASumThatLeavesNanOutIsNamedAtOnce) {
  for (const auto& [routine, type] : kReductions)
    for (const Function& function : {without_nan(kInHalves), without_nan(kCorrected)}) {
      SCOPED_TRACE(spec::blas_name(routine, type));
      const Seen seen = captured(factory_of(function), options_of(routine, type));
      expect_refused(
          seen, {"skips_nan: ", "of 60 ones and a NaN as number 1 the sum is 60", "numpy.nansum"});
      EXPECT_LT(seen.calls, 3000);
    }
}

TEST(Reasons, ANanThatIsHiddenIsNoSkippedOne) {
  const Function hides = over_summands([](const auto& terms) {
    const auto sum = forwards(terms);
    return std::isnan(sum) ? decltype(sum){0} : sum;
  });
  expect_refused(captured(factory_of(hides), options_of(Routine::sum, Type::f64)),
                 {"input_dependent: ", "the sum is 0 and not NaN"});
}

// ---- corrected ----

// What is plain below some size is kept, and the refusal names the part that is corrected.
TEST(Reasons, ASumThatIsCorrectedAtSomeSizesSaysAtWhich) {
  for (const std::size_t n : {100, 1000}) {
    SCOPED_TRACE(n);
    const auto is_below = [n](const auto& terms) { return terms.size() < n; };
    const auto is_above = [n](const auto& terms) { return terms.size() >= n; };
    const auto options = options_of(Routine::sum, Type::f64);
    const Seen above = captured(factory_of(where(is_above, kCorrected)()), options);
    const std::string last = std::to_string(n - 1), first = std::to_string(n);
    EXPECT_NE(above.why.find("compensated: covered only up to n = " + last), std::string::npos)
        << above.why;
    EXPECT_NE(above.why.find("the order does not hold from n = " + first + " on"),
              std::string::npos)
        << above.why;
    ASSERT_EQ(above.spec.entries.size(), 1U);
    EXPECT_EQ(spec::most_summands(above.spec.entries[0]), n - 1);
    expect_refused(captured(factory_of(where(is_below, kCorrected)()), options),
                   {"compensated: ", "up to n = " + last + " alone: from n = " + first});
  }
}

// ---- now and then ----

// Backwards in one of forty calls, where `may` says so.
template <typename May>
TargetFactory changing(May may) {
  return [may](int) {
    const auto random = std::make_shared<std::mt19937_64>(1);
    const auto is_odd = [random, may](const Call& call) {
      return may(call) && (*random)() % 40 == 0;
    };
    auto target = std::make_unique<FunctionTarget>(
        [is_odd](const Call& call, const double* x, const double* y) -> double {
          const bool odd = is_odd(call);
          return over_summands([odd](const auto& terms) {
            return odd ? backwards(terms) : forwards(terms);
          })(call, x, y);
        });
    const auto odd = std::make_shared<bool>(false);  // of a whole product
    target->set_matrix_function([is_odd, odd](const Call& call, std::int64_t i, std::int64_t j,
                                              const double* a, const double* b, double alpha,
                                              double beta, double c) {
      if (i == 0 && j == 0) *odd = is_odd(call);
      double sum = 0;
      for (std::int64_t k = 0; k < call.k; ++k) {
        const std::int64_t at = *odd ? call.k - 1 - k : k;
        sum += a[at] * b[at];
      }
      return beta == 0 ? alpha * sum : alpha * sum + beta * c;
    });
    return target;
  };
}

constexpr const char* kOneIn = "not_deterministic: ";

TEST(Reasons, WhatChangesNowAndThenIsNotDeterministic) {
  const auto any = [](const Call&) { return true; };
  const auto long_ones = [](const Call& call) { return call.k > 1000; };
  const auto placed = [](const Call& call) { return call.align_a != 0; };
  const auto options = options_of(Routine::dot, Type::f64);
  for (const Seen& seen : {captured(changing(any), options), captured(changing(long_ones), options),
                           captured(changing(placed), options)}) {
    expect_refused(seen, {kOneIn});
    EXPECT_LT(seen.calls, 20'000);
  }
}

// Of some sizes alone it shows late, where a rule, or the bits of a size, are not what was
// expected.
TEST(Reasons, SizesThatChangeNowAndThenAreNotDeterministic) {
  for (const auto& [first, last] : {std::pair{100, 127}, std::pair{2500, 4000}}) {
    SCOPED_TRACE(first);
    const auto some = [first = first, last = last](const Call& call) {
      return call.k >= first && call.k <= last;
    };
    CaptureOptions options = options_of(Routine::dot, Type::f64);
    options.every_size_to = 4200;
    const Seen seen = captured(changing(some), options);
    EXPECT_NE(seen.why.find(kOneIn), std::string::npos) << seen.why;
    EXPECT_EQ(seen.why.find("unknown_rule"), std::string::npos) << seen.why;
    for (const spec::Entry& entry : seen.spec.entries) EXPECT_LE(spec::most_summands(entry), last);
  }
}

// Increments seemed to differ from themselves, and what was cut from such a range was empty: a
// division by zero ended the process.
TEST(Reasons, IncrementsThatChangeNowAndThenAreRefusedInALine) {
  const auto strided = [](const Call& call) { return call.incx != 1; };
  CaptureOptions options = options_of(Routine::dot, Type::f64);
  options.n_max = 500;
  options.increments = {{1, 1}, {{2, 1000}, 1}, {{-1000, -1}, 1}};
  const Seen seen = captured(changing(strided), options);
  EXPECT_EQ(seen.spec.entries.size(), 1U) << seen.why;
  EXPECT_NE(seen.why.find(kOneIn), std::string::npos) << seen.why;
  EXPECT_EQ(seen.why.find("unknown_rule"), std::string::npos) << seen.why;
}

TEST(Reasons, ProductsThatChangeNowAndThenAreNotDeterministic) {
  for (const Routine routine : {Routine::gemv, Routine::gemm})
    for (const std::int64_t from : {0, 20'000}) {
      CaptureOptions options = options_of(routine, Type::f64);
      options.largest = {512, 512, 1024};
      // A target that is searched for regions would not end.
      options.is_over = [calls = 0]() mutable { return ++calls > 20'000; };
      const auto large = [from](const Call& call) { return call.m * call.n * call.k > from; };
      const Seen seen = captured(changing(large), options);
      SCOPED_TRACE(spec::blas_name(routine, Type::f64));
      expect_refused(seen, {kOneIn});
      EXPECT_EQ(seen.why.find("not_reached"), std::string::npos) << seen.why;
    }
}

}  // namespace
}  // namespace reprosum::reveal::testing
