#include "spec/fused_groups.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "spec/expand_schema.h"

namespace reprosum::spec {
namespace {

using Program = std::vector<TreeOp>;

bool is_constant(const Program& operand) {
  return operand.size() == 1 && !is_summand(operand[0].leaf);
}
bool is_unrounded(const Program& operand) {
  return operand.size() == 1 && operand[0].leaf == Leaf::fused;
}

// What operands are sorted by: constants stand before every summand, an output before a zero.
std::tuple<bool, std::int64_t> place_of(const Program& operand) {
  std::int64_t least = -1;
  for (const TreeOp& op : operand) {
    if (op.kind != TreeOp::Kind::leaf) continue;
    if (op.leaf == Leaf::out && least < 0) least = -2;
    if (!is_summand(op.leaf)) continue;
    least = least < 0 ? op.index : std::min<std::int64_t>(least, op.index);
  }
  return {is_unrounded(operand), least};
}

}  // namespace

void FusedGroups::take(Program copy) {
  if (!is_constant(copy)) ++terms_;
  operands_.push_back(std::move(copy));
  if (terms_ == fused_.terms) close();
}

std::vector<TreeOp> FusedGroups::finish() {
  close();
  return std::move(operands_[0]);
}

void FusedGroups::close() {
  terms_ = 0;
  if (operands_.size() == 1) {  // nothing to be added to
    if (is_unrounded(operands_[0])) operands_[0][0].leaf = Leaf::rounded;
    return;
  }
  std::vector<std::pair<std::tuple<bool, std::int64_t>, std::size_t>> sequence;
  for (std::size_t k = 0; k < operands_.size(); ++k)
    sequence.emplace_back(place_of(operands_[k]), k);
  std::sort(sequence.begin(), sequence.end());
  Program node = std::move(operands_[sequence[0].second]);
  for (std::size_t k = 1; k < sequence.size(); ++k) {
    const Program& operand = operands_[sequence[k].second];
    node.insert(node.end(), operand.begin(), operand.end());
    TreeOp add;
    add.kind = TreeOp::Kind::add;
    add.format = k + 1 < sequence.size() ? NodeFormat::exact : NodeFormat::narrow;
    node.push_back(add);
  }
  operands_.clear();
  operands_.push_back(std::move(node));
}

}  // namespace reprosum::spec
