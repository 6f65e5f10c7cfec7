// From an order to one object with a function for each of its loops and explicit trees.
#pragma once

#include "kernels/code_request.h"
#include "kernels/llvm/target_machine.h"
#include "kernels/plan/pieces.h"
#include "spec/order.h"
#include "spec/spec.h"

namespace reprosum::kernels {

GeneratedCode generate_order(const spec::Order& order, spec::Routine routine, spec::Type type,
                             const CodeTarget& target, CodePart part, CodeForm form, bool with_ir);

}  // namespace reprosum::kernels
