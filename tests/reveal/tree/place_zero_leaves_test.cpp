// Zero leaves: the order found must give the same signs of zero as the order that was planted.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "reveal/annotate.h"
#include "reveal/refused.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/reveal/tree/tree_target.h"

namespace reprosum::reveal {
namespace {

using spec::Chain;
using spec::Item;
using spec::Leaf;
using spec::Linear;
using spec::Loop;
using spec::NodeFormat;
using spec::Order;
using spec::Routine;
using spec::Type;

Item leaves(Leaf kind, Linear at, Linear step = {}, Linear times = {0, 0, 1}) {
  return {{-1, kind}, at, step, times, {}, {0, 0, 1}};
}
Item chain(int index, std::int64_t at) {
  return {{index, Leaf::rounded}, {0, 0, at}, {}, {0, 0, 1}, {}, {0, 0, 1}};
}
Item zero() { return leaves(Leaf::zero, {}); }

enum class Zero { nowhere, lanes, tail };

// `lanes` lanes folded from the left; the tail appended. Kinds of the lanes' and the tail's leaves.
Loop lanes_loop(std::int64_t lanes, Leaf lane_kind, Leaf tail_kind, Zero where,
                Leaf first = Leaf::fused) {
  Chain lane{NodeFormat::narrow, {leaves(lane_kind, {}, {0, 0, lanes}, {1, 0, 0})}};
  if (where == Zero::lanes) {
    lane.items[0] = leaves(lane_kind, {}, {0, 0, lanes}, {1, 0, 0});
    lane.items.insert(lane.items.begin(), zero());
    if (first == Leaf::rounded) lane.items[1].shape.leaf = Leaf::rounded;
  }
  Item all_lanes = chain(0, 0);
  all_lanes.step = {0, 0, 1};
  all_lanes.times = {0, 0, lanes};
  Chain root{NodeFormat::narrow,
             {all_lanes, leaves(tail_kind, {lanes, 0, 0}, {0, 0, 1}, {0, 1, 0})}};
  return {lanes, false, {{0, lanes - 1, {{lane, root}}}}};
}

Order one_regime(spec::Rule rule, std::int64_t hi = 5000) { return {false, {{1, hi, rule}}, {}}; }

// Signs of zero on data of its own: bits of every product are -0, +0, or an underflow.
void expect_same_zeros(const Order& truth, const Order& found, Type type, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double tiny = is_f32(type) ? 0x1p-90 : 0x1p-800;
  const double xs[] = {-0.0, 0.0, -tiny, tiny};
  for (int trial = 0; trial < 3000; ++trial) {
    const std::int64_t n = 1 + std::int64_t(random() % (trial % 4 == 0 ? 300 : 40));
    const std::uint64_t kinds = 1 + random() % 4;
    std::vector<double> x, y;
    for (std::int64_t k = 0; k < n; ++k) {
      x.push_back(xs[random() % 16 < 14 ? 2 * (random() % 2) : random() % kinds]);
      y.push_back(tiny);
    }
    if (!spec::covers(truth, n)) continue;
    const spec::Tree a = spec::expand(truth, n), b = spec::expand(found, n);
    const double va = is_f32(type) ? evaluate_by_hand<float>(a, x.data(), y.data())
                                   : evaluate_by_hand<double>(a, x.data(), y.data());
    const double vb = is_f32(type) ? evaluate_by_hand<float>(b, x.data(), y.data())
                                   : evaluate_by_hand<double>(b, x.data(), y.data());
    ASSERT_EQ(std::bit_cast<std::uint64_t>(va), std::bit_cast<std::uint64_t>(vb)) << "n = " << n;
  }
}

Order find(const Order& truth, const Order& bare, Routine routine, Type type,
           std::int64_t incx = 1) {
  FunctionTarget target = tree_target([&](std::int64_t n) { return spec::expand(truth, n); });
  const Order found = place_zero_leaves(target, call_of_vectors(routine, type, 0, incx), bare, 5);
  spec::validate(found);
  return found;
}

TEST(PlaceZeroLeaves, NoZeroStaysNoZero) {
  for (const Routine routine : {Routine::sum, Routine::dot}) {
    const Leaf kind = routine == Routine::sum ? Leaf::rounded : Leaf::fused;
    const Order bare = one_regime(lanes_loop(4, kind, Leaf::rounded, Zero::nowhere));
    EXPECT_EQ(find(bare, bare, routine, Type::f64), bare);
  }
}

TEST(PlaceZeroLeaves, LanesStartAtZero) {
  for (const Type type : {Type::f32, Type::f64})
    for (const Leaf tail : {Leaf::rounded, Leaf::fused})
      for (const std::int64_t incx : {1, 0}) {
        const Order truth = one_regime(lanes_loop(4, Leaf::fused, tail, Zero::lanes));
        const Order bare = one_regime(lanes_loop(4, Leaf::fused, tail, Zero::nowhere));
        const Order found = find(truth, bare, Routine::dot, type, incx);
        expect_same_zeros(truth, found, type, 9);
        EXPECT_NE(found, bare);
      }
}

TEST(PlaceZeroLeaves, ZeroPlusProductDiffersFromFusedOntoZero) {
  const Order bare = one_regime(lanes_loop(4, Leaf::rounded, Leaf::rounded, Zero::nowhere));
  const Order added = one_regime(lanes_loop(4, Leaf::rounded, Leaf::rounded, Zero::lanes));
  expect_same_zeros(added, find(added, bare, Routine::dot, Type::f32), Type::f32, 3);
  // A chain whose one product is fma(x, y, +0).
  Order fused = one_regime(Loop{
      1,
      false,
      {{0, 0, {{{NodeFormat::narrow, {zero(), leaves(Leaf::fused, {}, {0, 0, 1}, {1, 0, 0})}}}}}}});
  Order plain = one_regime(
      Loop{1,
           false,
           {{0, 0, {{{NodeFormat::narrow, {leaves(Leaf::fused, {}, {0, 0, 1}, {1, 0, 0})}}}}}}});
  EXPECT_EQ(find(fused, plain, Routine::dot, Type::f64), fused);
}

TEST(PlaceZeroLeaves, WholeOrderStartsAtZero) {
  Order bare = one_regime(lanes_loop(8, Leaf::rounded, Leaf::rounded, Zero::nowhere), 128);
  bare.regimes.push_back(
      {129, 3000, spec::Split{spec::Split::Kind::half_down, 8, NodeFormat::narrow, {}, {}}});
  Order truth = bare;
  truth.zero_start = true;
  EXPECT_EQ(find(truth, bare, Routine::sum, Type::f32), truth);
  EXPECT_EQ(find(bare, bare, Routine::sum, Type::f32), bare);
}

TEST(PlaceZeroLeaves, SmallSizesAndLoopDiffer) {
  // Below 8 from zero; above, lanes that start with a product.
  Order truth = one_regime(lanes_loop(4, Leaf::fused, Leaf::fused, Zero::nowhere));
  truth.regimes[0].lo = 8;
  Order bare = truth;
  const auto small = [](bool from_zero) {
    Chain chain{NodeFormat::narrow, {leaves(Leaf::fused, {}, {0, 0, 1}, {1, 0, 0})}};
    if (from_zero) chain.items.insert(chain.items.begin(), zero());
    return Loop{1, false, {{0, 0, {{chain}}}}};
  };
  truth.regimes.insert(truth.regimes.begin(), {1, 7, small(true)});
  bare.regimes.insert(bare.regimes.begin(), {1, 7, small(false)});
  EXPECT_EQ(find(truth, bare, Routine::dot, Type::f64), truth);
}

// Sixteen accumulators at zero that no size below 16 has: there the tail alone starts, at zero or
// with its first product.
TEST(PlaceZeroLeaves, SizesBelowABlockAreCutOff) {
  for (const int variant : {0, 1, 2, 3}) {
    const Leaf tail = variant % 2 == 0 ? Leaf::rounded : Leaf::fused;
    const bool small_from_zero = variant >= 2;
    // Lanes one by one at their offsets, and a tail.
    const auto order = [&](bool zeros) {
      spec::Schema schema;
      Chain lane{NodeFormat::narrow, {leaves(Leaf::fused, {}, {0, 0, 16}, {1, 0, 0})}};
      if (zeros) lane.items.insert(lane.items.begin(), zero());
      Chain root{NodeFormat::narrow, {}};
      for (std::int64_t k = 0; k < 16; ++k) root.items.push_back(chain(0, k));
      root.items.push_back(leaves(tail, {16, 0, 0}, {0, 0, 1}, {0, 1, 0}));
      schema.chains = {lane, root};
      return schema;
    };
    const Order bare = one_regime(Loop{16, false, {{0, 15, order(false)}}}, 500);
    Order truth = bare;
    truth.regimes[0].lo = 16;
    truth.regimes[0].rule = Loop{16, false, {{0, 15, order(true)}}};
    Chain small{NodeFormat::narrow, {leaves(tail, {}, {0, 0, 1}, {1, 0, 0})}};
    if (small_from_zero) small.items.insert(small.items.begin(), zero());
    truth.regimes.insert(truth.regimes.begin(), {1, 15, Loop{1, false, {{0, 0, {{small}}}}}});
    const Order found = find(truth, bare, Routine::dot, Type::f64);
    expect_same_zeros(truth, found, Type::f64, 17);
    if (!small_from_zero) {
      EXPECT_EQ(found.regimes.size(), 2u);
    }
  }
}

// A front end that multiplies one summand itself and calls the library for more.
TEST(PlaceZeroLeaves, OneSummandMayBeReturnedAsItIs) {
  for (const Type type : {Type::f32, Type::f64}) {
    const Order bare = one_regime(lanes_loop(4, Leaf::fused, Leaf::rounded, Zero::nowhere));
    Order truth = one_regime(lanes_loop(4, Leaf::fused, Leaf::rounded, Zero::lanes));
    truth.regimes[0].lo = 2;
    truth.regimes.insert(
        truth.regimes.begin(),
        {1, 1, spec::Explicit{{{1, {{{NodeFormat::narrow, {leaves(Leaf::rounded, {})}}}}}}}});
    const Order found = find(truth, bare, Routine::dot, type);
    expect_same_zeros(truth, found, type, 21);
    EXPECT_EQ(found.regimes[0].hi, 1);
  }
}

TEST(PlaceZeroLeaves, ListedTreesAreJudgedOneByOne) {
  // n = 3 is a chain of fused products from +0; n = 4 four lanes of one product each, from +0 and
  // fused, and folded; n = 5 the same with one more product, and n = 6 starts with a product.
  const auto order = [](bool zeros) {
    spec::Explicit rule;
    rule.entries.push_back({1, {{{NodeFormat::narrow, {leaves(Leaf::rounded, {})}}}}});
    const auto fused_chain = [&](std::int64_t n, bool from_zero) {
      Chain chain{NodeFormat::narrow, {leaves(Leaf::fused, {}, {0, 0, 1}, {0, 0, n})}};
      if (from_zero) chain.items.insert(chain.items.begin(), zero());
      rule.entries.push_back({n, {{chain}}});
    };
    fused_chain(2, zeros);
    fused_chain(3, zeros);
    for (const std::int64_t n : {4, 5}) {
      spec::Schema schema;
      Item lanes = leaves(Leaf::rounded, {}, {0, 0, 1}, {0, 0, 4});
      if (zeros) {
        schema.chains.push_back({NodeFormat::narrow, {zero(), leaves(Leaf::fused, {})}});
        lanes.shape.chain = 0;
      }
      schema.chains.push_back({NodeFormat::narrow, {lanes}});
      if (n == 5) schema.chains.back().items.push_back(leaves(Leaf::fused, {0, 0, 4}));
      rule.entries.push_back({n, schema});
    }
    fused_chain(6, false);
    return one_regime(rule, 6);
  };
  const Order found = find(order(true), order(false), Routine::dot, Type::f32);
  expect_same_zeros(order(true), found, Type::f32, 23);
}

TEST(PlaceZeroLeaves, ThreadsFoldedOntoZero) {
  // Beyond 40 two halves are added to 0.0; the lanes start at +0 with fused products.
  Order bare = one_regime(lanes_loop(4, Leaf::fused, Leaf::rounded, Zero::nowhere), 40);
  spec::Split split{spec::Split::Kind::ceil_half_up,
                    1,
                    NodeFormat::narrow,
                    {spec::Child::Kind::regime, 0},
                    {spec::Child::Kind::regime, 0}};
  bare.regimes.push_back({41, 2000, split});
  Order inner = one_regime(lanes_loop(4, Leaf::fused, Leaf::rounded, Zero::lanes), 40);
  inner.regimes.push_back({41, 2000, split});
  FunctionTarget target = tree_target([&](std::int64_t n) {
    spec::Tree tree = spec::expand(inner, n);
    if (n > 40) {
      spec::TreeOp zero_leaf, add;
      zero_leaf.leaf = Leaf::zero;
      add.kind = spec::TreeOp::Kind::add;
      tree.ops.insert(tree.ops.begin(), zero_leaf);
      tree.ops.push_back(add);
    }
    return tree;
  });
  const Order found =
      place_zero_leaves(target, call_of_vectors(Routine::dot, Type::f32, 0), bare, 5);
  spec::validate(found);
  // -0 from both halves (underflow) becomes +0 only because of the 0.0 they are added to.
  const std::vector<double> x(100, -0x1p-100), y(100, 0x1p-100);
  EXPECT_FALSE(std::signbit(evaluate_by_hand<float>(spec::expand(found, 100), x.data(), y.data())));
  EXPECT_TRUE(std::signbit(evaluate_by_hand<float>(spec::expand(found, 30), x.data(), y.data())));
}

// Single summands are met as pieces of larger sums alone: with one of them the +0 that the others
// of its residue have is missed.
TEST(PlaceZeroLeaves, SizesThatAreNeverSeenAloneGoWithTheirNeighbours) {
  const Order bare = spec::parse_order(R"(
    1..32: loop 4 {
      0: a = [f@0 +4 x q]; [a@0 +1 x 4];
      1..3: a = [f@0 +4 x q]; [a@0 +1 x 4 f@4q +1 x r];
    }
    33..64: split pow2_below(1) { self, self })");
  const Order truth = spec::parse_order(R"(
    1..3: trees { 1: a = [0 f@0]; [0 a@0]; 2: a = [f@0 +1 x 2]; [0 a@0]; 3: a = [f@0 +1 x 3]; [0 a@0]; }
    4..32: loop 4 {
      0: a = [0 f@0 +4 x q]; [a@0 +1 x 4];
      1..3: a = [0 f@0 +4 x q]; b = [a@0 +1 x 4 f@4q +1 x r]; [0 b@0];
    }
    33..64: split pow2_below(1) { self, self })");
  FunctionTarget target = tree_target([&](std::int64_t n) { return spec::expand(truth, n); });
  const Order found = place_zero_leaves(target, call_of_vectors(Routine::dot, Type::f64, 0), bare,
                                        5, [](std::int64_t n) { return n > 1; });
  spec::validate(found);
  expect_same_zeros(truth, found, Type::f64, 29);
}

TEST(PlaceZeroLeaves, RefusesWhatNoPlacementExplains) {
  const Order bare = one_regime(lanes_loop(4, Leaf::fused, Leaf::rounded, Zero::nowhere), 500);
  FunctionTarget target([&](const Call& call, const double* x, const double* y) {
    const double value = evaluate_by_hand<double>(spec::expand(bare, call.k), x, y);
    // +0 if the summand in the middle is a zero and not one that underflows.
    return value == 0 && x[call.k / 2] == 0 ? 0.0 : value;
  });
  try {
    place_zero_leaves(target, call_of_vectors(Routine::dot, Type::f64, 0), bare, 5);
    FAIL() << "an unexplained sign was accepted";
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.reason, "unknown_arithmetic");
  }
}

}  // namespace
}  // namespace reprosum::reveal
