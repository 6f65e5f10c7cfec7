#include "kernels/llvm/llvm_backend.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <atomic>
#include <map>
#include <variant>

#include "kernels/llvm/generate_order.h"
#include "kernels/llvm/print_program.h"
#include "kernels/program/lower_tile.h"
#include "kernels/program/widths.h"
#include "spec/error.h"
#include "src/base/fork_gate.h"

namespace reprosum::kernels {
namespace {

GeneratedCode generate_tile(const CodeTarget& target, const TileRequest& tile, CodeForm form) {
  llvm::LLVMContext context;
  llvm::Module module("reprosum", context);
  const unsigned bits =
      tile.shape.rows > 0 ? program::row_width(tile.plan, tile.type, target.vector_bits).vector_bits
                          : target.vector_bits;
  print_program(module, program::lower_tile(tile.plan, tile.type, tile.shape, tile.name, bits),
                at_width(target, bits));
  GeneratedCode code;
  if (form == CodeForm::assembly) {
    llvm::raw_string_ostream stream(code.ir);
    module.print(stream, nullptr);
  }
  code.bytes = generate(module, target, form);
  return code;
}

GeneratedCode code_of(const CodeTarget& target, const CodeRequest& request, CodeForm form) {
  if (const auto* tile = std::get_if<TileRequest>(&request))
    return generate_tile(target, *tile, form);
  const auto& order = std::get<OrderRequest>(request);
  return generate_order(order.order, order.routine, order.type, target, order.part, form,
                        form == CodeForm::assembly);
}

std::string version() {
  std::map<std::string, bool> sorted;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    sorted[feature.getKey().str()] = feature.getValue();
  std::string text = "llvm " LLVM_VERSION_STRING "\nhost " + llvm::sys::getHostCPUName().str();
  for (const auto& [name, present] : sorted)
    if (present) text += "," + name;
  return text;
}

}  // namespace

GeneratedCode print_by_llvm(const CodeTarget& target, const CodeRequest& request) {
  return code_of(target, request, CodeForm::assembly);
}

GeneratedCode compile_by_llvm(const CodeTarget& target, const CodeRequest& request) {
  GeneratedCode code = code_of(target, request, CodeForm::object);
  if (target.prefix[0] != '\0' && !code.bytes.empty())
    code.functions = defined_functions(code.bytes);
  return code;
}

std::string llvm_archive(const std::vector<std::pair<std::string, std::string>>& objects) {
  std::vector<llvm::NewArchiveMember> all;
  for (const auto& [name, object] : objects) all.emplace_back(llvm::MemoryBufferRef(object, name));
  auto made = llvm::writeArchiveToBuffer(all, llvm::SymtabWritingMode::NormalSymtab,
                                         llvm::object::Archive::K_GNU, true, false);
  if (!made)
    throw EnvironmentError("the objects cannot be put together: " +
                           llvm::toString(made.takeError()));
  return (*made)->getBuffer().str();
}

std::string llvm_version() {
  static std::atomic<const std::string*> made{nullptr};
  return base::made_once(made, version);
}

}  // namespace reprosum::kernels
