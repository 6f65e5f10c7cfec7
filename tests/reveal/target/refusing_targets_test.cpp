// The referee's referee: MPFR for the exact sum, and what sets each refusing target apart.
#include "tests/reveal/target/refusing_targets.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <set>

#include "tests/reveal/target/batches.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

// Any finite value of the type, by bits: all exponents, subnormals, zeros.
double random_value(std::mt19937_64& engine, Type type) {
  for (;;) {
    const std::uint64_t bits = engine();
    const double value = is_f64(type) ? std::bit_cast<double>(bits)
                                      : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isfinite(value)) return value;
  }
}

// With 5000 bits nothing is rounded before the end.
double mpfr_dot(const Call& call, const std::vector<double>& x, const std::vector<double>& y) {
  mpfr_t sum, term;
  mpfr_inits2(5000, sum, term, nullptr);
  mpfr_set_d(sum, -0.0, MPFR_RNDN);
  for (std::size_t k = 0; k < x.size(); ++k) {
    mpfr_set_d(term, x[k], MPFR_RNDN);
    if (call.routine == Routine::dot) mpfr_mul_d(term, term, y[k], MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
  }
  const double result =
      is_f64(call.type) ? mpfr_get_d(sum, MPFR_RNDN) : mpfr_get_flt(sum, MPFR_RNDN);
  mpfr_clears(sum, term, nullptr);
  return result;
}

TEST(ExactSum, EqualsMpfr) {
  SCOPED_TRACE(testing::kSeed);
  std::mt19937_64 engine(testing::kSeed);
  const auto exact = testing::exact();
  for (int round = 0; round < 4000; ++round) {
    Call call;
    call.routine = engine() % 2 ? Routine::sum : Routine::dot;
    call.type = testing::type_of(engine() % 2);
    call.k = 1 + static_cast<std::int64_t>(engine() % 8);
    std::vector<double> x(static_cast<std::size_t>(call.k)), y(x.size());
    const std::uint64_t kind = engine() % 5;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = random_value(engine, call.type);
      y[k] = random_value(engine, call.type);
      if (kind == 1 && k > 0 && engine() % 2) {  // cancels an earlier summand
        x[k] = -x[k - 1];
        y[k] = y[k - 1];
      }
      if (kind == 2) x[k] = std::ldexp(static_cast<double>(engine() % 8), -149);
      if (kind == 3) {  // ties between neighbours of 1
        x[k] = k == 0 ? 1.0 : std::ldexp(1.0, is_f64(call.type) ? -53 : -24);
        y[k] = 1.0;
      }
      if (kind == 4) x[k] = engine() % 2 ? 0.0 : -0.0;
    }
    const double expected = mpfr_dot(call, x, y);
    const double got = exact(call, x.data(), y.data());
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << "round " << round << ": " << got << " where MPFR says " << expected;
  }
}

// Outputs of every target on the same cancelling data.
double on(const FunctionTarget::Function& function, const std::vector<double>& x) {
  const Call call = call_of_vectors(Routine::sum, Type::f64, static_cast<std::int64_t>(x.size()));
  return function(call, x.data(), nullptr);
}

TEST(RefusingTargets, AreWhatTheySay) {
  const std::vector<double> hard{1, 0x1p60, 1, -0x1p60};
  EXPECT_EQ(on(testing::exact(), hard), 2);
  EXPECT_EQ(on(testing::neumaier(), hard), 2);
  EXPECT_EQ(on(testing::sequential(), hard), 0);
  EXPECT_EQ(on(testing::pairwise(), {1, -1, 0x1p-60, 0x1p-60}), 0x1p-59);
  EXPECT_EQ(on(testing::first_element_only(), hard), 1);
  EXPECT_EQ(on(testing::sorted_by_magnitude(), {0x1p53, 1, 1, -0x1p53}), 2);
  EXPECT_EQ(on(testing::sequential(), {0x1p53, 1, 1, -0x1p53}), 0);
  EXPECT_EQ(on(testing::reversed_where_negative_first(), {-0x1p53, 1, 0x1p53}),
            on(testing::sequential(), {0x1p53, 1, -0x1p53}));
  std::vector<double> small(101, 0x1p-53);
  small[0] = 1;
  EXPECT_EQ(on(testing::sequential(), small), 1);
  EXPECT_EQ(on(testing::kahan(), small), 1 + 100 * 0x1p-53);
  EXPECT_NE(on(testing::hash_of_inputs(), hard), on(testing::hash_of_inputs(), small));
  EXPECT_EQ(on(testing::hash_of_inputs(), hard), on(testing::hash_of_inputs(), hard));

  const auto shuffled = testing::shuffled(testing::kSeed);
  std::set<double> seen;
  for (int again = 0; again < 50; ++again) seen.insert(on(shuffled, hard));
  EXPECT_GT(seen.size(), 1u);
}

}  // namespace
}  // namespace reprosum::reveal
