// A sub-order on neighbouring lanes: the walk of the interpreter with rows of lanes as values.
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "spec/evaluate/arithmetic.h"
#include "spec/evaluate/lane_rows.h"
#include "spec/evaluate/schema_walker.h"
#include "spec/evaluate/walk_rules.h"
#include "spec/expand.h"

namespace reprosum::spec {
namespace {

[[noreturn]] void refuse() {
  throw UserError("the order is that of a matrix update: it names the output, alpha or zeros");
}

template <class T>
struct LaneValue {
  bool exists = false;
  std::array<T, kMaxLanes> lanes{};
};

// The values of RuleWalk and, for a loop or listed trees of `order`, of SchemaWalker.
template <class T>
struct LaneValues {
  using Value = LaneValue<T>;
  LaneOperands<T> data;
  LaneBlocks<T>* blocks = nullptr;  // of the piece that is walked
  std::vector<Value> sums{};        // those that pieces go on from, the innermost last

  static void require(bool wide) {
    if (wide) throw UserError("lanes in the wide format are walked one by one");
  }
  static bool present(const Value& value) { return value.exists; }

  void add(NodeFormat, Value& sum, const Value& right, Scale scale) const {
    if (scale != Scale::none) refuse();
    if (!sum.exists) {
      sum = right;
      return;
    }
    for (int l = 0; l < data.lanes; ++l) sum.lanes[at(l)] += right.lanes[at(l)];
  }
  Value constant(Leaf leaf) const {
    if (leaf == Leaf::out && !sums.empty()) return sums.back();
    if (leaf != Leaf::zero) refuse();
    Value zero;
    zero.exists = true;
    return zero;
  }
  void add_constant(NodeFormat format, Leaf leaf, Value& sum) const {
    add(format, sum, constant(leaf), Scale::none);
  }
  void add_leaves(NodeFormat, const Shape& shape, Value& sum, std::int64_t k, std::int64_t step,
                  std::int64_t count) const {
    if (shape.scale != Scale::none || shape.skip != Skip::none) refuse();
    add_rows(sum.lanes.data(), sum.exists, shape.leaf, data, k, step, count);
    sum.exists = true;
  }
  void add_sub_run(NodeFormat format, std::int32_t sub, Value& sum, std::int64_t k,
                   std::int64_t step, std::int64_t count) const {
    const T* values = blocks->values(sub, k, step, count);
    if (values == nullptr) throw UserError("too many lanes of lanes");
    Value right;
    right.exists = true;
    std::copy_n(values, data.lanes, right.lanes.begin());
    add(format, sum, right, Scale::none);
  }
  Value single(std::int64_t k) const {
    Value value;
    add_leaves(NodeFormat::narrow, {}, value, k, 0, 1);
    return value;
  }
  std::optional<Value> piece(const Order& order, const Rule& rule, std::int64_t n,
                             std::int64_t place) const {
    LaneBlocks<T> own(order, data, place, place + n);
    LaneValues inner = *this;
    inner.blocks = &own;
    return walk_piece(rule, n, place, inner);
  }
  static void scale(Value&) { refuse(); }
  static void fuse_output(NodeFormat, Value&) { refuse(); }
  void bind(Value sum) { sums.push_back(std::move(sum)); }
  void unbind() { sums.pop_back(); }

 private:
  static std::size_t at(int lane) { return static_cast<std::size_t>(lane); }
};

}  // namespace

template <class T>
const T* LaneBlocks<T>::values(std::int32_t sub, std::int64_t k, std::int64_t step,
                               std::int64_t count) {
  const std::int64_t lanes = data_.lanes;
  for (const Block& block : blocks_)
    if (block.sub == sub && block.step == step && block.count == count && block.first <= k &&
        k < block.first + block.runs)
      return block.values.data() + (k - block.first) * lanes;
  Block block{sub, k, 1, step, count, {}};
  // Neighbours are neighbours in memory only where rows follow one another without a gap.
  const bool is_dense = data_.x_step == lanes && (data_.y == nullptr || data_.y_step == lanes);
  if (is_dense && count > 1 && step > 0 && step * lanes <= kMaxLanes) {
    const std::int64_t first = from_ + (k - from_) / step * step;
    if (first + step - 1 + (count - 1) * step < to_) {
      block.first = first;
      block.runs = step;
    }
  }
  const Order& order = order_.subs.at(static_cast<std::size_t>(sub));
  if ((block.runs == 1 && lanes == 1) || has_wide(order) || has_fused_nodes(order)) return nullptr;
  LaneOperands<T> data = data_;
  data.x += block.first * data_.x_step;
  data.x_step *= step;
  if (data.y != nullptr) {
    data.y += block.first * data_.y_step;
    data.y_step *= step;
  }
  data.lanes = static_cast<int>(lanes * block.runs);
  LaneValues<T> values{data, nullptr};
  block.values = RuleWalk<LaneValues<T>>(values).run(order, count).lanes;
  blocks_.push_back(block);
  return blocks_.back().values.data() + (k - block.first) * lanes;
}

template class LaneBlocks<float>;
template class LaneBlocks<double>;

}  // namespace reprosum::spec
