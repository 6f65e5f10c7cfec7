// Products that look at where their operands lie, whether A and B are one matrix, or which face is
// called: refused with the reason, or covered where they are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>

#include "reveal/check/matrix_check.h"
#include "reveal/check/related_shapes.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal::testing {
namespace {

using spec::Trans;

struct Plant {
  const char* name;
  spec::Routine routine;
  std::function<bool(const Call&)> is_odd;
  const char* reason;
  Trans trans_a = Trans::no, trans_b = Trans::no;
};
void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.name; }

TargetFactory factory_of(const Plant& plant) {
  const MatrixFunction function = [is_odd = plant.is_odd](
                                      const Call& call, std::int64_t, std::int64_t, const double* a,
                                      const double* b, double alpha, double beta, double c) {
    return is_odd(call) ? two_lanes<double>(alpha, beta, c, call.k, a, b)
                        : blocked<double>(alpha, beta, c, call.k, a, b, call.k);
  };
  return [function](int) {
    auto target = std::make_unique<FunctionTarget>(function);
    target->take_both_faces();
    return target;
  };
}

std::vector<Plant> plants() {
  constexpr auto gemm = spec::Routine::gemm, gemv = spec::Routine::gemv;
  const auto page = [](std::uint64_t address) { return address % 4096; };
  return {
      {"bit 6 of A", gemv, [](const Call& c) { return (addresses_of(c).a & 64) != 0; },
       "address_dependent"},
      {"A on a page", gemv, [=](const Call& c) { return page(addresses_of(c).a) == 0; },
       "address_dependent"},
      {"A on an even page, m of 100 and more", gemv,
       [](const Call& c) { return c.m >= 100 && addresses_of(c).a % 8192 == 0; },
       "address_dependent"},
      {"x and y alike modulo 4 KiB", gemv,
       [=](const Call& c) { return page(addresses_of(c).b) == page(addresses_of(c).c); },
       "address_dependent"},
      {"y below x", gemv, [](const Call& c) { return addresses_of(c).c < addresses_of(c).b; },
       "address_dependent"},
      {"bit 9 of C", gemm, [](const Call& c) { return (addresses_of(c).c & 512) != 0; },
       "address_dependent"},
      {"C below A", gemm, [](const Call& c) { return addresses_of(c).c < addresses_of(c).a; },
       "address_dependent"},
      {"A is B", gemm, [](const Call& c) { return addresses_of(c).a == addresses_of(c).b; },
       "address_dependent"},
      {"A is B, NT", gemm, [](const Call& c) { return addresses_of(c).a == addresses_of(c).b; },
       "address_dependent", Trans::no, Trans::yes},
      {"CBLAS", gemm, [](const Call& c) { return c.cblas; }, "faces_differ"},
      {"CBLAS from k = 60 on", gemv, [](const Call& c) { return c.cblas && c.k >= 60; },
       "faces_differ"},
      {"C is not T", gemv, [](const Call& c) { return c.conjugate; }, "faces_differ", Trans::yes},
      {"C is not T", gemm, [](const Call& c) { return c.conjugate; }, "faces_differ", Trans::no,
       Trans::yes},
      {"nothing", gemv, [](const Call&) { return false; }, nullptr, Trans::yes},
  };
}

class MatrixPlaces : public ::testing::TestWithParam<Plant> {};

TEST_P(MatrixPlaces, AreSeen) {
  const Plant& plant = GetParam();
  const bool gemv = plant.routine == spec::Routine::gemv;
  CaptureOptions options = small_options(plant.routine, spec::Type::f64);
  options.transposes = {{plant.trans_a, plant.trans_b}};
  options.largest = gemv ? spec::Shape3{200, 1, 200} : spec::Shape3{80, 80, 120};
  options.matrix_work = 1e6;
  options.time_limit_s = 600;  // of a busy machine
  spec::Spec spec = capture(factory_of(plant), options);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + refusals(spec));
  if (plant.reason == nullptr) {
    EXPECT_EQ(refusals(spec), "");
    EXPECT_EQ(spec.entries.size(), 1u);
  } else {
    EXPECT_NE(refusals(spec).find(plant.reason), std::string::npos);
  }
  const auto target = factory_of(plant)(1);
  const Call call =
      call_without_sizes(plant.routine, spec::Type::f64, plant.trans_a, plant.trans_b);
  for (const spec::Entry& entry : spec.entries) {
    MatrixCheck check = check_of(entry, seed);
    for (int turn = 0; turn < 4; ++turn) {
      check.seed = seed + static_cast<std::uint64_t>(turn);
      const auto shapes = plan_related(gemv, options.largest, 1e6, check.seed + 10);
      const auto result = check_matrices(*target, call, entry.regimes, spec.orders, shapes, check);
      EXPECT_FALSE(result.wrong) << result.wrong->mismatch.context;
    }
  }
}

// The first products of a process, and factors that are all the same: whether a target is asked
// about both.
TEST(MatrixHabitsOfTime, TheFirstProductsAreMadeAgain) {
  const TargetFactory factory = [](int) {
    auto calls = std::make_shared<std::int64_t>(0);
    return std::make_unique<FunctionTarget>(
        MatrixFunction([calls](const Call& call, std::int64_t i, std::int64_t j, const double* a,
                               const double* b, double alpha, double beta, double c) {
          if (i == 0 && j == 0) ++*calls;
          return *calls <= 1000 ? two_lanes<double>(alpha, beta, c, call.k, a, b)
                                : blocked<double>(alpha, beta, c, call.k, a, b, call.k);
        }));
  };
  CaptureOptions options = small_options(spec::Routine::gemm, spec::Type::f64);
  options.transposes = {{Trans::no, Trans::no}};
  options.largest = {60, 60, 80};
  const spec::Spec spec = capture(factory, options);
  EXPECT_TRUE(spec.entries.empty());
  EXPECT_NE(refusals(spec).find("not_deterministic"), std::string::npos) << refusals(spec);
}

TEST(MatrixHabitsOfData, FactorsThatAreAllTheSameAreSeen) {
  const TargetFactory factory = [](int) {
    return std::make_unique<FunctionTarget>(
        MatrixFunction([](const Call& call, std::int64_t, std::int64_t, const double* a,
                          const double* b, double alpha, double beta, double c) {
          const bool is_odd = call.k > 4 && b[0] == double(0.1f) &&
                              std::all_of(b, b + call.k, [&](double x) { return x == b[0]; });
          return is_odd ? two_lanes<double>(alpha, beta, c, call.k, a, b)
                        : blocked<double>(alpha, beta, c, call.k, a, b, call.k);
        }));
  };
  CaptureOptions options = small_options(spec::Routine::gemm, spec::Type::f64);
  options.transposes = {{Trans::no, Trans::no}};
  options.largest = {60, 60, 80};
  const spec::Spec spec = capture(factory, options);
  EXPECT_TRUE(spec.entries.empty());
  EXPECT_NE(refusals(spec).find("input_dependent"), std::string::npos) << refusals(spec);
}

INSTANTIATE_TEST_SUITE_P(Plants, MatrixPlaces, ::testing::ValuesIn(plants()));

}  // namespace
}  // namespace reprosum::reveal::testing
