// No sum with a habit is certified with wrong bits: if it was captured, it is replayed on every
// class of data, at sizes that the capture has not seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>

#include "reveal/check/class_check.h"
#include "tests/reveal/capture/planted_captures.h"
#include "tests/reveal/capture/planted_habits.h"

namespace reprosum::reveal::testing {
namespace {

struct Planted {
  Habit habit;
  spec::Type type;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.habit.name; }

constexpr std::int64_t kMost = 20'000;

CaptureOptions options_for(const Planted& planted) {
  CaptureOptions options = options_with_replay();
  options.routines = {{planted.habit.routine, planted.type}};
  options.increments = {{1, 1}};
  options.n_max = kMost;
  options.random_vectors = 500;
  return options;
}

// Sizes that habits speak of, and random ones.
std::vector<std::int64_t> fresh_sizes(std::uint64_t seed) {
  std::vector<std::int64_t> sizes{1,    2,    8,    16,   64,   100,  171,  172,  512,   777,
                                  1000, 1001, 1009, 1024, 1025, 1500, 2000, 2005, 2018,  2501,
                                  3000, 3001, 3027, 3334, 4036, 4096, 4199, 9001, 10007, 16384};
  std::mt19937_64 random(seed);
  for (int k = 0; k < 60; ++k) sizes.push_back(1 + static_cast<std::int64_t>(random() % 4200));
  for (int k = 0; k < 10; ++k) sizes.push_back(1 + static_cast<std::int64_t>(random() % kMost));
  return sizes;
}

// The first wrong call, or nothing.
std::string first_wrong(const spec::Spec& spec, const Planted& planted, std::uint64_t seed) {
  FunctionTarget target(planted.habit.make());
  FastRandom random(seed);
  for (const std::int64_t n : fresh_sizes(seed))
    for (int kind = 0; kind < kAllKinds; ++kind)
      for (int align = 0; align < (n < 3000 ? 2 : 1); ++align) {
        const spec::Context context =
            spec::vector_call(planted.habit.routine, planted.type, n, 1, 1, 1, align * 8, 0);
        const spec::Entry* entry = spec::find(spec, context);
        if (entry == nullptr) continue;
        const Call call =
            call_of_vectors(planted.habit.routine, planted.type, n, 1, 1, align * 8, 0);
        const Vectors data = random_vectors(call, 1, static_cast<Data>(kind), random);
        const double got = run(target, call, data, 1)[0];
        const double expected =
            spec::replay(spec.orders[spec::order_of(*entry)], planted.type, n, data.x.data(),
                         data.y.empty() ? nullptr : data.y.data());
        if (!same_bits(got, expected))
          return describe(call) + " on " + name(static_cast<Data>(kind)) + ": expected " +
                 hex(expected) + " got " + hex(got);
      }
  return {};
}

class HabitTest : public ::testing::TestWithParam<Planted> {};

TEST_P(HabitTest, IsNotCertifiedWithWrongBits) {
  const Planted& planted = GetParam();
  const auto open = [&](int) { return std::make_unique<FunctionTarget>(planted.habit.make()); };
  const spec::Spec spec = capture(open, options_for(planted));
  const std::string why = refusals(spec);
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(planted.habit.name + ", seed " + std::to_string(seed) + "\n" + why);
  if (planted.habit.fate == Fate::noted) {
    for (const spec::Entry& entry : spec.entries)
      EXPECT_TRUE(
          std::any_of(entry.certificate.not_checked.begin(), entry.certificate.not_checked.end(),
                      [](const std::string& line) { return line.starts_with("state and time"); }));
    return;
  }
  EXPECT_EQ(first_wrong(spec, planted, seed), "");
  if (planted.habit.fate == Fate::refused) {
    EXPECT_TRUE(spec.entries.empty());
  }
  if (planted.habit.fate == Fate::certified) {
    EXPECT_EQ(why, "");
    EXPECT_FALSE(spec.entries.empty());
  }
  // A float in double is no habit, and one in float is what all have.
  if (spec.entries.empty()) {
    ASSERT_FALSE(spec.refusals.empty());
    EXPECT_NE(why.find(planted.habit.reason), std::string::npos);
  }
  for (const spec::Entry& entry : spec.entries) {
    EXPECT_FALSE(entry.certificate.classes.empty());
    EXPECT_GT(entry.certificate.every_size_to, 0);
  }
}

std::vector<Planted> planted(const std::vector<Habit>& habits) {
  std::vector<Planted> all;
  for (const Habit& habit : habits)
    for (const spec::Type type : {spec::Type::f32, spec::Type::f64}) all.push_back({habit, type});
  return all;
}

std::string test_name(const ::testing::TestParamInfo<Planted>& info) {
  std::string text = std::to_string(info.index) + "_";
  for (const char c : info.param.habit.name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += c;
    else if (text.back() != '_')
      text += '_';
  return text + (spec::is_f32(info.param.type) ? "_f32" : "_f64");
}

INSTANTIATE_TEST_SUITE_P(Data, HabitTest, ::testing::ValuesIn(planted(habits_of_data())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Factors, HabitTest, ::testing::ValuesIn(planted(habits_of_factors())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Range, HabitTest, ::testing::ValuesIn(planted(habits_of_range())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Width, HabitTest, ::testing::ValuesIn(planted(habits_of_width())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Sizes, HabitTest, ::testing::ValuesIn(planted(habits_of_sizes())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(State, HabitTest, ::testing::ValuesIn(planted(habits_of_state())),
                         test_name);

}  // namespace
}  // namespace reprosum::reveal::testing
