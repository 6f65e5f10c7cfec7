// Products that take another order where sizes are equal, or at one size alone: none of these calls
// is covered with wrong bits, and the others stay covered.
#include "reveal/capture/matrix_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <random>
#include <string>

#include "reveal/check/matrix_check.h"
#include "reveal/check/related_shapes.h"
#include "spec/describe_matrix.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal::testing {
namespace {

using spec::Shape3;

struct Plant {
  const char* name;
  spec::Routine routine;
  std::function<bool(const Call&)> is_odd;
  Shape3 largest{72, 72, 96};
  bool is_cut = false;  // little need stay covered
};
void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.name; }

MatrixFunction planted(const Plant& plant) {
  return [is_odd = plant.is_odd](const Call& call, std::int64_t, std::int64_t, const double* a,
                                 const double* b, double alpha, double beta, double c) {
    return is_odd(call) ? two_lanes<double>(alpha, beta, c, call.k, a, b)
                        : blocked<double>(alpha, beta, c, call.k, a, b, call.k);
  };
}

std::vector<Plant> plants() {
  constexpr auto gemm = spec::Routine::gemm, gemv = spec::Routine::gemv;
  return {
      {"m = n = k", gemm, [](const Call& c) { return c.m == c.n && c.n == c.k; }},
      {"m = n, even and 32 or more", gemm,
       [](const Call& c) { return c.m == c.n && c.m % 2 == 0 && c.m >= 32; }},
      {"cubes of 20, 40, 60", gemm,
       [](const Call& c) { return c.m == c.n && c.n == c.k && c.m % 20 == 0 && c.m <= 60; }},
      {"n = k, above 24", gemm, [](const Call& c) { return c.n == c.k && c.k > 24; }},
      {"m = 700", gemm, [](const Call& c) { return c.m == 700; }, {720, 96, 96}},
      {"n = 700", gemm, [](const Call& c) { return c.n == 700; }, {96, 720, 96}},
      {"k = 700", gemm, [](const Call& c) { return c.k == 700; }, {96, 96, 720}, true},
      {"n in hundreds from 700 on",
       gemm,
       [](const Call& c) { return c.n >= 700 && c.n % 100 == 0; },
       {96, 1700, 96}, true},
      {"lda = m", gemm, [](const Call& c) { return c.pad_a == 0; }},
      {"m = k", gemv, [](const Call& c) { return c.m == c.k; }, {400, 1, 400}},
      {"m = k in fifties",
       gemv,
       [](const Call& c) { return c.m == c.k && c.m % 50 == 0; },
       {400, 1, 400}},
      {"m = 1300", gemv, [](const Call& c) { return c.m == 1300; }, {1400, 1, 200}},
      {"k = 1300", gemv, [](const Call& c) { return c.k == 1300; }, {200, 1, 1400}},
      {"lda = m", gemv, [](const Call& c) { return c.pad_a == 0; }, {200, 1, 200}},
  };
}

class MatrixSizes : public ::testing::TestWithParam<Plant> {};

TEST_P(MatrixSizes, AreNotCoveredWithWrongBits) {
  const Plant& plant = GetParam();
  const bool gemv = plant.routine == spec::Routine::gemv;
  CaptureOptions options = small_options(plant.routine, spec::Type::f64);
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  options.largest = plant.largest;
  options.matrix_work = 2e6;
  options.time_limit_s = 10;
  const MatrixFunction function = planted(plant);
  spec::Spec spec = capture(factory_of(function), options);
  spec::canonicalize(spec);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + refusals(spec));
  FunctionTarget target(function);
  const Call call = call_without_sizes(plant.routine, spec::Type::f64);
  std::vector<Shape3> shapes = plan_related(gemv, plant.largest, 1e8, seed);
  const auto longer = plan_thin(gemv, plant.largest, 30, seed + 1);
  shapes.insert(shapes.end(), longer.begin(), longer.end());
  std::int64_t covered = 0;
  for (const spec::Entry& entry : spec.entries) {
    MatrixCheck check = check_of(entry, seed + 2);
    const auto result = check_sizes(target, call, entry.regimes, spec.orders, shapes, check);
    EXPECT_FALSE(result.wrong) << result.wrong->mismatch.context;
    covered += result.shapes;
  }
  EXPECT_GT(covered, plant.is_cut ? -1 : std::ssize(shapes) / 3);
}

INSTANTIATE_TEST_SUITE_P(Plants, MatrixSizes, ::testing::ValuesIn(plants()));

std::vector<spec::Atom> found(const Shape3& wrong,
                              const std::function<bool(const Shape3&)>& is_wrong) {
  return sizes_of_wrong(wrong, {2048, 2048, 2048}, false,
                        [&](std::span<const Shape3> shapes) -> std::optional<Shape3> {
                          const auto at = std::find_if(shapes.begin(), shapes.end(), is_wrong);
                          return at == shapes.end() ? std::nullopt : std::optional(*at);
                        });
}

TEST(SizesOfWrong, SaysWhichAreEqualAndWhichStandAlone) {
  const auto text = [](const Shape3& wrong, const std::function<bool(const Shape3&)>& is_wrong) {
    return spec::describe(found(wrong, is_wrong));
  };
  EXPECT_EQ(text({300, 300, 300}, [](const Shape3& s) { return s.m == s.n && s.n == s.k; }),
            "m = n = k");
  EXPECT_EQ(text({300, 300, 20},
                 [](const Shape3& s) { return s.m == s.n && s.m % 2 == 0 && s.m >= 256; }),
            "m = n, m > 255");
  EXPECT_EQ(text({9, 64, 64}, [](const Shape3& s) { return s.n == s.k; }), "n = k");
  EXPECT_EQ(text({64, 9, 64}, [](const Shape3& s) { return s.m == s.k && s.n == 9; }),
            "m = k, n <= 9, n > 8");
  EXPECT_EQ(text({1000, 9, 64}, [](const Shape3& s) { return s.m == 1000; }), "m <= 1000, m > 999");
  EXPECT_EQ(text({100, 100, 100},
                 [](const Shape3& s) {
                   return s == Shape3{100, 100, 100};
                 }),
            "m <= 100, m > 99, n <= 100, n > 99, k <= 100, k > 99");
  EXPECT_TRUE(found({50, 60, 70}, [](const Shape3& s) { return s.m * s.k > 1000; }).empty());
  EXPECT_TRUE(found({64, 64, 64}, [](const Shape3& s) { return s.m > 60; }).empty());
  // What shows now and then.
  int turn = 0;
  EXPECT_TRUE(found({64, 64, 64}, [&](const Shape3&) { return turn++ % 3 == 0; }).empty());
}

}  // namespace
}  // namespace reprosum::reveal::testing
