// Sums of lanes that are folded by halves, lane l + s onto lane l, as work-groups of a GPU do it in
// their memory: shorter vectors leave lanes empty.
//
// Each step joins lanes that differ in one bit of their number. So lane 0 meets lane 2^i in the
// step of bit i, and how many summands they have in common there says which step that is: the
// sequence of the bits shows in log2 n questions, however many lanes there are. Lanes go on in
// steps of their number, one summand after the other: 2^i is then a summand of lane 0 itself.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "reveal/infer/engine.h"
#include "reveal/infer/tree_tools.h"
#include "reveal/refused.h"

namespace reprosum::reveal::generalize {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 17;  // vectors that are asked
constexpr std::size_t kFewestFolds = 2;

// The chain of a lane, then a step for each of these bits of its number.
spec::Schema folds_of(const std::vector<int>& bits, std::int64_t lanes, spec::Leaf leaf) {
  spec::Schema schema;
  spec::Item summands;
  summands.shape.leaf = leaf;
  summands.step = {0, 0, lanes};
  summands.times = {1, 0, 0};
  schema.chains.push_back({spec::NodeFormat::narrow, {summands}});
  for (const int bit : bits) {
    spec::Item lane, other;
    lane.shape.chain = other.shape.chain = static_cast<std::int32_t>(schema.chains.size()) - 1;
    other.at = {0, 0, std::int64_t{1} << bit};
    schema.chains.push_back({spec::NodeFormat::narrow, {lane, other}});
  }
  return schema;
}

// The least bit from which on all are of summands of lane 0: the second, third, fifth, ... of them.
int first_of_chain(const std::vector<std::int64_t>& sizes) {
  const int count = static_cast<int>(sizes.size());
  for (int first = 0; first < count; ++first) {
    int bit = first;
    while (bit < count &&
           sizes[static_cast<std::size_t>(bit)] == 1 + (std::int64_t{1} << (bit - first)))
      ++bit;
    if (bit == count) return first;
  }
  return count;
}

}  // namespace

std::vector<Hypothesis> Engine::bit_folds(std::int64_t base) {
  const std::int64_t n = std::min(longest_, kLongest);
  if (depth_ > 0 || !source_.has(n)) return {};
  std::vector<std::int64_t> places, sizes;
  try {
    for (std::int64_t place = 1; place < n; place *= 2) {
      places.push_back(place);
      sizes.push_back(source_.pair(n, 0, place));
    }
  } catch (const Refused&) {
    return {};  // where the longest sums have no tree, shorter ones may still have a rule
  }
  std::vector<int> bits(sizes.size());
  std::iota(bits.begin(), bits.end(), 0);
  const auto size_of = [&](int bit) { return sizes[static_cast<std::size_t>(bit)]; };
  std::sort(bits.begin(), bits.end(), [&](int a, int b) { return size_of(a) < size_of(b); });
  std::vector<Hypothesis> found;
  const int chain = first_of_chain(sizes), all = static_cast<int>(sizes.size());
  // The last bit of few summands may be of either kind.
  for (const int lane_bits : {all, chain}) {
    if (lane_bits == chain && chain == all && !found.empty()) break;
    std::vector<int> folded = bits;
    std::erase_if(folded, [&](int bit) { return bit >= lane_bits; });
    if (folded.size() < kFewestFolds) continue;
    const std::int64_t lanes = std::int64_t{1} << lane_bits;
    spec::Loop loop;
    loop.block = lanes;
    loop.pad = true;
    loop.cases.push_back({0, 0, folds_of(folded, lanes, leaf_of_lanes(lanes))});
    Hypothesis hypothesis = open_ended(std::move(loop), base);
    const auto predicted = predict(hypothesis.order, n);
    if (predicted && common_sizes(*predicted, 0, places) == sizes)
      found.push_back(std::move(hypothesis));
  }
  return found;
}

// What a lane adds after its first summand.
spec::Leaf Engine::leaf_of_lanes(std::int64_t lanes) {
  if (2 * lanes > longest_) return spec::Leaf::rounded;  // no lane has two
  const auto oracle = source_.session().oracle().lanes([lanes](std::int64_t q) {
    return Oracle::Lane{q * lanes, 0, lanes};
  });
  if (oracle == nullptr) return spec::Leaf::rounded;
  for (const spec::TreeOp& op : oracle->reveal(2).ops)
    if (op.kind == spec::TreeOp::Kind::leaf && op.index == 1) return op.leaf;
  return spec::Leaf::rounded;
}

}  // namespace reprosum::reveal::generalize
