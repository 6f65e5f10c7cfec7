// Where a target puts operands, and which face it calls.
#include <gtest/gtest.h>

#include <cmath>

#include "reveal/check/placements.h"
#include "reveal/check/replay_check.h"
#include "reveal/target/function_target.h"
#include "tests/reveal/target/faults.h"

namespace reprosum::reveal {
namespace {

using spec::Routine;
using spec::Type;

// What fake_where.c answers of the rows 1, 2, .. and 3, 4, .. .
double expected(const Call& call, std::int64_t row) {
  const bool is_shared = call.place.shift.has_value();
  const double distance = is_shared ? static_cast<double>(*call.place.shift * call.incx) : 9999;
  const double a = call.align_a;
  double b = call.align_b;
  if (is_shared) b = std::fmod(a + 8 * distance + kPlaceBytes, kPlaceBytes);
  const bool is_below = is_shared ? distance < 0 : call.place.is_reversed;
  double sum = 0;
  for (std::int64_t k = 1; k <= call.k; ++k) {
    const double x = static_cast<double>(k + 50 * row);
    const double y = is_shared ? x + static_cast<double>(*call.place.shift) : 2 * x;
    sum += x + 2 * y;
  }
  return a + 1e4 * b + 1e8 * (is_below ? 1 : 0) + 1e9 * (call.cblas ? 2 : 1) +
         1e10 * (distance + 100) + sum / 1024;
}

Vectors data_of(const Call& call, std::int64_t rows) {
  Vectors data;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 1; k <= call.k; ++k) {
      const double x = static_cast<double>(k + 50 * row);
      data.x.push_back(x);
      data.y.push_back(call.place.shift ? x + static_cast<double>(*call.place.shift) : 2 * x);
    }
  return data;
}

void expect_places(Target& target, const Call& call) {
  constexpr std::int64_t kRows = 5;
  const auto got = run(target, call, data_of(call, kRows), kRows);
  for (std::int64_t row = 0; row < kRows; ++row)
    EXPECT_EQ(got[static_cast<std::size_t>(row)], expected(call, row)) << describe(call);
}

TEST(Places, ReachTheLibrary) {
  const auto target = open_target(testing::fake("where"));
  ASSERT_TRUE(target->has_both_faces(Routine::dot, Type::f64));
  FastRandom random(7);
  for (const auto& [incx, incy] : {std::pair{1, 1}, std::pair{2, -3}, std::pair{-1, 0}}) {
    Call call = call_of_vectors(Routine::dot, Type::f64, 11, incx, incy, 8, 24);
    if (incy == 0) continue;  // its summands are one
    expect_places(*target, placed(call, {0, 0}));
    for (const Placement& other : placements(call, 40, random)) {
      Call through = other.call;
      through.cblas = random.below(2) == 0;
      expect_places(*target, through);
    }
  }
}

TEST(Places, PutYIntoX) {
  const auto target = open_target(testing::fake("where"));
  for (const std::int64_t increment : {1, -1, 3, -2})
    for (const std::int64_t shift : {0, 1, 5, -3, 11, -40}) {
      Call call =
          placed(call_of_vectors(Routine::dot, Type::f64, 11, increment, increment, 8, 0), {64, 0});
      call.place.shift = shift;
      expect_places(*target, call);
    }
}

TEST(Places, DifferInEveryBitOfEveryAddress) {
  FastRandom random(3);
  const Call call = call_of_vectors(Routine::dot, Type::f64, 11);
  unsigned x_alone = 0, y_alone = 0;
  bool is_below = false, is_above = false;
  for (const Placement& other : placements(call, 10, random)) {
    const Addresses at = addresses_of(other.call);
    if (other.call.align_b == 0) x_alone |= static_cast<unsigned>(other.call.align_a);
    if (other.call.align_a == 0) y_alone |= static_cast<unsigned>(other.call.align_b);
    (at.b < at.a ? is_below : is_above) = true;
  }
  EXPECT_EQ(x_alone, 8192U - 64);
  EXPECT_EQ(y_alone, 8192U - 64);
  EXPECT_TRUE(is_below && is_above);
}

TEST(Places, AreNothingOfATargetWithOneFace) {
  FunctionTarget target([](const Call&, const double*, const double*) { return 0.0; });
  Call call = call_of_vectors(Routine::dot, Type::f64, 2);
  call.cblas = true;
  EXPECT_THROW(run(target, call, {{1, 2}, {1, 2}}, 1), TargetError);
}

}  // namespace
}  // namespace reprosum::reveal
