// The two evaluators against each other, and both against sums written out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/backends.h"
#include "kernels/kernel.h"
#include "kernels/launch/sum_launches.h"
#include "spec/error.h"
#include "spec/evaluate/evaluate.h"
#include "spec/evaluate/evaluate_type.h"
#include "spec/evaluate/replay.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/kernels/orders.h"

namespace reprosum::kernels {
namespace {

using test::NamedOrder;

template <class T>
void compare(const NamedOrder& named, const spec::Order& order, std::int64_t n,
             std::mt19937_64& random) {
  const auto x = test::hostile_data<T>(random, n, true), y = test::hostile_data<T>(random, n, true);
  const T* second = named.routine == spec::Routine::dot ? y.data() : nullptr;
  const T by_tree = spec::evaluate<T>(spec::expand(order, n), x.data(), 1, second, 1);
  const T streamed = spec::evaluate<T>(order, n, x.data(), 1, second, 1);
  ASSERT_TRUE(test::same(by_tree, streamed))
      << named.name << " n = " << n << ": " << by_tree << " and " << streamed;
  if (order.flush != spec::Flush::none || n > 3000) return;
  // The interpreter of any formats, which adds exactly and rounds by itself.
  const std::vector<double> xs(x.begin(), x.end()), ys(y.begin(), y.end());
  const double in_type = spec::evaluate_in(spec::type_of<T>(), order, n, xs.data(),
                                           second == nullptr ? nullptr : ys.data());
  ASSERT_TRUE(test::same(by_tree, static_cast<T>(in_type)))
      << named.name << " n = " << n << ": " << by_tree << " and " << in_type;
}

void compare_all(const NamedOrder& named, const std::vector<std::int64_t>& sizes,
                 std::mt19937_64& random) {
  SCOPED_TRACE(named.text);
  const spec::Order order = spec::parse_order(named.text);
  for (const std::int64_t n : sizes) {
    if (n > named.n_max) continue;
    spec::is_f32(named.type) ? compare<float>(named, order, n, random)
                             : compare<double>(named, order, n, random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Interpreter, EvaluatorsAgreeOnWrittenOrders) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= 140; ++n) sizes.push_back(n);
  for (const std::int64_t n : {255, 257, 1000, 8192, 8193, 10001, 30011}) sizes.push_back(n);
  for (const auto& named : test::library_orders()) compare_all(named, sizes, random);
  for (const auto& named : test::synthetic_orders()) compare_all(named, sizes, random);
  for (const auto& named : test::lane_orders()) compare_all(named, sizes, random);
}

TEST(Interpreter, EvaluatorsAgreeOnRandomOrders) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    const NamedOrder named = test::random_order(random);
    std::vector<std::int64_t> sizes{1, 2, 3};
    for (int k = 0; k < 6; ++k) sizes.push_back(1 + std::int64_t(random() % 500));
    sizes.push_back(1 + std::int64_t(random() % 5000));
    compare_all(named, sizes, random);
    if (HasFatalFailure()) return;
  }
}

// Some of the narrow chains add several terms at once.
void fuse_some(spec::Order& order, std::mt19937_64& random) {
  const auto fuse = [&](spec::Schema& schema) {
    for (spec::Chain& chain : schema.chains)
      if (chain.format == spec::NodeFormat::narrow && random() % 2 == 0)
        chain.fused.terms = 2 + static_cast<std::int64_t>(random() % 9);
  };
  for (spec::Regime& regime : order.regimes) {
    if (auto* loop = std::get_if<spec::Loop>(&regime.rule))
      for (auto& one : loop->cases) fuse(one.schema);
    if (auto* trees = std::get_if<spec::Explicit>(&regime.rule))
      for (auto& entry : trees->entries) fuse(entry.tree);
  }
  for (spec::Order& sub : order.subs) fuse_some(sub, random);
}

