// Data made for a tree tell it from its neighbours.
#include "reveal/check/telling_data.h"

#include <gtest/gtest.h>

#include <cstring>

#include "spec/evaluate/evaluate.h"
#include "spec/expand.h"
#include "spec/surface.h"

namespace reprosum::reveal {
namespace {

constexpr std::int64_t kSummands = 3000;
constexpr int kVectors = 999;  // by four, by two and one alone

// The tree with two neighbours of one chain exchanged.
spec::Tree exchanged(spec::Tree tree, std::int64_t first, std::int64_t second) {
  for (spec::TreeOp& op : tree.ops)
    if (op.kind == spec::TreeOp::Kind::leaf && (op.index == first || op.index == second))
      op.index = static_cast<std::uint32_t>(op.index == first ? second : first);
  return tree;
}

template <class T>
int seen_exchanges(const std::string& text, std::int64_t lanes, bool is_dot) {
  const spec::Tree tree = spec::expand(spec::parse_order(text), kSummands);
  FastRandom random(7);
  int seen = 0;
  std::vector<double> x(kVectors * kSummands), y(is_dot ? x.size() : 0);
  fill_telling(tree, spec::type_of<T>(), random, kVectors, x, y);
  const std::vector<T> narrow_x(x.begin(), x.end()), narrow_y(y.begin(), y.end());
  for (int row = 0; row < kVectors; ++row) {
    const T* const a = narrow_x.data() + row * kSummands;
    const T* const b = is_dot ? narrow_y.data() + row * kSummands : nullptr;
    const std::int64_t at = 4 * lanes + random.below(kSummands - 8 * lanes);
    const T plain = spec::evaluate(tree, a, 1, b, 1);
    const T other = spec::evaluate(exchanged(tree, at, at + lanes), a, 1, b, 1);
    seen += std::memcmp(&plain, &other, sizeof(T)) != 0 ? 1 : 0;
  }
  return seen;
}

template <class T>
void expect_seen(const std::string& text, std::int64_t lanes, int least) {
  for (const bool is_dot : {false, true})
    EXPECT_GE(seen_exchanges<T>(text, lanes, is_dot), least)
        << text << (is_dot ? " of products, " : " of numbers, ") << sizeof(T) << " bytes";
}

TEST(TellingData, ShowsTwoNeighboursOfAChainExchanged) {
  // 350 to 430 are seen; with hostile random vectors, ten.
  const std::string chain = "1..1048576: loop 1 { 0: [.@0 +1 x q]; }";
  expect_seen<float>(chain, 1, 300);
  expect_seen<double>(chain, 1, 300);
}

TEST(TellingData, ShowsTwoNeighboursOfALaneExchanged) {
  // Some 210 are: what a fold of eight lanes rounds off hides the rest.
  const std::string lanes =
      "1..7: loop 1 { 0: [.@0 +1 x q]; } 8..1048576: loop 8 { 0..7: L = [.@0 +8 x q]; "
      "[[[L@0 L@4]@0 [L@2 L@6]@0]@0 [[L@1 L@5]@0 [L@3 L@7]@0]@0 .@8q +1 x r]; }";
  expect_seen<float>(lanes, 8, 170);
  expect_seen<double>(lanes, 8, 170);
}

}  // namespace
}  // namespace reprosum::reveal
