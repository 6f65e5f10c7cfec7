#include "kernels/llvm/generate_order.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "kernels/llvm/emit_plan.h"
#include "kernels/llvm/emit_rule.h"
#include "kernels/plan/loop_form.h"
#include "spec/expand.h"

namespace reprosum::kernels {
namespace {

// Budgets of an order, in what code is made from and in what is made: beyond them pieces are left
// to the interpreter. Never in seconds, for the host's load must not choose kernels. OpenBLAS
// needs a twentieth of them.
constexpr std::size_t kMaxInstructions = 400'000;  // of 256 bits

bool has_wide(const spec::Schema& schema) {
  for (const spec::Chain& chain : schema.chains) {
    if (chain.format == spec::Format::wide) return true;
    for (const spec::Item& item : chain.items)
      if (item.shape.is_leaf() && item.shape.leaf == spec::Leaf::exact) return true;
  }
  return false;
}

bool has_wide(const spec::Rule& rule) {
  if (const auto* loop = std::get_if<spec::Loop>(&rule))
    return std::any_of(loop->cases.begin(), loop->cases.end(),
                       [](const auto& c) { return has_wide(c.schema); });
  if (const auto* trees = std::get_if<spec::Explicit>(&rule))
    return std::any_of(trees->entries.begin(), trees->entries.end(),
                       [](const auto& e) { return has_wide(e.tree); });
  return false;
}

// Bits of all lanes of the main loop; 0 if there is none.
std::size_t loop_bits(const RulePlan& plan, spec::Type type) {
  if (plan.block == 0 || plan.hot.empty()) return 0;
  return StartedRuns::of(plan.hot[0]).size() * (type == spec::Type::f32 ? 32 : 64);
}

// Most rows to interleave, so that the main loop has about eight independent accumulators; 0: the
// order is wide enough alone. Not more than eight rows: they are often a power of two apart, and
// then fall into the same few sets of the first-level cache.
int batch_rows(std::size_t bits, const CodeTarget& target) {
  if (bits == 0) return 0;
  const std::size_t vectors = (bits + target.vector_bits - 1) / target.vector_bits;
  for (const int rows : kBatchRows)
    if (vectors * static_cast<std::size_t>(rows) <= 8) return rows;
  return 0;
}

std::size_t instructions(const llvm::Function& function) {
  constexpr std::uint64_t kBits = 256;
  std::size_t all = 0;
  for (const llvm::BasicBlock& block : function)
    for (const llvm::Instruction& instruction : block) {
      const std::uint64_t bits = instruction.getType()->getPrimitiveSizeInBits();
      all += static_cast<std::size_t>(std::max<std::uint64_t>(1, (bits + kBits - 1) / kBits));
    }
  return all;
}

// The functions of one order, as long as its budgets last.
class OrderCode {
 public:
  OrderCode(llvm::Module& module, spec::Routine routine, spec::Type type, std::size_t most_cost)
      : module_(module), routine_(routine), type_(type), left_(most_cost) {}

  // Returns false where the function would be too much.
  bool add(const RulePlan& plan, const FunctionShape& shape, const CodeTarget& width) {
    const std::size_t cost = plan.cost * static_cast<std::size_t>(std::max(1, shape.rows));
    if (cost > left_) return false;
    emit_rule(module_, plan, routine_, type_, shape, width);
    llvm::Function* const function = module_.getFunction(shape.name);
    const std::size_t made = instructions(*function);
    if (made > kMaxInstructions - instructions_) {
      function->eraseFromParent();
      return false;
    }
    left_ -= cost;
    instructions_ += made;
    return true;
  }

 private:
  llvm::Module& module_;
  const spec::Routine routine_;
  const spec::Type type_;
  std::size_t left_, instructions_ = 0;
};

std::string range_of(const spec::Regime& regime) {
  return "n = " + std::to_string(regime.lo) + ".." + std::to_string(regime.hi) + ": ";
}

}  // namespace

std::string piece_name(std::size_t k, bool wide) {
  return "piece" + std::to_string(k) + (wide ? "_wide" : "_narrow");
}

std::string batch_name(std::size_t k, int rows, bool shared_y) {
  return "batch" + std::to_string(k) + "x" + std::to_string(rows) + (shared_y ? "_shared_y" : "");
}

std::string strided_name(std::size_t k, bool wide) { return "strided_" + piece_name(k, wide); }

GeneratedCode generate_order(const spec::Order& order, spec::Routine routine, spec::Type type,
                             const CodeTarget& target, CodePart part, CodeForm form, bool with_ir) {
  GeneratedCode code;
  llvm::LLVMContext context;
  llvm::Module module("reprosum", context);
  const std::vector<Piece> pieces = pieces_of(order);
  OrderCode functions(module, routine, type,
                      part == CodePart::batch ? 4 * kMaxOrderCost : kMaxOrderCost);
  bool any = false;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    RulePlan plan;
    std::string why;
    spec::Regime regime = *pieces[k].regime;
    if (spec::is_update(*pieces[k].order)) {
      code.why = "pieces go on from the sum before them";
      continue;
    }
    const std::optional<spec::Loop> folded = fold_split(*pieces[k].order, regime);
    if (folded) regime.rule = *folded;
    if (const std::optional<spec::Loop> cut = unpad_loop(regime)) regime.rule = *cut;
    if (type == spec::Type::f64 && has_wide(regime.rule)) {
      code.why = "nothing is wider than f64";
      continue;
    }
    if (!plan_rule(regime, plan, why)) {
      if (folded) continue;  // walked, with its pieces generated
      code.why = range_of(regime) + why;
      continue;
    }
    const std::size_t bits = loop_bits(plan, type);
    const CodeTarget width = narrowed(target, bits);
    if (part != CodePart::batch) {
      const bool strided = part == CodePart::strided;
      const FunctionShape shape{
          strided ? strided_name(k, plan.is_wide) : piece_name(k, plan.is_wide), 0, false, strided};
      if (functions.add(plan, shape, width))
        any = true;
      else
        code.why = range_of(regime) + "more code than one order is given";
      continue;
    }
    const int most = batch_rows(bits, width);
    for (const int rows : kBatchRows) {
      if (rows > most) continue;
      for (const bool shared : {false, true}) {
        if (shared && routine == spec::Routine::sum) continue;
        if (functions.add(plan, {batch_name(k, rows, shared), rows, shared, false}, width))
          any = true;
      }
    }
  }
  if (!any) return code;
  if (with_ir) {
    llvm::raw_string_ostream stream(code.ir);
    module.print(stream, nullptr);
  }
  code.bytes = generate(module, target, form);
  return code;
}

}  // namespace reprosum::kernels