TEST(Interpreter, EvaluatorsAgreeOnNodesThatFuseTerms) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  int fused = 0;
  const auto check = [&](const NamedOrder& named, std::initializer_list<std::int64_t> sizes) {
    spec::Order order = spec::parse_order(named.text);
    if (order.flush != spec::Flush::none) return;
    fuse_some(order, random);
    try {
      spec::validate(order);
    } catch (const UserError&) {
      return;  // windows add nothing fused
    }
    fused += spec::has_fused_nodes(order) ? 1 : 0;
    SCOPED_TRACE(spec::print(order));
    for (const std::int64_t n : sizes)
      if (n <= named.n_max)
        spec::is_f32(named.type) ? compare<float>(named, order, n, random)
                                 : compare<double>(named, order, n, random);
  };
  for (const auto& named : test::library_orders()) check(named, {1, 2, 7, 33, 130, 1000});
  for (const auto& named : test::synthetic_orders()) check(named, {1, 2, 7, 33, 130, 1000});
  for (const auto& named : test::lane_orders()) check(named, {1, 2, 7, 33, 130, 1000});
  for (int i = 0; i < 100 && !HasFatalFailure(); ++i)
    check(test::random_order(random), {1, 2, 3, 5 + static_cast<std::int64_t>(random() % 300)});
  EXPECT_GT(fused, 60);
}

// Padding that is left out in the middle of a node keeps its place, a chain that is a zero is a
// term, and both evaluators say so.
TEST(Interpreter, EvaluatorsAgreeOnFusedNodesOfPaddedLoops) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
    const int block = 2 + static_cast<int>(random() % 20);
    std::vector<int> places(static_cast<std::size_t>(block));
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random);
    const auto fused = [&] { return "fused(terms=" + std::to_string(2 + random() % 4) + ") ["; };
    std::string chain = fused();
    for (int k = 0; k < block; ++k) {
      const std::string place =
          (random() % 2 == 0 ? "f@" : ".@") + std::to_string(places[std::size_t(k)]);
      const auto kind = random() % 8;
      if (kind == 0) chain += "[0]@0 ";
      if (kind == 1) chain += "0 ";
      chain += (kind == 2 ? fused() + place + "]@0" : place) + " ";
    }
    NamedOrder named;
    const std::string size = std::to_string(block);
    named.text = "1.." + size + ": loop " + size + " pad { 0: " + chain + "]; }";
    SCOPED_TRACE(named.text);
    const spec::Order order = spec::parse_order(named.text);
    for (int n = 1; n <= block; ++n) {
      compare<float>(named, order, n, random);
      compare<double>(named, order, n, random);
    }
  }
}

// No copy is there, however often it is repeated: once a loop of 2^40 turns.
TEST(Interpreter, NothingIsRepeatedWithoutWork) {
  const spec::Order order = spec::parse_order(
      "1..9: loop 1 { 0: fused(terms=2) [.@0 +1 x q .@0 +1 x 0 +1 x 1099511627776]; }");
  const float x[] = {1, 2, 4};
  EXPECT_EQ(spec::evaluate<float>(order, 3, x, 1, nullptr, 1), 7);
}

TEST(Interpreter, NoKernelIsMadeOfNodesThatFuseTerms) {
  const spec::Order order =
      spec::parse_order("1..1000: loop 1 { 0: fused(terms=4) [f@0 +1 x q]; }");
  std::string why;
  const auto kernel = compile<float>(order, spec::Routine::dot, {host_isas().back(), ""}, &why);
  EXPECT_EQ(kernel->isa(), Isa::interpreter);
  EXPECT_EQ(why, "nodes that fuse several terms are interpreted");
  const float x[] = {0x1p23F, 0, 0, 0, -0.5F, -0.25F, -0.125F, -0x1p23F};
  const float y[] = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(kernel->call(8, x, y), -0.875F);
  EXPECT_THROW(launch::SumLaunches(order, spec::Routine::dot, spec::Type::f32), UserError);
}

