// prove_trees() says of an order what trying every n would say.
#include "spec/coverage.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

// Loops as they are captured: lanes, groups, chunks that grow with n, folds, tails, backwards,
// padded, residues and quotients that decide what is there.
const char* const kLoops[] = {
    "1..40: loop 8 { 0..7: L = [f@0 +8 x q]; M = [L@0 L@4]; [M@0 +1 x 4 .@8q +1 x r]; }",
    "1..40: loop 4 { 0..3: T = [.@0 +1 x r]; [[0 .@0 +4 x q]@0 +1 x 4 T@4q]; }",
    "1..40: loop 4 { 0..3: L = [.@0 +1 x q]; [[L@0 L@q]@0 +2q x 2 .@4q +1 x r]; }",
    "1..40: loop 4 { 0: [.@(4q-1) -1 x 4q]; 1..3: [.@0 .@1 +1 x (4q+r-1)]; }",
    "1..40: loop 3 { 0: [.@0 +1 x 3 +3 x q]; 1: [.@0 +1 x (3q+1)]; 2: [.@0 +3 x (q+1) .@1 +3 x "
    "(q+1) .@2 +3 x q]; }",
    "1..40: loop 4 pad { 0: L = [.@0 +4 x q]; [L@0 +1 x 4]; }",
    "1..40: loop 6 { 0..2: [.@0 +2 x 3q .@1 +2 x 3q .@6q +1 x r]; 3..5: [.@0 +1 x (6q+3) .@(6q+3) "
    "+1 x (r-3)]; }",
    "1..1: trees { 1: [.@0]; } 2..40: loop 4 { 0..3: [f@1 .@0 .@2 +1 x (4q+r-2)]; }",
    "1..40: loop 2 { 0: P = [.@0 .@1]; [P@0 +2 x q]; 1: P = [.@0 .@1]; [P@0 +2 x q .@2q]; }",
};

bool is_tree_everywhere(const Order& order) {
  for (const Regime& regime : order.regimes)
    for (std::int64_t n = regime.lo; n <= regime.hi; ++n) try {
        expand(order, n);
      } catch (const UserError&) {
        return false;
      }
  return true;
}

bool is_proven(const Order& order, std::string* why = nullptr) {
  try {
    ProofAllowance allowance;
    prove_trees(order, allowance);
    return true;
  } catch (const UserError& error) {
    if (why != nullptr) *why = error.what();
    return false;
  }
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // Another number somewhere in a schema of the loop, or an item more or less.
  void change(Order& order) {
    auto& loop = std::get<Loop>(order.regimes.back().rule);
    Schema& schema = pick(loop.cases).schema;
    Chain& chain = pick(schema.chains);
    Item& item = pick(chain.items);
    switch (random_() % 8) {
      case 0:
        if (chain.items.size() > 1) chain.items.pop_back();
        return;
      case 1:
        chain.items.push_back(item);
        return;
      case 2:
        order.regimes.back().hi += static_cast<std::int64_t>(random_() % 3);
        return;
      default: {
        Linear* const parts[] = {&item.at, &item.step, &item.times, &item.step2, &item.times2};
        Linear& part = *parts[random_() % 5];
        std::int64_t* const numbers[] = {&part.q, &part.r, &part.c};
        *numbers[random_() % 3] += static_cast<std::int64_t>(random_() % 5) - 2;
      }
    }
  }

 private:
  template <class T>
  T& pick(std::vector<T>& list) {
    return list[random_() % list.size()];
  }
  std::mt19937_64 random_;
};

TEST(Coverage, RealLoopsAreProven) {
  for (const char* text : kLoops) {
    Order order = parse_order(text);
    std::string why;
    EXPECT_TRUE(is_tree_everywhere(order)) << text;
    EXPECT_TRUE(is_proven(order, &why)) << text << "\n" << why;
    order.regimes.back().hi = kMaxLeaves;
    EXPECT_TRUE(is_proven(order, &why)) << text << "\n" << why;
  }
}

TEST(Coverage, ChangedLoopsAreProvenWhereTheyAreTrees) {
  int trees = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Order order = parse_order(kLoops[seed % std::size(kLoops)]);
    Mutator mutator(seed);
    for (std::uint64_t change = 0; change < 1 + seed % 3; ++change) mutator.change(order);
    try {
      validate(order);
    } catch (const UserError&) {
      continue;
    }
    std::string why;
    const bool expected = is_tree_everywhere(order);
    (expected ? trees : others) += 1;
    ASSERT_EQ(is_proven(order, &why), expected) << print(order) << why;
  }
  EXPECT_GE(trees, 200);
  EXPECT_GE(others, 1000);
}

// A loop that is no tree from 16 on may be handed pieces up to 15.
TEST(Coverage, RegimesAreProvenAsFarAsChildrenReach) {
  const std::string loop = "1..10: loop 16 { 0..15: [.@0 +1 x r]; } ";
  const auto with = [&](const char* rule) { return is_proven(parse_order(loop + rule)); };
  EXPECT_TRUE(is_proven(parse_order(loop)));
  EXPECT_TRUE(with("11..100: split first(15) { regime 0, self }"));
  EXPECT_TRUE(with("11..100: split last(12) { self, regime 0 }"));
  EXPECT_TRUE(with("11..100: parts fixed(m=15) fold regime 0"));
  EXPECT_FALSE(with("11..100: parts fixed(m=16) fold regime 0"));
  EXPECT_FALSE(with("11..100: split first(5) { self, regime 0 }"));
  EXPECT_FALSE(with("11..100: split half_down(1) { regime 0, self }"));
  EXPECT_TRUE(with("11..24: split half_down(1) { regime 0, self }"));
  EXPECT_FALSE(
      with("11..20: split first(1) { self, regime 2 } 21..40: split last(1) { regime 0, self }"));
}

// Summand 0 named 2^127 times is named once modulo the prime of the proof.
TEST(Coverage, CountsDoNotWrapAround) {
  std::string text = "1..1: trees { 1: A = [.@0 +0 x 2147483648];";
  for (const char* next : {"B = [A@0 +0 x 2147483648];", "C = [B@0 +0 x 2147483648];",
                           "D = [C@0 +0 x 2147483648];", "[D@0 +0 x 8]; }"})
    text += next;
  EXPECT_FALSE(is_proven(parse_order(text)));
}

// A walk would enter 2^60 absent chains.
TEST(Coverage, AbsentChainsAreNotWalkedWithoutEnd) {
  std::string text = "1..9: loop 1 { 0: A0 = [.@0 +1 x 0];";
  for (int k = 1; k <= 60; ++k) {
    const std::string below = "A" + std::to_string(k - 1) + "@0 ";
    text += "A" + std::to_string(k) + " = [" + below + below + "];";
  }
  std::string why;
  EXPECT_FALSE(is_proven(parse_order(text + "[A60@0 .@0 +1 x q]; }"), &why));
  EXPECT_NE(why.find("absent"), std::string::npos) << why;
}

TEST(Coverage, NamesTheFirstSizeThatIsWrong) {
  std::string why;
  EXPECT_FALSE(is_proven(parse_order("1..99: loop 8 { 0..7: [.@0 +1 x 8q .@8q +0 x r]; }"), &why));
  EXPECT_EQ(
      why,
      "order, regime 0, case 0: is no summation tree of 2 summands: tree names summand 0 twice");
}

}  // namespace
}  // namespace reprosum::spec
