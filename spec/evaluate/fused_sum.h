// The operands of a chain that adds several terms at once (Chain::fused), one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/format.h"
#include "spec/order.h"

namespace reprosum::spec {

class FusedSum {
 public:
  FusedSum(const Fused& fused, const Format& accumulator)
      : fused_(fused), accumulator_(accumulator) {}

  // A value, which a node rounds to the accumulator's format first; a constant is no term.
  void take(double value, bool is_constant);
  // A product that nothing has rounded.
  void take_product(double x, double y);
  // A term that the padding of a loop leaves out: it has its place in the node, but no value.
  void leave_out();

  // The value of the chain; nothing if no operand was taken.
  std::optional<double> finish();

 private:
  struct Operand {
    double x = 0, y = 1;
    bool is_product = false;
  };
  void take(const Operand& operand, bool is_constant);
  void count_term();
  void close();

  const Fused fused_;
  const Format accumulator_;
  std::vector<Operand> operands_;  // of the node that is open
  std::int64_t terms_ = 0;         // of these
};

}  // namespace reprosum::spec
