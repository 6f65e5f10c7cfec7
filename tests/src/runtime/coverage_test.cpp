// Coverage: the flat routes against spec::find, and the queries of the C API.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include "sample_specs.h"
#include "spec/error.h"
#include "src/runtime/replayer.h"
#include "src/runtime/routes.h"

namespace reprosum {
namespace {

spec::Guard random_guard(std::mt19937_64& engine, bool sum) {
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(engine);
  };
  spec::Guard guard;
  const auto range = [&] {
    const int least = pick(-1, 2);
    return pick(0, 2) == 0 ? spec::IncrementRange(least, least + pick(0, 2))
                           : spec::IncrementRange(least);
  };
  for (int i = pick(1, 4); i > 0; --i)
    guard.increments.push_back({range(), sum ? spec::IncrementRange(0) : range()});
  for (int i = pick(1, 2); i > 0; --i) guard.threads.push_back(pick(1, 3));
  const int modulus = 1 << pick(0, 6);
  std::vector<std::pair<int, int>> residues;
  for (int i = pick(1, 8); i > 0; --i)
    residues.emplace_back(pick(0, modulus - 1), sum ? 0 : pick(0, modulus - 1));
  guard.addresses = spec::vector_addresses(modulus, residues);
  return guard;
}

// Guards overlap here, as a hostile spec's may: the first entry must win in both.
TEST(Coverage, RoutesGiveTheEntryThatFindGives) {
  constexpr std::uint64_t seed = 31;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const auto pick = [&](int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(engine);
  };
  int covered = 0, refused = 0;
  for (int round = 0; round < 100; ++round) {
    spec::Spec spec;
    for (int i = pick(1, 12); i > 0; --i) {
      const auto routine = static_cast<spec::Routine>(pick(0, 1));
      const std::int64_t n_max = pick(1, 100);
      samples::add(spec, routine, pick(0, 1) == 0 ? spec::Type::f32 : spec::Type::f64,
                   random_guard(engine, routine == spec::Routine::sum),
                   samples::sequential(100 + i), n_max);
    }
    spec::canonicalize(spec);
    for (int asked = 0; asked < 300; ++asked) {
      spec::Context context;
      context.routine = static_cast<spec::Routine>(pick(0, 1));
      context.type = pick(0, 1) == 0 ? spec::Type::f32 : spec::Type::f64;
      context.shape = {1, 1, pick(1, 110)};
      context.incx = pick(-1, 2);
      context.incy = pick(-1, 2);
      context.threads = pick(1, 3);
      const bool sum = context.routine == spec::Routine::sum;
      context.addresses = {pick(0, 63), sum ? 0 : pick(0, 63)};
      const spec::Entry* entry = spec::find(spec, context);
      const runtime::Routes routes(spec, context.threads);
      const runtime::Route* route =
          routes.find(context.routine, context.type, context.shape.k, context.incx,
                      sum ? 0 : context.incy, context.addresses[0], context.addresses[1]);
      ASSERT_EQ(entry == nullptr, route == nullptr);
      if (entry != nullptr) {
        ASSERT_EQ(spec::order_of(*entry), route->order);
      }
      ++(entry != nullptr ? covered : refused);
      const std::int64_t largest =
          routes.largest_n(context.routine, context.type, context.incx, sum ? 0 : context.incy,
                           context.addresses[0], context.addresses[1]);
      ASSERT_EQ(context.shape.k <= largest, entry != nullptr);
    }
  }
  EXPECT_GT(covered, 200);
  EXPECT_GT(refused, 200);
}

// Any increment of an interval has its order: one after the other where x has gaps, else 8 lanes.
TEST(Coverage, EveryIncrementOfAnInterval) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const auto pick = [&](std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(engine);
  };
  constexpr std::int64_t kLeast = spec::IncrementRange::kLeast,
                         kGreatest = spec::IncrementRange::kGreatest;
  spec::Spec spec = samples::plain_spec();
  samples::add(spec, spec::Routine::dot, spec::Type::f64,
               spec::vector_guard({{{kLeast, -1}, {1, kGreatest}}, {{2, kGreatest}, 1}}, {1}),
               samples::sequential(samples::kLargest), samples::kLargest);
  reprosum_handle* handle = samples::open(spec);
  ASSERT_NE(handle, nullptr);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t n = pick(1, 40), size = round % 3 == 0 ? pick(1, 9) : pick(1, 9999);
    const std::int64_t incx = round % 2 == 0 ? -size : size + 1;
    const std::int64_t incy = round % 2 == 0 ? pick(1, 9999) : 1;
    const auto length = [&](std::int64_t increment) {
      return static_cast<std::size_t>((n - 1) * std::abs(increment) + 1);
    };
    const auto x = samples::random_data<double>(length(incx), seed + 2 * round);
    const auto y = samples::random_data<double>(length(incy), seed + 2 * round + 1);
    double expected = 0, got = 0;
    for (std::int64_t k = 0; k < n; ++k)
      expected += x[static_cast<std::size_t>(incx < 0 ? (k + 1 - n) * incx : k * incx)] *
                  y[static_cast<std::size_t>(k * incy)];
    ASSERT_EQ(reprosum_ddot(handle, n, x.data(), incx, y.data(), incy, &got), REPROSUM_OK)
        << reprosum_last_error(handle);
    ASSERT_EQ(got, expected) << n << " " << incx << ":" << incy;
  }
  const double x[9] = {};
  double out = 0;
  for (const auto& [incx, incy] : {std::pair{2, 2}, {1, 2}, {0, 1}, {-1, -1}})
    EXPECT_EQ(reprosum_ddot(handle, 3, x, incx, x, incy, &out), REPROSUM_NOT_COVERED)
        << incx << ":" << incy;
  EXPECT_EQ(reprosum_ddot(handle, 3, x, 1, x, 1, &out), REPROSUM_OK);
  reprosum_close(handle);
}

