#include "spec/fused_groups.h"

#include <algorithm>
#include <utility>

namespace reprosum::spec {
namespace {

bool is_unrounded(const std::vector<TreeOp>& operand) {
  return operand.size() == 1 && operand[0].leaf == Leaf::fused;
}

}  // namespace

void FusedGroups::take(std::vector<TreeOp> copy, bool is_constant) {
  operands_.push_back(std::move(copy));
  if (!is_constant && ++terms_ == fused_.terms) close();
}

std::vector<TreeOp> FusedGroups::finish() {
  close();
  return std::move(sum_);
}

void FusedGroups::close() {
  terms_ = 0;
  if (operands_.empty()) return;
  const bool is_alone = sum_.empty() && operands_.size() == 1;  // nothing to be added to
  if (is_alone && is_unrounded(operands_[0])) operands_[0][0].leaf = Leaf::rounded;
  std::stable_partition(operands_.begin(), operands_.end(),
                        [](const auto& operand) { return !is_unrounded(operand); });
  for (const std::vector<TreeOp>& operand : operands_) {
    const bool is_first = sum_.empty();
    sum_.insert(sum_.end(), operand.begin(), operand.end());
    if (is_first) continue;
    TreeOp add;
    add.kind = TreeOp::Kind::add;
    add.format = NodeFormat::exact;
    sum_.push_back(add);
  }
  if (!is_alone) sum_.back().format = NodeFormat::narrow;
  operands_.clear();
}

}  // namespace reprosum::spec
