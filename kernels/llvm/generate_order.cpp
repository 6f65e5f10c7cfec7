#include "kernels/llvm/generate_order.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "kernels/llvm/print_program.h"
#include "kernels/plan/loop_form.h"
#include "kernels/program/lower_rule.h"
#include "kernels/program/widths.h"
#include "spec/expand.h"

namespace reprosum::kernels {
namespace {

// Budgets of an order, in what code is made from and in what is made: beyond them pieces are left
// to the interpreter. Never in seconds, for the host's load must not choose kernels. OpenBLAS
// needs a twentieth of them.
constexpr unsigned kOperationBits = 256;
constexpr std::size_t kMaxOperations = 200'000;  // of so many bits

// The functions of one order, as long as its budgets last.
class OrderCode {
 public:
  OrderCode(llvm::Module& module, spec::Routine routine, spec::Type type, std::size_t most_cost)
      : module_(module), routine_(routine), type_(type), left_(most_cost) {}

  // Returns false where the function would be too much.
  bool add(const RulePlan& plan, const program::FunctionShape& shape, const CodeTarget& target) {
    const std::size_t cost = plan.cost * static_cast<std::size_t>(std::max(1, shape.rows));
    if (cost > left_) return false;
    const program::Program made =
        program::lower_rule(plan, routine_, type_, shape, target.vector_bits);
    const std::size_t operations = program::operations(made, kOperationBits);
    if (operations > kMaxOperations - operations_) return false;
    print_program(module_, made, target);
    left_ -= cost;
    operations_ += operations;
    return true;
  }

 private:
  llvm::Module& module_;
  const spec::Routine routine_;
  const spec::Type type_;
  std::size_t left_, operations_ = 0;
};

// The caller sets the processor to flush (flushing.h); what is computed before it runs must be what
// it would compute.
void set_flush(llvm::Module& module, spec::Flush flush) {
  if (flush == spec::Flush::none) return;
  const auto mode = [](bool flushes) { return flushes ? "preserve-sign" : "ieee"; };
  const std::string modes =
      std::string(mode(spec::flushes_results(flush))) + "," + mode(spec::flushes_inputs(flush));
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr("denormal-fp-math", modes);
}

}  // namespace

GeneratedCode generate_order(const spec::Order& order, spec::Routine routine, spec::Type type,
                             const CodeTarget& target, CodePart part, CodeForm form, bool with_ir) {
  GeneratedCode code;
  // Others find what is tiny before they round.
  if (order.flush != spec::Flush::none && !llvm::Triple(target.triple).isX86()) {
    code.why = "subnormal numbers become zero as on x86";
    return code;
  }
  llvm::LLVMContext context;
  llvm::Module module("reprosum", context);
  const std::vector<Piece> pieces = pieces_of(order);
  OrderCode functions(module, routine, type,
                      part == CodePart::batch ? 4 * kMaxOrderCost : kMaxOrderCost);
  bool any = false;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    if (part == CodePart::batch && !pieces[k].is_whole()) continue;  // of whole rows
    RulePlan plan;
    std::string why;
    if (!plan_piece(pieces[k], type, plan, why)) {
      if (!why.empty()) code.why = why;
      continue;
    }
    const std::size_t bits = program::loop_bits(plan, type);
    const CodeTarget width = narrowed(target, bits);
    if (part != CodePart::batch) {
      const bool strided = part == CodePart::strided;
      const program::FunctionShape shape{
          strided ? strided_name(k, plan.is_wide) : piece_name(k, plan.is_wide), 0, false, strided};
      if (functions.add(plan, shape, width))
        any = true;
      else
        code.why = range_of(*pieces[k].regime) + "more code than one order is given";
      continue;
    }
    const int most = program::batch_rows(bits, width.vector_bits);
    for (const int rows : program::kBatchRows) {
      if (rows > most) continue;
      for (const bool shared : {false, true}) {
        if (shared && routine == spec::Routine::sum) continue;
        if (functions.add(plan, {batch_name(k, rows, shared), rows, shared, false}, width))
          any = true;
      }
    }
  }
  if (!any) return code;
  set_flush(module, order.flush);
  if (with_ir) {
    llvm::raw_string_ostream stream(code.ir);
    module.print(stream, nullptr);
  }
  code.bytes = generate(module, target, form);
  return code;
}

}  // namespace reprosum::kernels
