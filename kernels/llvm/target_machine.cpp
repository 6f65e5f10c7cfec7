#include "kernels/llvm/target_machine.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>

#include "kernels/program/widths.h"
#include "spec/error.h"

namespace reprosum::kernels {
namespace {

// LLVM registers a target once, however often it is asked.
void initialize_targets() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
}

}  // namespace

CodeTarget code_target(Isa isa) {
  CodeTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = isa == Isa::avx512 ? "skylake-avx512" : "haswell";
  target.vector_bits = isa == Isa::avx512 ? 512 : 256;
  return target;
}

CodeTarget narrowed(const CodeTarget& target, std::size_t bits) {
  CodeTarget narrow = target;
  narrow.vector_bits = program::narrowed(target.vector_bits, bits);
  return narrow;
}

void set_target(llvm::Function& function, const CodeTarget& target) {
  function.addFnAttr(llvm::Attribute::NoUnwind);
  function.addFnAttr("target-cpu", target.cpu);
  if (!target.features.empty()) function.addFnAttr("target-features", target.features);
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
  if (!machine) throw EnvironmentError("LLVM cannot make code for " + target.triple);
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine->createDataLayout());
  llvm::raw_string_ostream report(error);
  if (llvm::verifyModule(module, &report)) throw InternalError("generated IR is invalid: " + error);
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   form == CodeForm::object ? llvm::CodeGenFileType::ObjectFile
                                                            : llvm::CodeGenFileType::AssemblyFile))
    throw InternalError("LLVM cannot write this file type for " + target.triple);
  passes.run(module);
  return {buffer.data(), buffer.size()};
}

std::string undefined_symbols(const std::string& object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file) {
    llvm::consumeError(file.takeError());
    throw InternalError("generated object cannot be read");
  }
  std::string names;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
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