TEST(Interpreter, OtherTypesHaveNoKernels) {
  const spec::Order order = spec::parse_order("1..1000: loop 1 { 0: [f@0 +1 x q]; }");
  EXPECT_THROW(listing(order, spec::Routine::dot, spec::Type::f16, host_isas().back()), UserError);
  EXPECT_THROW(launch::SumLaunches(order, spec::Routine::dot, spec::Type::bf16), UserError);
  const double x[] = {2048, 1, 1}, y[] = {1, 1, 1};
  EXPECT_EQ(spec::replay(order, spec::Type::f16, 3, x, y), 2048);  // 2049 is a tie to even in f16
  EXPECT_EQ(spec::replay(order, spec::Type::f32, 3, x, y), 2050);
}

TEST(Interpreter, NodesComputeWhatTheOrderSays) {
  const float e = std::ldexp(1.0f, -13);
  const float x[] = {1 + e, -(1 + 2 * e)}, y[] = {1 + e, 1};
  const auto value = [&](const char* text) {
    return spec::evaluate<float>(spec::parse_order(text), 2, x, 1, y, 1);
  };
  EXPECT_EQ(value("1..2: trees { 1: [.@0]; 2: [.@0 .@1]; }"), 0.0f);
  EXPECT_EQ(value("1..2: trees { 1: [.@0]; 2: [.@1 f@0]; }"), e * e);
  EXPECT_EQ(value("1..2: trees { 1: [.@0]; 2: [f@0 f@1]; }"), 0.0f);  // a first leaf is a product
  EXPECT_EQ(value("1..2: trees { 1: [.@0]; 2: wide [x@0 .@1]; }"), e * e);
  // Narrowed before it adds: the wide product is a chain of its own.
  EXPECT_EQ(value("1..2: trees { 1: [.@0]; 2: [wide [x@0]@0 .@1]; }"), 0.0f);
}

TEST(Interpreter, SignOfZeroTellsAZeroStart) {
  const double x[] = {-0.0}, y[] = {1.0};
  EXPECT_TRUE(std::signbit(
      spec::evaluate<double>(spec::parse_order("1..1: trees { 1: [.@0]; }"), 1, x, 1, y, 1)));
  EXPECT_FALSE(std::signbit(spec::evaluate<double>(
      spec::parse_order("zero_start 1..1: trees { 1: [.@0]; }"), 1, x, 1, y, 1)));
}

TEST(Interpreter, Increments) {
  const double x[] = {1, 10, 2, 20, 3}, y[] = {4, 5, 6};
  const spec::Order order = spec::parse_order("1..9: loop 1 { 0: [.@0 +1 x q]; }");
  EXPECT_EQ(spec::evaluate<double>(order, 3, x, 2, y, 1), 4 + 10 + 18);
  EXPECT_EQ(spec::evaluate<double>(order, 3, x + 4, -2, y, 1), 12 + 10 + 6);
  EXPECT_EQ(spec::evaluate<double>(order, 3, x, 0, y, 1), 15);
  EXPECT_EQ(spec::evaluate<double>(order, 3, x, 2, nullptr, 1), 6);
}

TEST(Interpreter, RefusesWhatIsNotDefined) {
  const double x[4] = {};
  const spec::Order order = spec::parse_order("1..3: loop 1 { 0: [.@0 +1 x q]; }");
  EXPECT_THROW(spec::evaluate<double>(order, 4, x, 1, x, 1), UserError);
  EXPECT_THROW(spec::evaluate<double>(order, 0, x, 1, x, 1), UserError);
  const spec::Order wide = spec::parse_order("1..3: loop 1 { 0: wide [.@0 +1 x q]; }");
  EXPECT_THROW(spec::evaluate<double>(wide, 2, x, 1, x, 1), UserError);
  const spec::Order outside = spec::parse_order("1..3: loop 1 { 0: [.@1 +1 x q]; }");
  EXPECT_THROW(spec::evaluate<double>(outside, 2, x, 1, x, 1), UserError);
}

}  // namespace
}  // namespace reprosum::kernels
