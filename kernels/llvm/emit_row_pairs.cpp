#include "kernels/llvm/emit_row_pairs.h"

#include <numeric>
#include <utility>
#include <vector>

namespace reprosum::kernels {
namespace {

using llvm::Value;
using spec::Format;
using spec::Leaf;

constexpr unsigned kPieceBits = 128;  // what whole-vector loads and swaps of halves pay for

// Lanes first .. first + width - 1 of each of the two, one after the other.
Value* halves(llvm::IRBuilder<>& b, const std::pair<Value*, Value*>& rows, int first, int width,
              int source_width) {
  std::vector<int> mask(static_cast<std::size_t>(2 * width));
  std::iota(mask.begin(), mask.begin() + width, first);
  std::iota(mask.begin() + width, mask.end(), source_width + first);
  return b.CreateShuffleVector(rows.first, rows.second, mask);
}

}  // namespace

bool can_pair_rows(const ValueEmitter& emitter, const RunLanes& lanes) {
  const auto width = static_cast<std::int64_t>(lanes.offsets.size());
  const Run& run = lanes.run;
  if (emitter.rows() % 2 != 0 || !emitter.has_products() || emitter.shares_y()) return false;
  if (run.format != Format::narrow || width * emitter.bits_of(false) != kPieceBits) return false;
  if (run.step != width || lanes.offsets.back() != width - 1) return false;
  return run.body.size() == 1 && run.body[0].size() == 1 &&
         run.body[0][0].scale == spec::Scale::none &&
         (run.body[0][0].leaf == Leaf::fused || run.body[0][0].leaf == Leaf::rounded);
}

Values join_rows(ValueEmitter& emitter, const Values& values) {
  Values joined{{}, 2 * values.width, values.wide};
  for (std::size_t k = 0; k + 1 < values.rows.size(); k += 2)
    joined.rows.push_back(halves(emitter.builder(), {values.rows[k], values.rows[k + 1]}, 0,
                                 values.width, values.width));
  return joined;
}

Values split_rows(ValueEmitter& emitter, const Values& values) {
  const int width = values.width / 2;
  Values rows{{}, width, values.wide};
  for (Value* pair : values.rows) {
    for (const int first : {0, width}) {
      std::vector<int> mask(static_cast<std::size_t>(width));
      std::iota(mask.begin(), mask.end(), first);
      rows.rows.push_back(emitter.builder().CreateShuffleVector(pair, mask));
    }
  }
  return rows;
}

void accumulate_pair(ValueEmitter& emitter, const RunLanes& lanes, Value* index, std::size_t pair,
                     Values& sums) {
  llvm::IRBuilder<>& b = emitter.builder();
  const BodyOp& op = lanes.run.body[0][0];
  const int width = sums.width / 2;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(sums.width));
  std::iota(offsets.begin(), offsets.end(), op.offset);
  const std::pair x{emitter.load_x(2 * pair, index, offsets),
                    emitter.load_x(2 * pair + 1, index, offsets)};
  const std::pair y{emitter.load_y(2 * pair, index, offsets),
                    emitter.load_y(2 * pair + 1, index, offsets)};
  Value*& sum = sums.rows[pair];
  for (const int first : {0, width}) {
    Value* const a = halves(b, x, first, width, sums.width);
    Value* const c = halves(b, y, first, width, sums.width);
    sum = op.leaf == Leaf::fused
              ? b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {a, c, sum})
              : b.CreateFAdd(sum, b.CreateFMul(a, c));
  }
}

}  // namespace reprosum::kernels
