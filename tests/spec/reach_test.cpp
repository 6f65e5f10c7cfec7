// undefined_piece(): what it passes is defined at every n, and so are all pieces.
#include "spec/reach.h"

#include <gtest/gtest.h>

#include <random>

#include "spec/error.h"
#include "spec/expand.h"
#include "spec/surface.h"
#include "tests/spec/sample_orders.h"

namespace reprosum::spec {
namespace {

constexpr std::int64_t kMost = 300;

class RandomPieces {
 public:
  explicit RandomPieces(std::uint64_t seed) : random_(seed) {}

  // Splits and parts over sub-orders that hold some n only.
  Order order() {
    Order made;
    made.subs = {loops(), loops()};
    const std::int64_t small = between(1, 40);
    made.regimes.push_back({1, small, loop()});
    made.regimes.push_back({small + 1, kMost, rule()});
    return made;
  }

 private:
  std::int64_t between(std::int64_t lo, std::int64_t hi) {
    return std::uniform_int_distribution<std::int64_t>(lo, hi)(random_);
  }
  static Rule loop() { return parse_order("1..9: loop 1 { 0: [.@0 +1 x q]; }").regimes[0].rule; }
  Order loops() {
    Order made;
    for (std::int64_t lo = between(1, 2); lo < kMost;) {
      const std::int64_t hi = between(0, 2) == 0 ? between(lo, kMost) : std::max(lo, kMost);
      made.regimes.push_back({lo, hi, loop()});
      lo = hi + between(1, 4);
    }
    return made;
  }
  Child child() {
    const std::int64_t kind = between(0, 3);
    if (kind < 2) return {Child::Kind::sub, static_cast<std::int32_t>(kind)};
    return kind == 2 ? Child{Child::Kind::self, 0} : Child{Child::Kind::regime, 0};
  }
  Rule rule() {
    if (between(0, 1) == 0) {
      Split split;
      split.kind = static_cast<Split::Kind>(between(0, 10));
      split.m = between(1, 20);
      split.left = child();
      split.right = child();
      return split;
    }
    Parts parts;
    parts.kind = static_cast<Parts::Kind>(between(0, 7));
    parts.m = between(1, 40);
    parts.u = between(1, 9);
    const bool blocks = parts.kind == Parts::Kind::balanced_up ||
                        parts.kind == Parts::Kind::balanced_ceil ||
                        parts.kind == Parts::Kind::fixed;
    parts.count = blocks ? 0 : static_cast<std::int32_t>(between(2, 9));
    parts.child = child();
    return parts;
  }

  std::mt19937_64 random_;
};

TEST(UndefinedPiece, IsFoundWhereverATreeNeedsOne) {
  const std::uint64_t seed = 11;
  RandomPieces pieces(seed);
  int orders = 0, passed = 0, lacking = 0;
  for (int k = 0; k < 2'000; ++k) {
    const Order order = pieces.order();
    try {
      validate(order);
    } catch (const UserError&) {
      continue;
    }
    ++orders;
    const auto undefined = undefined_piece(order, kMost);
    passed += !undefined;
    for (std::int64_t n = 1; n <= kMost; n += n < 70 ? 1 : 7) {
      try {
        (void)expand(order, n);
      } catch (const UserError& error) {
        ++lacking;
        ASSERT_TRUE(undefined) << print(order) << "\nn = " << n << ": " << error.what() << "\nseed "
                               << seed;
        break;
      }
    }
  }
  EXPECT_GT(orders, 500);
  EXPECT_GT(passed, 50);
  EXPECT_GT(lacking, 50);
}

TEST(UndefinedPiece, IsNotSeenInOrdersOfLibraries) {
  for (const char* text :
       {samples::kSequential, samples::kHaswellDdot,
        "sub 0 { 1..256: loop 1 { 0: [0 f@0 +1 x q]; } } 1..9999: parts balanced_up(m=256, u=4) "
        "onto "
        "fold sub 0",
        "1..7: loop 1 { 0: [.@0 +1 x q]; } 8..128: loop 8 { 0..7: L = [.@0 +8 x q]; [[L@0 L@1]@0 "
        "[L@2 L@3]@0 .@8q +1 x r]; } 129..99999: split half_down(8) { self, self }"}) {
    try {
      EXPECT_EQ(undefined_piece(parse_order(text), 9999), std::nullopt) << text;
    } catch (const UserError& error) {
      ADD_FAILURE() << text << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace reprosum::spec
