#include "spec/evaluate/fused_sum.h"

#include "spec/evaluate/exact_sum.h"

namespace reprosum::spec {

void FusedSum::take(double value, bool is_constant) { take({value, 1, false}, is_constant); }
void FusedSum::take_product(double x, double y) { take({x, y, true}, false); }

void FusedSum::leave_out() { count_term(); }

void FusedSum::take(const Operand& operand, bool is_constant) {
  operands_.push_back(operand);
  if (!is_constant) count_term();
}

void FusedSum::count_term() {
  if (++terms_ == fused_.terms) close();
}

std::optional<double> FusedSum::finish() {
  if (operands_.empty()) return std::nullopt;
  close();
  return operands_[0].x;
}

void FusedSum::close() {
  terms_ = 0;
  if (operands_.empty()) return;
  const bool is_alone = operands_.size() == 1;
  if (is_alone && !operands_[0].is_product) return;  // nothing to be added to
  ExactSum sum;
  for (const Operand& operand : operands_)
    operand.is_product ? sum.add_product(operand.x, operand.y)
                       : sum.add(rounded(accumulator_, operand.x));
  operands_.assign(1, {sum.rounded(accumulator_), 1, false});
}

}  // namespace reprosum::spec