TEST(Coverage, Queries) {
  const spec::Spec spec = samples::strided_spec();
  reprosum_handle* handle = samples::open(spec);
  ASSERT_NE(handle, nullptr);
  std::size_t count = 0;
  EXPECT_EQ(reprosum_entry_count(handle, &count), REPROSUM_OK);
  EXPECT_EQ(count, spec.entries.size());
  char hash[65] = "";
  EXPECT_EQ(reprosum_spec_hash(handle, hash), REPROSUM_OK);
  spec::Spec canonical = spec;
  spec::canonicalize(canonical);
  EXPECT_EQ(hash, spec::meaning_hash(canonical));

  reprosum_reduction reduction = {REPROSUM_DOT, REPROSUM_F32, 5000, -2, 3, 0, 4, 60};
  int covered = -1;
  std::int64_t n = -1;
  EXPECT_EQ(reprosum_covers(handle, &reduction, &covered), REPROSUM_OK);
  EXPECT_EQ(covered, 1);
  EXPECT_EQ(reprosum_largest_n(handle, &reduction, &n), REPROSUM_OK);
  EXPECT_EQ(n, samples::kLargest);
  reduction.n = 5001;
  EXPECT_EQ(reprosum_covers(handle, &reduction, &covered), REPROSUM_OK);
  EXPECT_EQ(covered, 0);
  EXPECT_STREQ(reprosum_last_error(handle), "n = 5001 is beyond the captured 5000");
  reduction.threads = 2;
  EXPECT_EQ(reprosum_largest_n(handle, &reduction, &n), REPROSUM_OK);
  EXPECT_EQ(n, 0);
  for (const auto& [n, threads, is_covered] :
       {std::tuple{0, 1, 1}, {-1, 1, 1}, {0, 2, 0}, {-1, 2, 0}}) {
    reduction.n = n;
    reduction.threads = threads;
    EXPECT_EQ(reprosum_covers(handle, &reduction, &covered), REPROSUM_OK);
    EXPECT_EQ(covered, is_covered) << n << " " << threads;
  }
  reprosum_close(handle);
}

// No document holds these: the reader refuses them. A program may make them all the same.
TEST(Coverage, ARuleWithTheResultOfAnotherRoutineIsRefused) {
  using Result = spec::EmptyRule::Result;
  const auto is_refused = [](spec::Routine routine, Result result, std::optional<Result> below) {
    spec::Spec spec;
    spec::EmptyRule& rule = spec.empty_rules.emplace_back();
    rule.routine = routine;
    rule.threads = {1};
    rule.result = result;
    rule.below_zero = below;
    try {
      runtime::Replayer(spec, "");
      return false;
    } catch (const UserError&) {
      return true;
    }
  };
  EXPECT_FALSE(is_refused(spec::Routine::dot, Result::minus_zero, Result::plus_zero));
  EXPECT_FALSE(is_refused(spec::Routine::gemm, Result::keep, {}));
  EXPECT_TRUE(is_refused(spec::Routine::dot, Result::keep, {}));
  EXPECT_TRUE(is_refused(spec::Routine::sum, Result::plus_zero, Result::scale));
  EXPECT_TRUE(is_refused(spec::Routine::gemm, Result::plus_zero, {}));
  EXPECT_TRUE(is_refused(spec::Routine::gemv, Result::keep, Result::plus_zero));
}

}  // namespace
}  // namespace reprosum
