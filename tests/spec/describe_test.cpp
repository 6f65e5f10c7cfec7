// describe(): what people read in tables.
#include <gtest/gtest.h>

#include "random_order.h"
#include "sample_orders.h"
#include "spec/surface.h"

namespace reprosum::spec {
namespace {

std::string view(const char* text) { return describe(parse_order(text)); }

TEST(Describe, OrdersOfRealLibraries) {
  EXPECT_EQ(view(samples::kSequential), "sequential");
  EXPECT_EQ(view(samples::kHaswellDdot), "16 fma lanes, fold 2,4,8,1; tail appended");
  EXPECT_EQ(view(samples::kHaswellSdot), "32 fma lanes, fold 4,8,16,1,2; tail apart in f64");
  EXPECT_EQ(view(samples::kHaswellDdotTwoThreads),
            "n <= 10000: 16 fma lanes, fold 2,4,8,1; tail appended | above: two halves, each "
            "regime 0");
  EXPECT_EQ(view(samples::kSkylakeXDdot), "32 fma lanes, fold 4,8x4,2,1; 2 residue cases");
  EXPECT_EQ(view(samples::kAtlasSdot), "4 lanes, fold 1,2; tail appended");
  EXPECT_EQ(view(samples::kBlisDdot), "16 fma lanes, fold 4x4,1x4; tail appended");
  EXPECT_EQ(view(samples::kNumpySum),
            "n <= 128: 8 lanes, fold 1,2,4; tail appended | n <= 8192: pairwise halves of "
            "multiples of 8 | above: chunks of 8192");
  EXPECT_EQ(view(samples::kGrid), "128 fma lanes, folded from the left; tail within the lanes");
  EXPECT_EQ(view(samples::kBlocked),
            "n <= 320: sequential (fma) | above: balanced blocks of 320, each regime 0");
}

TEST(Describe, OtherShapes) {
  EXPECT_EQ(view("1..999: loop 1 { 0: [.@(q-1) -1 x q]; }"), "sequential from the end");
  EXPECT_EQ(view("1..999: loop 2 { 0..1: [[.@0 .@1]@0 +2 x q .@2q +1 x r]; }"),
            "sequential of groups of 2; tail appended");
  EXPECT_EQ(view("zero_start 1..999: loop 1 { 0: [0 f@0 +1 x q]; }"), "sequential (fma); + 0");
  EXPECT_EQ(view("flush both 1..999: loop 1 { 0: [f@0 +1 x q]; }"),
            "sequential (fma); subnormal inputs and results become zero");
  EXPECT_EQ(view("1..999: loop 1 { 0: fused(terms=4) [f@0 +1 x q]; }"),
            "sequential (fma), 4 terms at once");
  EXPECT_EQ(view("1..3: trees { 1: [.@0]; 2: [.@0 .@1]; 3: [.@0 .@1 .@2]; }"), "3 listed trees");
}

TEST(Describe, AnyOrderGivesOneLine) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string line = describe(RandomOrders(seed).order());
    EXPECT_FALSE(line.empty());
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace reprosum::spec
