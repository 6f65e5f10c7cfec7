#include "kernels/llvm/target_machine.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>

#include "kernels/program/widths.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

// LLVM registers a target once, however often it is asked.
void initialize_targets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
}

}  // namespace

CodeTarget narrowed(const CodeTarget& target, std::size_t bits) {
  return at_width(target, program::narrowed(target.vector_bits, bits));
}

void set_target(llvm::Function& function, const CodeTarget& target) {
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addFnAttr("target-cpu", target.cpu);
  if (target.features[0] != '\0') function.addFnAttr("target-features", target.features);
  if (target.vscale > 0)
    function.addFnAttr(
        llvm::Attribute::getWithVScaleRangeArgs(function.getContext(), target.vscale, 0));
  function.addFnAttr("prefer-vector-width", std::to_string(target.vector_bits));
  function.addFnAttr("min-legal-vector-width", std::to_string(target.vector_bits));
}

std::string generate(llvm::Module& module, const CodeTarget& target, CodeForm form) {
  initialize_targets();
  std::string error;
  const llvm::Target* description = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (description == nullptr) throw EnvironmentError("LLVM has no target: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // The loops are short: where one falls across fetch windows decides its speed on some cores.
  options.LoopAlignment = 32;
  const std::unique_ptr<llvm::TargetMachine> machine(description->createTargetMachine(
      target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine) throw EnvironmentError("LLVM cannot make code for " + std::string(target.triple));
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::raw_string_ostream report(error);
  if (llvm::verifyModule(module, &report)) throw InternalError("generated IR is invalid: " + error);
  if (target.prefix[0] != '\0')
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) {
        function.setName(target.prefix + function.getName());
        function.setVisibility(llvm::GlobalValue::HiddenVisibility);
      }
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   form == CodeForm::object ? llvm::CodeGenFileType::ObjectFile
                                                            : llvm::CodeGenFileType::AssemblyFile))
    throw InternalError("LLVM cannot write this file type for " + std::string(target.triple));
  passes.run(module);
  return {buffer.data(), buffer.size()};
}

namespace {

std::unique_ptr<llvm::object::ObjectFile> opened(const std::string& object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (file) return std::move(*file);
  llvm::consumeError(file.takeError());
  throw InternalError("generated object cannot be read");
}

}  // namespace

std::vector<std::string> defined_functions(const std::string& object) {
  using llvm::object::SymbolRef;
  std::vector<std::string> names;
  const auto file = opened(object);
  for (const SymbolRef& symbol : file->symbols()) {
    const std::uint32_t flags = llvm::cantFail(symbol.getFlags());
    if ((flags & SymbolRef::SF_Global) != 0 && (flags & SymbolRef::SF_Undefined) == 0 &&
        llvm::cantFail(symbol.getType()) == SymbolRef::ST_Function)
      names.push_back(llvm::cantFail(symbol.getName()).str());
  }
  return names;
}

std::string undefined_symbols(const std::string& object) {
  const auto file = opened(object);
  std::string names;
  for (const llvm::object::SymbolRef& symbol : file->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && (*flags & llvm::object::SymbolRef::SF_Undefined) != 0 && !name->empty())
      names += (names.empty() ? "" : ", ") + name->str();
    if (!flags) llvm::consumeError(flags.takeError());
    if (!name) llvm::consumeError(name.takeError());
  }
  return names;
}

}  // namespace reprosum::kernels
