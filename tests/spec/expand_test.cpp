// expand(): every post-condition of expand.h, against trees written by hand.
#include "spec/expand.h"

#include <gtest/gtest.h>

#include <string>

#include "spec/error.h"
#include "spec/spec.h"

namespace reprosum::spec {
namespace {

constexpr Linear kConst(std::int64_t c) { return {0, 0, c}; }
constexpr Linear kQ(std::int64_t q, std::int64_t c = 0) { return {q, 0, c}; }
constexpr Linear kR{0, 1, 0};

Item leaf(Leaf kind, Linear at, Linear step = {}, Linear times = kConst(1)) {
  return {{-1, kind}, at, step, times, {}, kConst(1)};
}
Item chain(int index, std::int64_t at) {
  return {{index, Leaf::rounded}, kConst(at), {}, kConst(1), {}, kConst(1)};
}

// "((0 + 1f) + 2)": fused leaves carry f, exact x, a zero is z, a wide addition is ++.
std::string text(const Tree& tree) {
  std::vector<std::string> stack;
  for (const TreeOp& op : tree.ops) {
    if (op.kind == TreeOp::Kind::leaf) {
      const char* mark = op.leaf == Leaf::fused ? "f" : op.leaf == Leaf::exact ? "x" : "";
      stack.push_back(op.leaf == Leaf::zero ? "z" : std::to_string(op.index) + mark);
      continue;
    }
    const std::string right = stack.back();
    stack.pop_back();
    stack.back() =
        "(" + stack.back() + (op.format == NodeFormat::wide ? " ++ " : " + ") + right + ")";
  }
  return stack.back();
}

Order one_loop(Loop loop, std::int64_t hi = 1000) { return {false, {{1, hi, loop}}, {}}; }

// Two fma lanes folded, the tail appended.
Loop two_lanes() {
  return {2,
          false,
          {{0,
            1,
            {{{NodeFormat::narrow, {leaf(Leaf::fused, {}, kConst(2), kQ(1))}},
              {NodeFormat::narrow,
               {chain(0, 0), chain(0, 1), leaf(Leaf::rounded, kQ(2), kConst(1), kR)}}}}}}};
}

TEST(Expand, SequentialLoop) {
  const Loop loop{
      1, false, {{0, 0, {{{NodeFormat::narrow, {leaf(Leaf::rounded, {}, kConst(1), kQ(1))}}}}}}};
  EXPECT_EQ(text(expand(one_loop(loop), 1)), "0");
  EXPECT_EQ(text(expand(one_loop(loop), 4)), "(((0 + 1) + 2) + 3)");
}

TEST(Expand, LanesStartRoundedAndTailIsAppended) {
  EXPECT_EQ(text(expand(one_loop(two_lanes()), 5)), "(((0 + 2f) + (1 + 3f)) + 4)");
  EXPECT_EQ(text(expand(one_loop(two_lanes()), 1)), "0");  // lanes are absent
}

TEST(Expand, ZeroLeafMakesTheFirstFusedLeafFused) {
  Loop loop = two_lanes();
  auto& lane = loop.cases[0].schema.chains[0].items;
  lane.insert(lane.begin(), leaf(Leaf::zero, {}));
  EXPECT_EQ(text(expand(one_loop(loop), 4)), "(((z + 0f) + 2f) + ((z + 1f) + 3f))");
  EXPECT_EQ(text(expand(one_loop(loop), 1)), "((z + z) + 0)");
}

TEST(Expand, LanesThatHoldOnlyTheirZeroMayLieBeyondN) {
  Loop loop = two_lanes();
  auto& chains = loop.cases[0].schema.chains;
  chains[0].items.insert(chains[0].items.begin(), leaf(Leaf::zero, {}));
  chains[1].items[1].at = kConst(1000);
  EXPECT_EQ(text(expand(one_loop(loop), 1)), "((z + z) + 0)");
}

TEST(Expand, WideChainsAndExactProducts) {
  const Loop loop{
      1, false, {{0, 0, {{{NodeFormat::wide, {leaf(Leaf::exact, {}, kConst(1), kQ(1))}}}}}}};
  EXPECT_EQ(text(expand(one_loop(loop), 3)), "((0x ++ 1x) ++ 2x)");
}

TEST(Expand, ReversedRunIsCanonical) {
  const Loop loop{
      1,
      false,
      {{0, 0, {{{NodeFormat::narrow, {leaf(Leaf::rounded, kQ(1, -1), kConst(-1), kQ(1))}}}}}}};
  EXPECT_EQ(text(expand(one_loop(loop), 4)), "(0 + (1 + (2 + 3)))");
}

TEST(Expand, TwoLevelRun) {
  // Per block of 4 the leaves 3,2,1,0.
  const Item item{{-1, Leaf::rounded}, kConst(3), kConst(-1), kConst(4), kConst(4), kQ(1)};
  const Loop loop{4, true, {{0, 0, {{{NodeFormat::narrow, {item}}}}}}};
  EXPECT_EQ(text(expand(one_loop(loop), 8)), "(((((0 + (1 + (2 + 3))) + 7) + 6) + 5) + 4)");
  EXPECT_EQ(text(expand(one_loop(loop), 4)), "(0 + (1 + (2 + 3)))");
  EXPECT_EQ(text(expand(one_loop(loop), 6)), "(((0 + (1 + (2 + 3))) + 5) + 4)");  // 6, 7 deleted
}

TEST(Expand, PadDeletesAndTurnsAnOrphanedFmaIntoAProduct) {
  // One chain per block of two: x[2q+1] first, then fma of x[2q].
  const Schema schema{
      {{NodeFormat::narrow, {leaf(Leaf::rounded, kConst(1)), leaf(Leaf::fused, {})}}}};
  const Loop loop{2, true, {{0, 0, schema}}};
  EXPECT_EQ(text(expand(one_loop(loop), 2)), "(1 + 0f)");
  EXPECT_EQ(text(expand(one_loop(loop), 1)), "0");
}

TEST(Expand, PairwiseAndChunks) {
  Order order = one_loop(
      {1, false, {{0, 0, {{{NodeFormat::narrow, {leaf(Leaf::rounded, {}, kConst(1), kQ(1))}}}}}}},
      3);
  order.regimes.push_back({4, 8, Split{Split::Kind::half_down, 2, NodeFormat::narrow, {}, {}}});
  order.regimes.push_back({9, 100, Split{Split::Kind::last, 8, NodeFormat::narrow, {}, {}}});
  validate(order);
  EXPECT_EQ(text(expand(order, 7)), "((0 + 1) + ((2 + 3) + ((4 + 5) + 6)))");
  EXPECT_EQ(text(expand(order, 9)), "((((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))) + 8)");
  EXPECT_EQ(covered_to(order), 100);
  EXPECT_FALSE(covers(order, 101));
  EXPECT_THROW(expand(order, 101), UserError);
}

TEST(Expand, ChildRegimeBeyondItsRange) {
  Order order = one_loop(two_lanes(), 6);
  order.regimes.push_back({7, 50,
                           Split{Split::Kind::ceil_half_up,
                                 1,
                                 NodeFormat::narrow,
                                 {Child::Kind::regime, 0},
                                 {Child::Kind::regime, 0}}});
  EXPECT_EQ(text(expand(order, 15)),
            "(((((0 + 2f) + 4f) + 6f) + (((1 + 3f) + 5f) + 7f))"
            " + ((((8 + 10f) + 12f) + ((9 + 11f) + 13f)) + 14))");
}

TEST(Expand, PartsFold) {
  Order order = one_loop(two_lanes(), 4);
  Parts parts;
  parts.kind = Parts::Kind::even;
  parts.count = 3;
  order.regimes.push_back({5, 20, parts});
  EXPECT_EQ(text(expand(order, 5)), "(((0 + 1) + (2 + 3)) + 4)");
}

TEST(Expand, ZeroStartIsAddedOnceAtTheRoot) {
  Order order = one_loop(two_lanes(), 4);
  order.zero_start = true;
  order.regimes.push_back({5, 20, Split{Split::Kind::half_down, 1, NodeFormat::narrow, {}, {}}});
  EXPECT_EQ(text(expand(order, 1)), "(z + 0)");
  EXPECT_EQ(text(expand(order, 5)), "(z + ((0 + 1) + ((2 + 3) + 4)))");
}

TEST(Expand, ChainOfManyLeavesNeedsNoRecursion) {
  const Loop loop{
      1,
      false,
      {{0, 0, {{{NodeFormat::narrow, {leaf(Leaf::rounded, kQ(1, -1), kConst(-1), kQ(1))}}}}}}};
  const Tree tree = expand(one_loop(loop, kMaxExplicitLeaves), kMaxExplicitLeaves);
  EXPECT_EQ(tree.ops.size(), std::size_t(2 * kMaxExplicitLeaves - 1));
  EXPECT_THROW(expand(one_loop(loop, 1 << 21), 1 << 21), UserError);
}

TEST(Expand, PeeledOrderOfManyPieces) {
  Order order = one_loop(two_lanes(), 1);
  order.regimes.push_back({2, 1 << 20, Split{Split::Kind::first, 1, NodeFormat::narrow, {}, {}}});
  EXPECT_EQ(text(expand(order, 4)), "(0 + (1 + (2 + 3)))");
  EXPECT_EQ(expand(order, 300000).n, 300000);
}

TEST(Expand, BrokenSchemasAreRefused) {
  const auto with = [](Item item) {
    return one_loop({1, false, {{0, 0, {{{NodeFormat::narrow, {item}}}}}}});
  };
  EXPECT_THROW(expand(with(leaf(Leaf::rounded, {}, {}, kQ(1))), 3), UserError);  // 0 thrice
  EXPECT_THROW(expand(with(leaf(Leaf::rounded, kConst(1), kConst(1), kQ(1))), 3), UserError);
  EXPECT_THROW(expand(with(leaf(Leaf::rounded, {}, kConst(1), kQ(1, 1))), 3), UserError);
  EXPECT_THROW(expand(with(leaf(Leaf::rounded, {}, kConst(1), kConst(std::int64_t{1} << 40))), 3),
               UserError);
}

TEST(Expand, NestedRepetitionIsRefusedQuickly) {
  Schema schema{{{NodeFormat::narrow, {leaf(Leaf::rounded, {}, kConst(1), kConst(1 << 20))}}}};
  for (int depth = 0; depth < 60; ++depth) {
    Item item = chain(depth, 0);
    item.times = kConst(1 << 20);
    schema.chains.push_back({NodeFormat::narrow, {item}});
  }
  const Order order = one_loop({1, false, {{0, 0, schema}}});
  EXPECT_NO_THROW(validate(order));
  EXPECT_THROW(expand(order, 5), UserError);
}

TEST(Canonical, RefusesWhatIsNoTree) {
  const TreeOp add{TreeOp::Kind::add, Leaf::rounded, NodeFormat::narrow, 0};
  const auto l = [](std::uint32_t k, Leaf kind = Leaf::rounded) {
    return TreeOp{TreeOp::Kind::leaf, kind, NodeFormat::narrow, k};
  };
  EXPECT_THROW(canonical({2, {l(0), l(1)}}), UserError);
  EXPECT_THROW(canonical({2, {l(0), add}}), UserError);
  EXPECT_THROW(canonical({2, {l(0), l(0), add}}), UserError);
  EXPECT_THROW(canonical({2, {l(0), l(2), add}}), UserError);
  EXPECT_THROW(canonical({2, {l(0, Leaf::fused), l(1), add}}), UserError);
  EXPECT_EQ(text(canonical({2, {l(1), l(0), add}})), "(0 + 1)");
  EXPECT_EQ(text(canonical({2, {l(1), l(0, Leaf::fused), add}})), "(1 + 0f)");
}

TEST(Validate, NamesTheBrokenInvariant) {
  const auto message = [](const Order& order) -> std::string {
    try {
      validate(order);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  Order order = one_loop(two_lanes());
  EXPECT_EQ(message(order), "");
  order.regimes[0].lo = 2;
  EXPECT_NE(message(order).find("start at 1"), std::string::npos);
  order = one_loop(two_lanes());
  std::get<Loop>(order.regimes[0].rule).cases[0].r_hi = 0;
  EXPECT_NE(message(order).find("residue 0 of block 2"), std::string::npos);
  order = one_loop(two_lanes());
  std::get<Loop>(order.regimes[0].rule).cases[0].schema.chains[0].items[0].shape.chain = 1;
  EXPECT_NE(message(order).find("names chain 1"), std::string::npos);
  order = one_loop(two_lanes());
  order.regimes.push_back(
      {1001, 2000, Split{Split::Kind::last, 8, NodeFormat::narrow, {Child::Kind::sub, 0}, {}}});
  EXPECT_NE(message(order).find("child that does not exist"), std::string::npos);
  order = one_loop(two_lanes());
  std::get<Loop>(order.regimes[0].rule).cases[0].schema.chains[0].items[0].shape.leaf = Leaf::exact;
  EXPECT_NE(message(order).find("wide chain"), std::string::npos);
}

TEST(Rules, SplitPoints) {
  using K = Split::Kind;
  const auto h = [](K kind, std::int64_t m, std::int64_t n) {
    return split_point({kind, m, NodeFormat::narrow, {}, {}}, n).value_or(-1);
  };
  EXPECT_EQ(h(K::half_down, 8, 129), 64);
  EXPECT_EQ(h(K::half_up, 8, 130), 72);
  EXPECT_EQ(h(K::ceil_half_up, 1, 10001), 5001);
  EXPECT_EQ(h(K::half_near, 16, 51), 32);
  EXPECT_EQ(h(K::pow2_below, 1, 8), 4);
  EXPECT_EQ(h(K::pow2_below, 1, 9), 8);
  EXPECT_EQ(h(K::pow2_half, 1, 8), 4);
  EXPECT_EQ(h(K::pow2_half, 1, 7), 2);
  EXPECT_EQ(h(K::last, 8192, 8193), 8192);
  EXPECT_EQ(h(K::last, 8192, 16384), 8192);
  EXPECT_EQ(h(K::last, 8192, 8192), -1);
  EXPECT_EQ(h(K::last_const, 64, 100), 36);
  EXPECT_EQ(h(K::first, 100, 101), 100);
  EXPECT_EQ(h(K::first_rest, 64, 129), 1);
}

TEST(Rules, PieceLengths) {
  using V = std::vector<std::int64_t>;
  const auto lengths = [](Parts::Kind kind, std::int64_t count, std::int64_t m, std::int64_t u,
                          std::int64_t n) {
    return piece_lengths({kind, count, m, u, NodeFormat::narrow, {}}, n).value_or(V{});
  };
  using K = Parts::Kind;
  EXPECT_EQ(lengths(K::balanced_up, 0, 320, 8, 1000), (V{320, 320, 184, 176}));
  EXPECT_EQ(lengths(K::balanced_up, 0, 320, 8, 500), (V{256, 244}));
  EXPECT_EQ(lengths(K::balanced_ceil, 0, 320, 1, 501), (V{251, 250}));
  EXPECT_EQ(lengths(K::ceil, 3, 1, 1, 10), (V{4, 4, 2}));
  EXPECT_EQ(lengths(K::floor, 3, 1, 1, 10), (V{3, 3, 4}));
  EXPECT_EQ(lengths(K::even, 3, 1, 1, 10), (V{4, 3, 3}));
  EXPECT_EQ(lengths(K::proportional, 3, 1, 1, 10), (V{3, 3, 4}));
  EXPECT_EQ(lengths(K::rest, 3, 4, 1, 20), (V{8, 8, 4}));
  EXPECT_EQ(lengths(K::balanced_up, 0, 320, 8, 320), V{});  // one piece is no split
}

TEST(Context, FindSaysWhatIsNotCovered) {
  Spec spec;
  spec.orders.push_back(one_loop(two_lanes()));
  spec.entries = {entry_of_one_output(
      Routine::dot, Type::f64, vector_guard({{1, 1}}, {1}, vector_addresses(16, {{0, 0}, {8, 8}})),
      0, 1000)};
  Context context = vector_call(Routine::dot, Type::f64, 10);
  std::string why;
  EXPECT_NE(find(spec, context, &why), nullptr);
  context.addresses[0] = context.addresses[1] = 24;
  EXPECT_NE(find(spec, context, &why), nullptr);
  context.addresses[1] = 0;
  EXPECT_EQ(find(spec, context, &why), nullptr);
  EXPECT_EQ(why, "ddot was not captured for (x mod 16, y mod 16) = (8, 0) bytes");
  context = vector_call(Routine::dot, Type::f64, 1001);
  EXPECT_EQ(find(spec, context, &why), nullptr);
  EXPECT_EQ(why, "n = 1001 is beyond the captured 1000");
  context = vector_call(Routine::dot, Type::f64, 10, 2);
  EXPECT_EQ(find(spec, context, &why), nullptr);
  EXPECT_EQ(why, "ddot with incx = 2, incy = 1 was not captured");
  context = vector_call(Routine::sum, Type::f64, 10);
  EXPECT_EQ(find(spec, context, &why), nullptr);
  EXPECT_EQ(why, "dsum was not captured");
}

TEST(Context, CanonicalizeMergesEqualOrders) {
  Spec spec;
  spec.orders = {one_loop(two_lanes()), one_loop(two_lanes(), 10), one_loop(two_lanes())};
  for (std::size_t k = 0; k < 3; ++k)
    spec.entries.push_back(
        entry_of_one_output(Routine::dot, Type::f64,
                            vector_guard({{2, 1}, {1, 1}, {1, 1}}, {static_cast<int>(k)}), k, 10));
  canonicalize(spec);
  ASSERT_EQ(spec.orders.size(), 2u);
  EXPECT_EQ(order_of(spec.entries[0]), order_of(spec.entries[2]));
  EXPECT_NE(order_of(spec.entries[0]), order_of(spec.entries[1]));
  EXPECT_EQ(spec.entries[0].guard.increments.size(), 2u);
}

}  // namespace
}  // namespace reprosum::spec
