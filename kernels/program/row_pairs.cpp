#include "kernels/program/row_pairs.h"

#include <numeric>

namespace reprosum::kernels::program {
namespace {

constexpr unsigned kPieceBits = 128;  // what whole-vector loads and swaps of halves pay for

// Lanes first .. first + width - 1 of each of the two, one after the other.
Id halves(Builder& b, Id one, Id other, int first, int width) {
  std::vector<std::pair<Id, int>> picks;
  for (const Id from : {one, other})
    for (int k = 0; k < width; ++k) picks.emplace_back(from, first + k);
  return b.gather(std::move(picks));
}

}  // namespace

bool can_pair_rows(const ValueBuilder& values, const RunLanes& lanes) {
  const auto width = static_cast<std::int64_t>(lanes.offsets.size());
  const Run& run = lanes.run;
  const Layout& layout = values.layout();
  if (layout.is_tile || values.cells() % 2 != 0) return false;
  if (!layout.has_products || values.shares_second()) return false;
  if (run.format != spec::NodeFormat::narrow || width * values.bits_of(false) != kPieceBits)
    return false;
  if (run.step != width || lanes.offsets.back() != width - 1) return false;
  if (run.body.size() != 1 || run.body[0].size() != 1) return false;
  const BodyOp& op = run.body[0][0];
  return op.scale == spec::Scale::none && op.skip == spec::Skip::none &&
         (op.leaf == spec::Leaf::fused || op.leaf == spec::Leaf::rounded);
}

Values join_rows(ValueBuilder& values, const Values& rows) {
  Values joined{{}, 2 * rows.width, rows.wide};
  for (std::size_t k = 0; k + 1 < rows.cells.size(); k += 2)
    joined.cells.push_back(
        halves(values.builder(), rows.cells[k], rows.cells[k + 1], 0, rows.width));
  return joined;
}

Values split_rows(ValueBuilder& values, const Values& pairs) {
  const int width = pairs.width / 2;
  Values rows{{}, width, pairs.wide};
  for (const Id pair : pairs.cells) {
    for (const int first : {0, width}) {
      std::vector<std::pair<Id, int>> picks;
      for (int k = 0; k < width; ++k) picks.emplace_back(pair, first + k);
      rows.cells.push_back(values.builder().gather(std::move(picks)));
    }
  }
  return rows;
}

Id add_pair(ValueBuilder& values, const RunLanes& lanes, const Place& place, std::size_t pair,
            Id sum) {
  Builder& b = values.builder();
  const BodyOp& op = lanes.run.body[0][0];
  const int width = b.type(sum).lanes / 2;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(2 * width));
  std::iota(offsets.begin(), offsets.end(), op.offset);
  Id x[2], y[2];
  for (std::size_t k = 0; k < 2; ++k) x[k] = values.load(2 * pair + k, kFirst, place, offsets);
  for (std::size_t k = 0; k < 2; ++k) y[k] = values.load(2 * pair + k, kSecond, place, offsets);
  for (const int first : {0, width}) {
    const Id a = halves(b, x[0], x[1], first, width);
    const Id c = halves(b, y[0], y[1], first, width);
    sum = op.leaf == spec::Leaf::fused ? b.fuse(a, c, sum) : b.add(sum, b.multiply(a, c));
  }
  return sum;
}

}  // namespace reprosum::kernels::program
