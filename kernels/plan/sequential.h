// Orders that add one summand after the other to one accumulator, however they are written.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/plan/plan.h"
#include "spec/spec.h"

namespace reprosum::kernels {

// start + s[0] + s[1] + ... + s[n-1], narrow, from the left: start is +0, or s[0] is the start.
struct Sequential {
  bool from_zero = false;
  bool fused = false;      // of products: each is added by an fma
  std::int64_t first = 0;  // the n from which on the rule is so
  bool operator==(const Sequential&) const = default;
};

// Nothing for a plan that does anything else at some n of its symbolic part, wide values included.
std::optional<Sequential> sequential(const RulePlan& plan, spec::Routine routine);

}  // namespace reprosum::kernels
