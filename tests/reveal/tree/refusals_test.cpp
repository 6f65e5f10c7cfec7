// Targets that have no order: each is refused with its reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "reveal/refused.h"
#include "reveal/target_oracle.h"
#include "tests/reveal/tree/synthetic_orders.h"
#include "tests/reveal/tree/tree_target.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

std::string reason(FunctionTarget target, std::int64_t n, Routine routine = Routine::sum,
                   std::int64_t incx = 1, std::int64_t incy = 1) {
  try {
    make_target_oracle(target, call_of_vectors(routine, Type::f32, 0, incx, incy), 1)->reveal(n);
  } catch (const Refused& refused) {
    return refused.reason;
  }
  return "revealed";
}

// Exact for the probes: masks are multiples of 2^100 and everything else is small.
double exact_sum(const double* x, std::int64_t n) {
  double huge = 0;
  __int128 small = 0;  // in units of 2^-60
  for (std::int64_t k = 0; k < n; ++k) {
    if (std::abs(x[k]) > 0x1p60) {
      huge += x[k];
    } else {
      small += static_cast<__int128>(std::ldexp(x[k], 60));
    }
  }
  if (huge != 0) return huge;
  // One rounding to float: through long double, which holds 64 bits.
  return static_cast<double>(static_cast<float>(std::ldexp(static_cast<long double>(small), -60)));
}

TEST(Refusals, ExactSum) {
  for (const std::int64_t n : {3, 10, 100})
    EXPECT_EQ(reason(FunctionTarget([](const Call& call, const double* x, const double*) {
                       return exact_sum(x, call.k);
                     }),
                     n),
              "exact");
}

TEST(Refusals, SortedByValueOrMagnitude) {
  const auto sorted = [](auto less) {
    return FunctionTarget([less](const Call& call, const double* x, const double*) {
      std::vector<double> values(x, x + call.k);
      std::sort(values.begin(), values.end(), less);
      float sum = 0;
      for (const double value : values) sum += static_cast<float>(value);
      return static_cast<double>(sum);
    });
  };
  for (const std::int64_t n : {3, 10, 100}) {
    EXPECT_EQ(reason(sorted([](double a, double b) { return a < b; }), n), "input_dependent");
    EXPECT_EQ(reason(sorted([](double a, double b) { return a > b; }), n), "input_dependent");
    EXPECT_EQ(reason(sorted([](double a, double b) { return std::abs(a) < std::abs(b); }), n),
              "input_dependent");
    EXPECT_EQ(reason(sorted([](double a, double b) { return std::abs(a) > std::abs(b); }), n),
              "input_dependent");
  }
}

TEST(Refusals, ShuffledSum) {
  for (const std::int64_t n : {10, 100}) {
    auto random = std::make_shared<std::mt19937_64>(3);
    EXPECT_EQ(reason(FunctionTarget([random](const Call& call, const double* x, const double*) {
                       std::vector<double> values(x, x + call.k);
                       std::shuffle(values.begin(), values.end(), *random);
                       float sum = 0;
                       for (const double value : values) sum += static_cast<float>(value);
                       return static_cast<double>(sum);
                     }),
                     n),
              "not_deterministic");
  }
}

TEST(Refusals, Garbage) {
  EXPECT_EQ(reason(FunctionTarget([](const Call&, const double*, const double*) {
                     return std::numeric_limits<double>::quiet_NaN();
                   }),
                   10),
            "not_a_sum");
  EXPECT_EQ(reason(FunctionTarget([](const Call& call, const double* x, const double*) {
                     return x[0] + static_cast<double>(call.k);
                   }),
                   10),
            "not_a_sum");
  EXPECT_EQ(reason(FunctionTarget([](const Call& call, const double* x, const double*) {
                     double most = 0;
                     for (std::int64_t k = 0; k < call.k; ++k) most = std::max(most, x[k]);
                     return most;
                   }),
                   10),
            "not_a_sum");
}

// "8 ones gave 8" would not show the difference.
TEST(Refusals, ShowTheLastBitOfWhatCameBack) {
  FunctionTarget target([](const Call& call, const double* x, const double*) {
    double sum = 0;
    for (std::int64_t k = 0; k < call.k; ++k) sum += x[k];
    return sum * (1 + 0x1p-52);
  });
  try {
    make_target_oracle(target, call_of_vectors(Routine::sum, Type::f64, 0), 1)->reveal(8);
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_NE(std::string(refused.what()).find("8 ones gave 8.000000000000002"), std::string::npos)
        << refused.what();
  }
}

TEST(Refusals, AsymmetricTarget) {
  // The order depends on the sign of the first summand: a tree for one sign of each mask pair.
  EXPECT_EQ(reason(FunctionTarget([](const Call& call, const double* x, const double*) {
                     const std::vector<double> ones(std::size_t(call.k), 1.0);
                     bool reversed = false;
                     for (std::int64_t k = 0; k < call.k / 2; ++k) reversed |= x[k] < -0x1p60;
                     return evaluate_by_hand<float>(
                         reversed ? reversed_tree(call.k) : sequential_tree(call.k), x,
                         ones.data());
                   }),
                   64),
            "not_a_tree");
}

TEST(Refusals, SharedSummandsCannotBeMasked) {
  const auto target = [] { return tree_target(sequential_tree); };
  EXPECT_EQ(reason(target(), 10, Routine::sum, 0), "unmaskable");
  EXPECT_EQ(reason(target(), 10, Routine::dot, 0, 0), "unmaskable");
  EXPECT_EQ(reason(target(), 10, Routine::dot, 0, 1), "revealed");
}

TEST(Refusals, DoubleDoubleCarriesMoreThanF64) {
  FunctionTarget target([](const Call& call, const double* x, const double*) {
    long double sum = 0;  // 64 bits
    for (std::int64_t k = 0; k < call.k; ++k) sum += x[k];
    return static_cast<double>(sum);
  });
  try {
    make_target_oracle(target, call_of_vectors(Routine::sum, Type::f64, 0), 1)->reveal(10);
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.reason, "unknown_arithmetic");
  }
}

TEST(Refusals, CountsBeyondTheOutputFormat) {
  FunctionTarget target = tree_target(sequential_tree);
  const auto oracle = make_target_oracle(target, call_of_vectors(Routine::sum, Type::f32, 0), 1);
  EXPECT_THROW(oracle->pair(std::int64_t{1} << 24, 0, 1), Refused);
  EXPECT_EQ(oracle->calls(), 0);
}

}  // namespace
}  // namespace reprosum::reveal
