// Products with habits: another order for data of some class or at one size. None is certified with
// wrong bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <random>

#include "reveal/check/matrix_check.h"
#include "tests/reveal/capture/planted_captures.h"

namespace reprosum::reveal::testing {
namespace {

// What is asked about one output's row of A, column of B and C.
struct Output {
  const Call& call;
  const double *a, *b;
  double c;
  bool all_a(auto ask) const { return std::all_of(a, a + call.k, ask); }
  bool all_b(auto ask) const { return std::all_of(b, b + call.k, ask); }
};

struct MatrixHabit {
  const char* name;
  std::function<bool(const Output&)> ask;
  bool is_of_data = true;  // nothing may be certified
};

double in_two_lanes(const Call& call, const double* a, const double* b, double alpha, double beta,
                    double c) {
  return spec::is_f32(call.type) ? two_lanes<float>(alpha, beta, c, call.k, a, b)
                                 : two_lanes<double>(alpha, beta, c, call.k, a, b);
}

// One block, or two lanes where the question is answered with yes.
MatrixFunction with_habit(const MatrixHabit& habit) {
  return [habit](const Call& call, std::int64_t, std::int64_t, const double* a, const double* b,
                 double alpha, double beta, double c) {
    if (call.k >= 8 && habit.ask({call, a, b, c})) return in_two_lanes(call, a, b, alpha, beta, c);
    return spec::is_f32(call.type) ? blocked<float>(alpha, beta, c, call.k, a, b, call.k)
                                   : blocked<double>(alpha, beta, c, call.k, a, b, call.k);
  };
}

std::vector<MatrixHabit> habits() {
  const auto nonnegative = [](double v) { return v >= 0; };
  const auto nonpositive = [](double v) { return v <= 0; };
  const auto integral = [](double v) { return std::trunc(v) == v; };
  return {
      {"A >= 0", [=](const Output& o) { return o.all_a(nonnegative); }},
      {"B >= 0", [=](const Output& o) { return o.all_b(nonnegative); }},
      {"A <= 0 and B <= 0",
       [=](const Output& o) { return o.all_a(nonpositive) && o.all_b(nonpositive); }},
      {"A integral", [=](const Output& o) { return o.all_a(integral); }},
      {"A constant", [](const Output& o) { return o.all_a([&](double v) { return v == *o.a; }); }},
      {"B sorted", [](const Output& o) { return std::is_sorted(o.b, o.b + o.call.k); }},
      {"A in one binade",
       [](const Output& o) {
         return o.all_a([&](double v) { return v != 0 && std::ilogb(v) == std::ilogb(*o.a); });
       }},
      {"the row is the column",
       [](const Output& o) { return std::equal(o.a, o.a + o.call.k, o.b); }},
      {"the row is minus the column",
       [](const Output& o) {
         return std::equal(o.a, o.a + o.call.k, o.b, [](double x, double y) { return x == -y; });
       }},
      {"the row is the column from its end on",
       [](const Output& o) {
         return std::equal(o.a, o.a + o.call.k, std::reverse_iterator(o.b + o.call.k));
       }},
      {"A in tenths",
       [](const Output& o) {
         return o.all_a([&](double v) {
           const double tenths = std::round(v * 10);
           const double nearest = spec::is_f32(o.call.type)
                                      ? static_cast<double>(static_cast<float>(tenths / 10))
                                      : tenths / 10;
           return std::abs(tenths) < 1e6 && v == nearest;
         });
       }},
      {"B in quarters",
       [](const Output& o) {
         return o.all_b([](double v) { return std::abs(v) < 1e6 && std::trunc(4 * v) == 4 * v; });
       }},
      {"A has subnormal numbers",
       [](const Output& o) {
         const double least = spec::is_f32(o.call.type) ? double{std::numeric_limits<float>::min()}
                                                        : std::numeric_limits<double>::min();
         return std::any_of(o.a, o.a + o.call.k,
                            [&](double v) { return v != 0 && std::abs(v) < least; });
       }},
      {"A beyond 2^60",
       [](const Output& o) {
         return std::any_of(o.a, o.a + o.call.k,
                            [](double v) { return std::isfinite(v) && std::abs(v) > 0x1p60; });
       }},
      {"no habit", [](const Output&) { return false; }, false},
      {"k = 137", [](const Output& o) { return o.call.k == 137; }, false},
      {"m = 83", [](const Output& o) { return o.call.m == 83; }, false},
      {"k % 59 = 0", [](const Output& o) { return o.call.k % 59 == 0; }, false},
  };
}

struct Case {
  MatrixHabit habit;
  spec::Routine routine;
  spec::Type type;
};
void PrintTo(const Case& planted, std::ostream* out) { *out << planted.habit.name; }

class MatrixHabitTest : public ::testing::TestWithParam<Case> {};

TEST_P(MatrixHabitTest, IsNotCertifiedWithWrongBits) {
  const auto& [habit, routine, type] = GetParam();
  CaptureOptions options = small_options(routine, type);
  options.transposes = {{spec::Trans::no, spec::Trans::no}};
  options.time_limit_s = 600;  // of a busy machine
  const MatrixFunction function = with_habit(habit);
  const spec::Spec spec = capture(factory_of(function), options);
  const std::string why = refusals(spec);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(std::string(habit.name) + ", seed " + std::to_string(seed) + "\n" + why);
  if (habit.is_of_data) {
    EXPECT_NE(why, "");
  }
  for (const spec::Entry& entry : spec.entries) {
    EXPECT_FALSE(entry.certificate.classes.empty());
    FunctionTarget target(function);
    const Call call = call_without_sizes(routine, type);
    const bool gemv = routine == spec::Routine::gemv;
    MatrixCheck check{entry.guard.alignment,
                      entry.guard.leading,
                      {entry.guard.finite_only, entry.guard.alpha_one, entry.guard.nonzero_only},
                      seed,
                      entry.guard.addresses};
    std::vector<spec::Shape3> shapes;
    for (const std::int64_t k : {8, 9, 31, 59, 118, 136, 137, 138, 177, 200})
      for (int turn = 0; turn < 20; ++turn) {
        shapes.push_back({5, gemv ? 1 : 3, k});
        shapes.push_back({83, gemv ? 1 : 2, k});
      }
    for (const bool by_class : {false, true}) {
      check.by_class = by_class;
      const auto result = check_matrices(target, call, entry.regimes, spec.orders, shapes, check);
      EXPECT_FALSE(result.wrong) << result.wrong->mismatch.context << " on "
                                 << name(result.wrong->data);
    }
    const VerifyReport report = verify(spec, factory_of(function), options);
    EXPECT_TRUE(report.holds) << report.first[0].context;
  }
  if (std::string(habit.name) == "no habit") {
    EXPECT_EQ(why, "");
    EXPECT_EQ(spec.entries.size(), 1u);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const MatrixHabit& habit : habits())
    for (const spec::Type type : {spec::Type::f32, spec::Type::f64})
      for (const spec::Routine routine : {spec::Routine::gemv, spec::Routine::gemm})
        // A gemm takes as long as twenty of gemv.
        if (routine == spec::Routine::gemv || spec::is_f32(type))
          all.push_back({habit, routine, type});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Habits, MatrixHabitTest, ::testing::ValuesIn(cases()));

}  // namespace
}  // namespace reprosum::reveal::testing
